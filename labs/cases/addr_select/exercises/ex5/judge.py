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
    # By all sends of a turn, and by the fastest, of which the plot is made: other work adds to the first in either
    # network, and to many short sends more than to few long ones; the second leaves it out in the short ones alone.
    mean = turns.median(lambda pair: pair.other.mean_us / pair.one.mean_us)
    fastest = turns.median(lambda pair: pair.other.send_us / pair.one.send_us)
    least, most = min(mean, fastest) / WITHIN, max(mean, fastest) * WITHIN
    sources = ", ".join(sorted({pair.other.source for pair in turns.measured}))
    verdict.measured.update(
        lookups=seen.lookups,
        questions=seen.questions,
        times_as_long=round(mean, 1),
        fastest_times_as_long=round(fastest, 1),
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
    times = f"{mean:.0f} by the mean of the sends, {fastest:.0f} by the fastest"
    verdict.expect(
        "times-as-long",
        least <= said["times_as_long"] <= most,
        f"times_as_long: predicted {said['times_as_long']:.0f}, measured {times}",
        f"times_as_long: predicted {said['times_as_long']:g}, measured {times}",
        expected=f"{least:.0f} to {most:.0f}",
        says=FOUND,
    )
    verdict.expect("own-source", sources == NODE, f"the source is {NODE}", f"the source is {sources}")


JUDGE = Judge(Crowd, judge)
