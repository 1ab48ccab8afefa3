"""Does a reader's tracing program load, and is what it reports true?"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from core.judge.verdict import Verdict, VerdictFinal


@dataclass(frozen=True)
class Event:
    """An event that was reported, or that happened: on which connection (empty if there is one only), and its value."""

    connection: str
    value: int


@dataclass
class Program:
    """A reader's program: the compiler's or the kernel's words if it was `refused`, how it `lost` events if it did, and
    what it `told`, in the order of time."""

    refused: str = ""
    lost: str = ""
    told: list[Event] = field(default_factory=list)


def require_program_ran(verdict: Verdict, program: Program) -> None:
    """Fail a program that does not compile or load, or that loses events, by that alone."""
    if program.refused:
        verdict.fail("loads", "a program that loads", f"the program does not load: {program.refused}")
        raise VerdictFinal
    if program.lost:
        found = f"the program reports more than can be read: {program.lost}"
        verdict.fail("read-in-time", "no more reports than can be read", found)
        raise VerdictFinal


def compare(
    verdict: Verdict,
    truth: Sequence[Event],
    reported: Sequence[Event],
    one_each: str,
    happened: str,
    right: str,
    fault: Callable[[int], str],
) -> None:
    """Compare what was `reported` with what was true, both in the order of time: as many, and each the same.

    The sentences: "7 " and `one_each`, or "6 events were reported, and " and `happened`; `right`, or how many are
    reported wrong and of the first of them `fault`, which is given its index.
    """
    verdict.measured.update(truth=shown(truth), told=shown(reported))
    verdict.expect(
        "one-report-each",
        len(reported) == len(truth),
        f"{len(truth)} {one_each}",
        f"{len(reported)} events were reported, and {happened}",
    )
    wrong = [number for number, (was, said) in enumerate(zip(truth, reported)) if was != said]
    verdict.expect(
        "reports-right",
        bool(reported) and not wrong,
        right,
        f"{len(wrong)} of {len(truth)} are reported wrong; {fault(wrong[0]) if wrong else 'nothing was told'}",
    )


def shown(events: Sequence[Event]) -> list[int | tuple[str, int]]:
    """Events for `measured`: their values, with their connections where there are any."""
    return [(event.connection, event.value) if event.connection else event.value for event in events]
