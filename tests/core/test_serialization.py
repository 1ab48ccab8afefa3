"""Does a dataclass come back from JSON as it was, and is what somebody else wrote refused with its place?"""

from __future__ import annotations

import json
from dataclasses import dataclass, field

import pytest

from core.serialization import Damaged, from_json, to_json


@dataclass(frozen=True)
class Inner:
    ms: float
    inner: Inner | None = None


@dataclass
class Outer:
    name: str
    count: int
    held: bool = True
    status: int | None = 0
    raw: bytes = b""
    inside: list[Inner] = field(default_factory=list)
    by_name: dict[str, int] = field(default_factory=dict)
    by_number: dict[int, str] = field(default_factory=dict)


FULL = Outer("a", 3, False, None, b"\x00" * 1000, [Inner(1.5, Inner(2.0))], {"x": 1}, {-1: "a", 20: "b"})


def test_it_comes_back_as_it_was():
    for value in (FULL, Outer("a", 3)):
        assert from_json(Outer, json.loads(json.dumps(to_json(value)))) == from_json(Outer, to_json(value)) == value


def test_what_goes_without_saying_is_left_out():
    assert to_json(Outer("a", 3)) == {"name": "a", "count": 3}
    assert len(json.dumps(to_json(FULL))) < 200


@pytest.mark.parametrize(
    "change, said",
    [
        ({"name": 1}, "it.name: expected str, found int"),
        ({"count": True}, "it.count: expected int, found bool"),
        ({"count": 1.0}, "it.count: expected int, found float"),
        ({"count": 1 << 65}, "it.count: expected a number up to"),
        ({"held": 1}, "it.held: expected bool, found int"),
        ({"status": "0"}, "it.status: expected int, found str"),
        ({"raw": "%%"}, "it.raw: expected deflated bytes"),
        ({"raw": "AAAA"}, "it.raw: expected deflated bytes"),
        ({"inside": {}}, "it.inside: expected list, found dict"),
        ({"inside": [{"ms": 1}, {"ms": "1"}]}, "it.inside[1].ms: expected float, found str"),
        ({"inside": [{"ms": float("nan")}]}, "it.inside[0].ms: expected a number"),
        ({"inside": [{"ms": float("inf")}]}, "it.inside[0].ms: expected a number"),
        ({"inside": [{}]}, "it.inside[0]: 'ms' is missing"),
        ({"by_name": {"x": None}}, "it.by_name.x: expected int, found NoneType"),
        ({"by_name": [1]}, "it.by_name: expected dict, found list"),
        ({"by_number": {"2": 3}}, "it.by_number.2: expected str, found int"),
        ({"by_number": {"1.5": "a"}}, "it.by_number: expected a whole number as a name, found '1.5'"),
        ({"by_number": {"9" * 20: "a"}}, "it.by_number: expected a number up to"),
        ({"other": 1}, "it: there is no 'other' in it"),
    ],
)
def test_what_is_not_of_its_kind_is_named_with_its_place(change, said):
    with pytest.raises(Damaged) as refused:
        from_json(Outer, to_json(FULL) | change)
    assert str(refused.value).startswith(said)


def test_bytes_that_would_fill_memory_are_refused():
    bomb = to_json(b"\0" * (9 << 20))
    assert len(bomb) < 20_000
    with pytest.raises(Damaged, match="8 MiB at most"):
        from_json(bytes, bomb)
