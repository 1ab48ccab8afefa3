"""Does a reader's program tell A's way from B's? What the evidence of an answer to exercise 5 is held to."""

from dataclasses import dataclass, field
from functools import partial

from core.judge.evidence import Evidence
from core.judge.report import Event, Program, compare, require_program_ran
from core.judge.verdict import Verdict
from core.serialization import Damaged
from labs.errors import TOLD_APART, CannotTry, CouldNotTell
from labs.judge.judging import LACKS_A_PART, Judge, observation

AT_ONCE, DEFERRED = 0, 1


@dataclass
class MtuReductions:
    """The reader's program, and by which way each run of tcp_v4_mtu_reduced() came: on which connection, AT_ONCE or
    DEFERRED. For each the thread that was `current`, the address of who had told (`tellers`), how many segments were
    `in_flight`, whether the socket was `owned`, and whether it was `released` since the run before. One thread is the
    `sender` on all connections."""

    program: Program
    truth: list[Event] = field(default_factory=list)
    current: list[int] = field(default_factory=list)
    sender: int | None = None
    tellers: list[str] = field(default_factory=list)
    in_flight: list[int] = field(default_factory=list)
    owned: list[bool] = field(default_factory=list)  # in what was kept earlier, there are none
    released: list[bool] = field(default_factory=list)  # nor these

    def looks(self, number: int) -> tuple[str, int, int]:
        """All by which a program may take the one way for the other."""
        return self.tellers[number], self.in_flight[number], self.current[number]


def judge(evidence: Evidence, verdict: Verdict) -> None:
    """Exercise 5: every run of tcp_v4_mtu_reduced() is reported once, and with the right way."""
    seen: MtuReductions = observation(evidence)
    require_program_ran(verdict, seen.program)
    each = {len(part) for part in (seen.truth, seen.current, seen.tellers, seen.in_flight)}
    later = [len(part) for part in (seen.owned, seen.released) if part]
    if len(each) > 1 or seen.sender is None or not each.issuperset(later):
        raise Damaged(LACKS_A_PART)
    tell_apart(seen)
    compare_reports(verdict, seen.truth, seen.program.told)
    if seen.owned == [event.value == DEFERRED for event in seen.truth]:
        say_by_owner(verdict)


def tell_apart(seen: MtuReductions) -> None:
    """What has happened has to tell a right program from one that goes by something else."""
    ways = {event.value for event in seen.truth}
    if ways != {AT_ONCE, DEFERRED}:
        raise CannotTry(f"the kernel took only {len(ways)} of the two ways", "the same call again", TOLD_APART)
    at_once = [number for number, event in enumerate(seen.truth) if event.value == AT_ONCE]
    if not any(seen.current[number] == seen.sender for number in at_once):
        raise CouldNotTell("the sender was never at work on the processor to which a message came", "sender-at-work")
    deferred = [number for number, event in enumerate(seen.truth) if event.value == DEFERRED]
    if not {*map(seen.looks, at_once)} & {*map(seen.looks, deferred)}:
        raise CouldNotTell(
            "no message that was acted on at once was like one that was deferred: from the same address, "
            "with as much in flight, and on top of the same thread",
            "both-ways-alike",
        )
    for one, other in ((at_once, deferred), (deferred, at_once)):
        if not any(seen.truth[a].connection == seen.truth[b].connection for a in one for b in other if a < b):
            raise CouldNotTell("no connection has gone both ways, one after the other", "both-ways-on-one")
    if seen.released and not any(map(partial(unreleased, seen), at_once)):
        raise CouldNotTell(
            "no message was acted on at once after one that was deferred, with nobody at work on the socket between",
            "no-release-between",
        )


def unreleased(seen: MtuReductions, number: int) -> bool:
    """Whether the run before this one, of its connection, was deferred, and nobody has released the socket since."""
    before = [event for event in seen.truth[:number] if event.connection == seen.truth[number].connection]
    return bool(before) and before[-1].value == DEFERRED and not seen.released[number]


def compare_reports(verdict: Verdict, truth: list[Event], reported: list[Event]) -> None:
    """What was reported against what the stacks say."""
    names = {AT_ONCE: "at once (0)", DEFERRED: "deferred (1)"}

    def fault(number: int) -> str:
        was, said = truth[number], reported[number].value
        return f"connection {was.connection}: told {names.get(said, said)}, was {names[was.value]}"

    compare(
        verdict,
        truth,
        reported,
        "events, one for each run of tcp_v4_mtu_reduced()",
        f"tcp_v4_mtu_reduced() ran {len(truth)} times",
        "every event tells the right way",
        fault,
    )


def say_by_owner(verdict: Verdict) -> None:
    """Says that a program which goes by sk_lock.owned is right here, as it is not on the book's kernel."""
    verdict.expect(
        "told-by-owner-too",
        True,
        "in this kernel tcp_release_cb() keeps the socket while it calls: sk_lock.owned tells the two ways apart, too",
        "",
    )


JUDGE = Judge(MtuReductions, judge)
