"""Does a reader's program tell which rule decided? What the evidence of an answer to exercise 6 is held to."""

from __future__ import annotations

import itertools
import operator
from dataclasses import dataclass, field

from core.judge.evidence import Evidence
from core.judge.report import Event, Program, compare, ran
from core.judge.verdict import Verdict
from labs.errors import CannotTry, CouldNotTell
from labs.judge.judging import seen_in

RULES = 6  # one after the other, in each choice another one decides
AT_ONCE = 2  # pairs of choices by other rules that have to have been made at the same time


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
    """The reader's program, and the choices that were made."""

    program: Program
    made: list[Choice] = field(default_factory=list)


def judge_deciding(evidence: Evidence, verdict: Verdict) -> None:
    """Exercise 6: each choice is reported once, by its thread, with the number of the rule that decided."""
    seen: Choices = seen_in(evidence)
    ran(verdict, seen.program)
    hold(verdict, seen.made, seen.program.told)


def hold(verdict: Verdict, made: list[Choice], told: list[Event]) -> None:
    """What was reported against what our own trace says."""
    decided = sorted({one.number for one in made})
    if len(decided) < RULES:
        raise CannotTry(f"expected six rules to decide, found {decided}", "the same call again")
    if (meeting := sum(one.meets(other) for one, other in itertools.combinations(made, 2))) < AT_ONCE:
        raise CouldNotTell(f"{meeting} pairs of choices were made at the same time, expected {AT_ONCE} at least")
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
