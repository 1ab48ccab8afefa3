"""Does a reader's program tell which rule decided? What the evidence of an answer to exercise 6 is held to."""

from __future__ import annotations

import itertools
import operator
from collections.abc import Callable
from dataclasses import dataclass, field

from core.judge.check import named
from core.judge.evidence import Evidence
from core.judge.report import Event, Program, compare, ran
from core.judge.verdict import Verdict
from core.plain import Damaged
from labs.errors import TOLD_APART, CannotTry, CouldNotTell
from labs.judge.judging import LACKS_A_PART, Judge, seen_in

RULES = 6  # one after the other, in each choice another one decides
AT_ONCE = 2  # pairs of choices by other rules that have to have been made at the same time, by threads of either kind
# How far apart the ids of two threads are: neighbours, or the same in their last 14 bits and their last three digits.
NEAR, FAR = 1, 1000 << 11
# In what part, so that a program which keeps no more of an id takes two threads for one.
ALIKE: dict[str, Callable[[int, int], bool]] = {
    "but for their last bit": lambda one, other: one ^ other == NEAR,
    "at their end": lambda one, other: (one - other) % FAR == 0,
}


@dataclass
class Choice:
    """One that the kernel made: the rule that decided, by its number and its name in the kernel, and the address; by
    which thread, and when the first question was answered and when the last."""

    number: int
    rule: str
    address: str
    thread: str
    first_s: float
    last_s: float

    def meets(self, other: Choice) -> bool:
        """Whether both were made at the same time, and another rule decided."""
        together = self.first_s < other.last_s and other.first_s < self.last_s
        return together and self.thread != other.thread and self.number != other.number


@dataclass
class Choices:
    """The reader's program, the choices that were made, and the ids of the threads that made them, by their names."""

    program: Program
    made: list[Choice] = field(default_factory=list)
    threads: dict[str, int] = field(default_factory=dict)


def judge(evidence: Evidence, verdict: Verdict) -> None:
    """Exercise 6: each choice is reported once, by its thread, with the number of the rule that decided."""
    seen: Choices = seen_in(evidence)
    ran(verdict, seen.program)
    tell_apart(seen)
    hold(verdict, seen.made, seen.program.told)


def tell_apart(seen: Choices) -> None:
    """What has happened has to tell a right program from one that takes a rule, or a thread, for another."""
    decided = sorted({one.number for one in seen.made})
    if len(decided) < RULES:
        raise CannotTry(f"expected six rules to decide, found {decided}", "the same call again", TOLD_APART)
    if {one.thread for one in seen.made} - {*seen.threads}:
        raise Damaged(LACKS_A_PART)
    meeting = [(one, other) for one, other in itertools.combinations(seen.made, 2) if one.meets(other)]
    ids = [(seen.threads[one.thread], seen.threads[other.thread]) for one, other in meeting]
    for how, alike in ALIKE.items():
        if (count := sum(alike(*pair) for pair in ids)) < AT_ONCE:
            raise CouldNotTell(
                f"{count} pairs of choices were made at the same time by threads with ids that agree {how}, "
                f"expected {AT_ONCE} at least",
                f"threads-{named(how)}",
            )


def hold(verdict: Verdict, made: list[Choice], told: list[Event]) -> None:
    """What was reported against what our own trace says."""
    made = sorted(made, key=operator.attrgetter("thread"))  # a thread's in their order
    told = sorted(told, key=operator.attrgetter("connection"))

    def fault(number: int) -> str:
        one = made[number]
        said = told[number]
        return (
            f"choice {number + 1}, of {one.thread}: told {said.value} of {said.connection}, was {one.number} "
            f"({one.rule}, {one.address})"
        )

    compare(
        verdict,
        [Event(one.thread, one.number) for one in made],
        told,
        "reports, one for each choice",
        f"{len(made)} choices were made",
        "every report names the rule",
        fault,
    )


JUDGE = Judge(Choices, judge)
