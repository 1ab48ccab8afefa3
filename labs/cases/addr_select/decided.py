"""Does a reader's program tell which rule decided? What the evidence of an answer to exercise 6 is held to."""

from __future__ import annotations

from dataclasses import dataclass, field

from labs.errors import CannotTry
from labs.judge.evidence import Evidence
from labs.judge.judging import seen_in
from labs.judge.report import Event, Program, compare, ran
from labs.judge.verdict import Verdict

CHOICES = 6  # in each another rule decides


@dataclass
class Choice:
    """One that the kernel made: the rule that decided, by its number and its name in the kernel, and the address."""

    number: int
    rule: str
    address: str


@dataclass
class Choices:
    """The reader's program, and the choices that were made."""

    program: Program
    made: list[Choice] = field(default_factory=list)


def judge_deciding(evidence: Evidence, verdict: Verdict) -> None:
    """Exercise 6: each choice is reported once, with the number of the rule that decided."""
    seen: Choices = seen_in(evidence)
    ran(verdict, seen.program)
    hold(verdict, seen.made, seen.program.told)


def hold(verdict: Verdict, made: list[Choice], told: list[Event]) -> None:
    """What was reported against what our own trace says."""
    decided = sorted({one.number for one in made})
    if len(decided) < CHOICES:
        raise CannotTry(f"expected six rules to decide, found {decided}", "the same call again")

    def fault(number: int) -> str:
        one = made[number]
        return f"choice {number + 1}: told {told[number].value}, was {one.number} ({one.rule}, {one.address})"

    compare(
        verdict,
        [Event("", one.number) for one in made],
        told,
        "reports, one for each choice",
        f"{len(made)} choices were made",
        "every report names the rule",
        fault,
    )
