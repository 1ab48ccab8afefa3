"""Does the prediction of what a deprecation changes hold? What the table of exercise 4 is held to."""

from dataclasses import dataclass
from typing import Any

from core.judge.check import named
from core.judge.evidence import Evidence
from core.judge.verdict import Verdict
from labs.cases.addr_select.costs import BOUNDS, Pair, measured
from labs.cases.addr_select.names import REPORTED, service
from labs.cases.addr_select.prediction import typed
from labs.cases.addr_select.rules import RFC
from labs.judge.judging import Judge, complete_observation

# What an answer has to say, and of what type it is.
DEPRECATED = {"source_changes": bool, "faster": bool, "lookups": int, "deciding_rule": int, "bound_still_sends": bool}
FASTER = BOUNDS["deprecated_ratio"]


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


def judge(evidence: Evidence, verdict: Verdict) -> None:
    """Exercise 4: what changes when all service addresses are deprecated."""
    said = typed(evidence.answer, verdict, DEPRECATED)
    found = came_to(complete_observation(evidence))
    verdict.measured.update(found)
    for name in DEPRECATED:
        verdict.expect(
            named(name),
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


JUDGE = Judge(Deprecation, judge)
