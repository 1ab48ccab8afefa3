"""Are runs counted as they came, and does the book say of no case what did not happen?"""

import contextlib
import json

import pytest

from core import cases
from host.errors import LabError
from host.recording import record, repeats
from host.vm.call import Result

ORIGIN = {"kernel": "6.1", "qemu": "7.2", "acceleration": "tcg", "date": "2026-11-20", "commit": "abc"}


@pytest.fixture
def guest(monkeypatch):
    """guest(*outcomes): each run in it comes to the next of these outcomes, figures beside them; the calls."""

    def answers(*outcomes):
        coming, calls = iter(outcomes), []

        def call_json(guest, *words):
            calls.append(words)
            outcome, figures = next(coming)
            if not outcome:
                return Result(1, {}, "expected one JSON object, found other text", "said", True)
            return Result(0, {"counts": {outcome: 1}, "figures": figures, "figure": "B's wait"}, "", "", True)

        monkeypatch.setattr(repeats, "call_json", call_json)
        monkeypatch.setattr(repeats.guests, "throwaway", lambda profile: contextlib.nullcontext())
        monkeypatch.setattr(record, "provenance", lambda profile: ORIGIN | {"commit": f"abc, {len(calls)} runs"})
        return calls

    return answers


def test_each_run_is_counted_and_none_is_made_again(guest):
    as_it_is = [("reproduced", [3.0]), ("could not tell", []), ("not reproduced", [1.0]), ("reproduced", [2.0])]
    calls = guest(*as_it_is, *[("not reproduced", [figure]) for figure in (1.0, 1.25, 1.0, 1.5)])
    found = repeats.of("frag-needed", times=4)
    counts = {"reproduced": 2, "not_reproduced": 1, "could_not_tell": 1}
    assert counts.items() <= found["fault"].items() and found["fault"]["figures"] == [3.0, 1.0, 2.0]
    assert found["fault"]["spread"] == {"min": 1.0, "lower": 1.5, "median": 2.0, "upper": 2.5, "max": 3.0}
    off = {"reproduced": 0, "not_reproduced": 4, "could_not_tell": 0, "figures": [1.0, 1.25, 1.0, 1.5]}
    assert off.items() <= found["fault_off"].items() and found["fault_off"]["spread"]["max"] == 1.5
    assert found["figure"] == "B's wait"
    assert ["tunnel=0" in call for call in calls] == [False] * 4 + [True] * 4
    said = repeats.show("frag-needed", found)
    assert "reproduced 2, not reproduced 1, could not tell 1" in said and max(map(len, said.splitlines())) <= 80


def test_a_run_that_says_nothing_ends_it(guest):
    guest(("reproduced", [3.0]), ("", []))
    with pytest.raises(LabError, match="run 2 was cut short: expected one JSON object"):
        repeats.of("frag-needed", times=2)


def test_a_checkout_that_changes_while_the_case_runs_is_named_as_it_was(guest):
    guest(*[("reproduced", [3.0])] * 2)
    assert repeats.of("frag-needed", times=1)["provenance"] == ORIGIN | {"commit": "abc, 0 runs"}


def test_what_is_stored_of_one_case_leaves_the_others(tmp_path, monkeypatch):
    monkeypatch.setattr(record, "RECORDINGS", tmp_path)
    monkeypatch.setattr(record, "provenance", lambda profile="stock": ORIGIN | {"commit": "when it is stored"})
    one, other = ORIGIN | {"commit": "one"}, ORIGIN | {"commit": "other", "qemu": "rtl8139"}
    repeats.store("frag-needed", {"times": 1, "provenance": one})
    repeats.store("rtl8139-tso", {"times": 2, "provenance": other})
    kept = json.loads((tmp_path / "repeats.json").read_text())
    assert kept.pop("provenance") == ORIGIN | {"commit": "other"}
    assert {name: each["provenance"] for name, each in kept.items()} == {"frag_needed": one, "rtl8139_tso": other}


@pytest.mark.parametrize("name", cases.cases())
def test_the_fault_is_switched_off_by_what_the_case_takes(name):
    case = cases.case(name)
    off = case.fault_off
    assert case.set([f"{setting}={value}" for setting, value in off.items()]) == off
    assert any(value != case.settings[setting].default for setting, value in off.items())
