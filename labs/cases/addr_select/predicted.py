"""Does a prediction hold? What the tables of exercises 4 and 5 are held to."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from core.judge.evidence import Evidence
from core.judge.verdict import Judged, Verdict
from labs.cases.addr_select.costs import BOUNDS, Pair, measured
from labs.cases.addr_select.names import NODE, REPORTED, service
from labs.cases.addr_select.rules import RFC
from labs.judge.judging import whole_in

# What an answer has to say, and of what type it is.
DEPRECATED = {"source_changes": bool, "faster": bool, "lookups": int, "deciding_rule": int, "bound_still_sends": bool}
MANY = {"lookups": int, "questions": int, "times_as_long": float}
WITHIN, FASTER = BOUNDS["within_ratio"], BOUNDS["deprecated_ratio"]


@dataclass
class Deprecation:
    """Two nodes with 512 service addresses, of one they are deprecated. `turns` are a send in one and in the other,
    `lookups` of labels are of one send in the other, `bound_from` is whence a socket sends there that is bound to the
    last service address; `rule` is the kernel's name for what decides, read off with a few addresses."""

    turns: list[Pair]
    lookups: int
    bound_from: str
    rule: str

    @property
    def whole(self) -> bool:
        """Whether sends were timed."""
        return bool(self.turns)


@dataclass
class Crowd:
    """A node with one address and one with many: `turns` are a send in either, the counts are of a send among many."""

    turns: list[Pair]
    lookups: int
    questions: int

    @property
    def whole(self) -> bool:
        """Whether sends were timed."""
        return bool(self.turns)


def complete(answer: str, names: Mapping[str, type]) -> bool:
    """Whether there is something to measure for."""
    try:
        typed(answer, Verdict(""), names)
    except Judged:
        return False
    return True


def typed(answer: str, verdict: Verdict, names: Mapping[str, type]) -> dict[str, Any]:
    """The answer's values, each of its type; else the verdict says what is missing, and Judged is raised."""
    try:
        read = tomllib.loads(answer)
    except (tomllib.TOMLDecodeError, RecursionError) as error:
        verdict.expect(False, "", f"the answer cannot be read: {error}")
        raise Judged from error
    for name, kind in names.items():
        fits = type(read.get(name)) in ((int, float) if kind is float else (kind,))
        if not fits:
            words = {bool: "true or false", int: "a whole number", float: "a number"}[kind]
            verdict.expect(False, "", f"{name}: expected {words}, found {read.get(name, 'nothing')!r}")
    if verdict.checks:
        raise Judged
    return read


def judge_deprecated(evidence: Evidence, verdict: Verdict) -> None:
    """Exercise 4: what changes when all service addresses are deprecated."""
    said = typed(evidence.answer, verdict, DEPRECATED)
    found = came_to(whole_in(evidence))
    verdict.measured.update(found)
    for name in DEPRECATED:
        verdict.expect(
            said[name] == found[name],
            f"{name}: {found[name]}",
            f"{name}: predicted {said[name]}, measured {found[name]}",
        )


def came_to(seen: Deprecation) -> dict[str, Any]:
    """What was to be predicted, and the figures behind it."""
    turns = measured(seen.turns)
    number = RFC[seen.rule][0]
    before, after = ({cost.source for cost in costs} for costs in zip(*((p.one, p.other) for p in turns.measured)))
    return {
        "source_changes": after != before,
        "lookups": seen.lookups,
        "faster": turns.median(lambda pair: pair.one.send_us / pair.other.send_us) >= FASTER,
        "deciding_rule": int(number) if number.isdigit() else 0,  # 0: one of the kernel's own
        "bound_still_sends": seen.bound_from == service(REPORTED),
        "source": ", ".join(sorted(after)),
        "before_us": round(turns.median(lambda pair: pair.one.send_us)),
        "after_us": round(turns.median(lambda pair: pair.other.send_us)),
    }


def judge_many(evidence: Evidence, verdict: Verdict) -> None:
    """Exercise 5: what one packet takes with a number of addresses that is not in the plot."""
    said = typed(evidence.answer, verdict, MANY)
    seen: Crowd = whole_in(evidence)
    turns = measured(seen.turns)
    ratio = turns.median(lambda pair: pair.other.mean_us / pair.one.mean_us)
    sources = ", ".join(sorted({pair.other.source for pair in turns.measured}))
    verdict.measured.update(
        lookups=seen.lookups,
        questions=seen.questions,
        times_as_long=round(ratio, 1),
        one_us=round(turns.median(lambda pair: pair.one.send_us), 1),
        many_us=round(turns.median(lambda pair: pair.other.send_us), 1),
    )
    for name, counted in (("lookups", seen.lookups), ("questions", seen.questions)):
        verdict.expect(
            said[name] == counted, f"{name}: {counted}", f"{name}: predicted {said[name]}, counted {counted}"
        )
    off = max(said["times_as_long"], 1e-9) / ratio
    verdict.expect(
        1 / WITHIN <= off <= WITHIN,
        f"{ratio:.0f} times as long, predicted {said['times_as_long']:.0f}",
        f"times_as_long: predicted {said['times_as_long']:g}, measured {ratio:.0f}",
    )
    verdict.expect(sources == NODE, f"the source is {NODE}", f"the source is {sources}")
