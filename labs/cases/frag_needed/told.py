"""Does a reader's program tell A's way from B's? What the evidence of an answer to exercise 5 is held to."""

from __future__ import annotations

from dataclasses import dataclass, field

from labs.errors import CannotTry
from labs.judge.evidence import Evidence
from labs.judge.judging import seen_in
from labs.judge.report import Event, Program, compare, ran
from labs.judge.verdict import Verdict

AT_ONCE, DEFERRED = 0, 1


@dataclass
class Ways:
    """The reader's program, and by which way each run of tcp_v4_mtu_reduced() came: on which connection, AT_ONCE or
    DEFERRED."""

    program: Program
    truth: list[Event] = field(default_factory=list)


def judge_telling(evidence: Evidence, verdict: Verdict) -> None:
    """Exercise 5: every run of tcp_v4_mtu_reduced() is reported once, and with the right way."""
    seen: Ways = seen_in(evidence)
    ran(verdict, seen.program)
    hold(verdict, seen.truth, seen.program.told)


def hold(verdict: Verdict, truth: list[Event], told: list[Event]) -> None:
    """What was reported against what the stacks say."""
    ways = {event.value for event in truth}
    if ways != {AT_ONCE, DEFERRED}:
        raise CannotTry(f"the kernel took only {len(ways)} of the two ways", "the same call again")
    names = {AT_ONCE: "at once (0)", DEFERRED: "deferred (1)"}

    def fault(number: int) -> str:
        was, said = truth[number], told[number].value
        return f"connection {was.connection}: told {names.get(said, said)}, was {names[was.value]}"

    compare(
        verdict,
        truth,
        told,
        "events, one for each time",
        f"tcp_v4_mtu_reduced() ran {len(truth)} times",
        "every event tells the right way",
        fault,
    )
