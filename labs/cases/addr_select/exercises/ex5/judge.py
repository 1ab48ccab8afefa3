"""Does the prediction of a packet's cost hold? What the table of exercise 5 is held to."""

from dataclasses import dataclass

from core.judge.check import FOUND, named
from core.judge.evidence import Evidence
from core.judge.verdict import Verdict
from labs.cases.addr_select.costs import BOUNDS, Pair, measured
from labs.cases.addr_select.names import NODE
from labs.cases.addr_select.prediction import typed
from labs.judge.judging import Judge, complete_observation

# What an answer has to say, and of what type it is.
MANY = {"lookups": int, "questions": int, "times_as_long": float}
WITHIN = BOUNDS["within_ratio"]


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


def judge(evidence: Evidence, verdict: Verdict) -> None:
    """Exercise 5: what one packet takes with a number of addresses that is not in the plot."""
    said = typed(evidence.answer, verdict, MANY)
    seen: Crowd = complete_observation(evidence)
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
            named(name),
            said[name] == counted,
            f"{name}: {counted}",
            f"{name}: predicted {said[name]}, counted {counted}",
        )
    off = max(said["times_as_long"], 1e-9) / ratio
    verdict.expect(
        "times-as-long",
        1 / WITHIN <= off <= WITHIN,
        f"times_as_long: {ratio:.0f}, predicted {said['times_as_long']:.0f}",
        f"times_as_long: predicted {said['times_as_long']:g}, measured {ratio:.0f}",
        expected=f"{ratio / WITHIN:.0f} to {ratio * WITHIN:.0f}",
        says=FOUND,
    )
    verdict.expect("own-source", sources == NODE, f"the source is {NODE}", f"the source is {sources}")


JUDGE = Judge(Crowd, judge)
