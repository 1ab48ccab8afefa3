"""Does a reader's server deliver everything, at once, and at the cost it says? What the evidence of answers to
exercises 1 and 2 is held to."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from pathlib import Path

from core.judge.evidence import Evidence
from core.judge.expression import NoExpression, numbers
from core.judge.verdict import Judged, Verdict
from core.plain import Damaged
from labs.cases.splice_push import system_calls
from labs.cases.splice_push.pages import Call, of, pages
from labs.cases.splice_push.server import PATTERN
from labs.errors import CannotTry, CouldNotTell
from labs.judge.judging import seen_in
from labs.measure.bounds import bounds

# From a byte to a megabyte: less than a segment, a segment less a byte, a pipeful, and a byte more than that.
SIZES = (20_000, 1, 10, 1_447, 4_000, 12_345, 65_536, 65_537, 150_000, 300_000, 1_000_003)
AGAIN = (10, 20_000, 10)  # one after the other, on one connection
# At the same time, each on a connection of its own, as large as chance has it: one whose client stops reading in the
# middle, and while the server waits for it less than a segment, some pages, and some pipefuls.
STOPPED_BYTES = 1_000_003  # more than lies in a pipe, and in both sockets' buffers
TOGETHER = (range(STOPPED_BYTES, STOPPED_BYTES + 1), range(1, 1_448), range(4_097, 65_536), range(65_537, 150_000))
FIRST = range(1, 1 << 15)  # where in the pattern each may begin
PIPE_BYTES = 65_536  # PIPE_DEF_BUFFERS pages, include/linux/pipe_fs_i.h
TRIES = 3  # of an object that comes late
TRACED_BYTES = 150_000  # larger objects are hundreds of pages, and as many segments: strace has what is judged of them
MOST_LINES = 2_000  # of strace, that are kept of an object; of the first one all are
COSTS = ("CALLS", "COPIED_BYTES")
BOUNDS = bounds(Path(__file__).parent)
LATE_RATIO, LATE_MS, SLEPT_MS = BOUNDS["late_ratio"], BOUNDS["late_ms"], BOUNDS["slept_ms"]
HELD_UP_MS = BOUNDS["held_up_ms"]


@dataclass
class Object:
    """One that was asked for: what of it was missing at the deadline, after how long, the SHA-256 of what came, the
    calls of kernel functions on its connection, from its first byte on, and strace's lines while the answer sent it:
    those on the connection, and what copies or sleeps. `control_ms` is what the lab's own server took for the same,
    with the exact length; `held_up_ms` for how long the machine stood still; `tried_ms` what earlier tries took, which
    came late; `first` where in the pattern the object begins."""

    size: int
    missing_bytes: int
    took_ms: float
    sha256: str
    calls: list[Call] = field(default_factory=list)
    strace: list[str] = field(default_factory=list)
    control_ms: float = 0
    held_up_ms: float = 0
    tried_ms: list[float] = field(default_factory=list)
    first: int = 0

    @property
    def splices(self) -> int:
        return len(of(self.calls, "generic_splice_sendpage"))

    @property
    def on_connection(self) -> list[str]:
        """strace's lines of calls that are given the connection."""
        return [line for line in self.strace if system_calls.on_connection(line)]

    @property
    def slept_ms(self) -> float:
        """A short wait for a futex is for Python's own lock, which asks again every 5 ms."""
        slept = [(line, system_calls.lasted_ms(line)) for line in self.strace if system_calls.sleeps(line)]
        return sum(ms for line, ms in slept if ms > SLEPT_MS or not line.startswith("futex("))

    @property
    def copied_bytes(self) -> int:
        return sum(map(system_calls.copied_bytes, system_calls.without_zerocopy(self.strace)))


@dataclass
class Served:
    """What the server said if it did not start; else what the untouched one left out of its object, this one's objects
    in the order of SIZES, each on a connection of its own, those that another connection got one after the other, as
    far as it did, and those that several got at the same time, once a client had left in the middle."""

    refused: str = ""
    untouched_missing_bytes: int = 0
    objects: list[Object] = field(default_factory=list)
    again: list[Object] = field(default_factory=list)
    together: list[Object] = field(default_factory=list)

    @property
    def all(self) -> list[Object]:
        """Those that had the server for themselves, so that it can be said what was in time."""
        return [*self.objects, *self.again]

    @property
    def every(self) -> list[Object]:
        return [*self.all, *self.together]


def judge_exact(evidence: Evidence, verdict: Verdict) -> None:
    """Exercise 1: by splice(2), with the length of what there is."""
    seen = delivered(evidence, verdict)

    def each(fault: Callable[[Object], str], held: str) -> None:
        none_of(verdict, (fault(one) for one in seen.every if not one.missing_bytes), held)

    each(too_many_calls, "no more system calls on the connection than now")
    each(other_calls, "no call but splice(2) sends")
    each(not_spliced, "all went by splice(2)")
    each(too_many_splices, "a splice for each pipeful")
    each(greedy, "every splice asks for what the pipe holds")
    each(says_more, "the last splice of each does not say that more will come")


def too_many_calls(one: Object) -> str:
    calls, most = len(one.on_connection), pipefuls(one.size)
    return f"{calls} system calls on the connection for {one.size} bytes, where {most} is made now" * (calls > most)


def other_calls(one: Object) -> str:
    others = sorted({system_calls.name(line) for line in one.on_connection} - {"splice"})
    return f"{', '.join(others)}() instead of, or beside, splice(2)" if others else ""


def not_spliced(one: Object) -> str:
    """By strace, and by the kernel's own functions where those were traced."""
    moved = [sum(moved for _, moved in asked_and_moved(one))]
    if one.size <= TRACED_BYTES:
        moved.append(sum(page.size_bytes for page in pages(one.calls)))
    return "" if {*moved} == {one.size} else f"{min(moved)} of {one.size} bytes went by splice(2), expected all"


def too_many_splices(one: Object) -> str:
    count = max(one.splices, len(asked_and_moved(one)))
    if count <= pipefuls(one.size):
        return ""
    return f"{count} splices where {pipefuls(one.size)} pipefuls are sent: pages are pushed one by one"


def greedy(one: Object) -> str:
    found = [splice for splice in [*splices(one), *asked_and_moved(one)] if splice[0] > splice[1]]
    return f"a splice asks for more than the pipe holds: {found[0]} bytes" if found else ""


def says_more(one: Object) -> str:
    last = next((line for line in reversed(one.on_connection) if line.startswith("splice(")), "")
    if "SPLICE_F_MORE" not in last:
        return ""
    return f"{one.size} bytes: the last splice says SPLICE_F_MORE, and nothing follows: the end waits"


def pipefuls(size: int) -> int:
    """In how many parts an object goes through a pipe."""
    return -(-size // PIPE_BYTES)


def asked_and_moved(one: Object) -> list[tuple[int, int]]:
    """(bytes asked for, bytes moved) of each splice to the connection, by strace."""
    return [system_calls.lengths(line) for line in one.on_connection if line.startswith("splice(")]


def splices(one: Object) -> list[tuple[int, int]]:
    """The same, by the kernel's own functions."""
    found: list[list[int]] = []
    for call in of(one.calls, "generic_splice_sendpage", "do_tcp_sendpages"):
        if call.function == "generic_splice_sendpage":
            found.append([call.value, 0])
        elif found:
            found[-1][1] += call.value & 0xFFFFFFFF
    return [(asked, handed) for asked, handed in found]


def costs(answer: str) -> dict[str, int]:
    """By name what an answer says that it costs, as far as it does. Raises NoExpression if it is no Python."""
    said = numbers(answer)
    return {name: int(said[name]) for name in COSTS if name in said and said[name] == int(said[name])}


def judge_cost(evidence: Evidence, verdict: Verdict) -> None:
    """Exercise 2: not by the exact length, and the costs are as said."""
    try:
        said = costs(evidence.answer)
    except NoExpression as error:
        verdict.expect(False, "", f"the file is no Python: {error}")
        raise Judged from error
    missing = [name for name in COSTS if name not in said]
    if not verdict.expect(
        not missing,
        "the file says what it costs",
        f"the file has to say what it costs: no line `{' = …`, `'.join(missing)} = …`",
    ):
        raise Judged
    seen = delivered(evidence, verdict)
    none_of(verdict, map(exact, seen.every), "splice(2) is not given the exact length")
    first = seen.objects[0]
    verdict.measured.update(calls=first.strace, copied_bytes=first.copied_bytes)
    for name, found in zip(COSTS, (len(first.on_connection), first.copied_bytes)):
        verdict.expect(
            said[name] == found, f"{name} = {found}", f"{name} is {said[name]} in the file, and {found} by strace"
        )


def exact(one: Object) -> str:
    """What the last splice asks for decides. For whole pipefuls a number may fit that fits no other object."""
    last = next(((asked, moved) for asked, moved in reversed(asked_and_moved(one)) if moved > 0), None)
    if not last or last[0] != last[1] or one.size % PIPE_BYTES == 0:
        return ""
    return f"splice(2) is given the exact length for {one.size} bytes, which is exercise 1's way"


def none_of(verdict: Verdict, faults: Iterable[str], held: str) -> None:
    """One check: the first of these sentences, if there are any, and how many more."""
    found = [fault for fault in faults if fault]
    more = f" (and {len(found) - 1} more like it)" if len(found) > 1 else ""
    verdict.expect(not found, held, f"{found[0]}{more}" if found else "")


def delivered(evidence: Evidence, verdict: Verdict) -> Served:
    """Every object, requested of the answer on the broken kernel. What is missing or comes late is judged."""
    seen: Served = seen_in(evidence)
    if seen.refused:
        verdict.expect(False, "", f"the server does not start: {seen.refused}")
        raise Judged
    if [one.size for one in seen.objects] != [*SIZES] or [one.size for one in seen.again] != [*AGAIN][
        : len(seen.again)
    ]:
        raise Damaged(f"expected objects of {', '.join(map(str, SIZES))} bytes")
    if not told_apart(seen.together):
        raise Damaged(f"expected {len(TOGETHER)} objects at the same time, each another part of the pattern")
    if not seen.untouched_missing_bytes:
        raise CannotTry("the untouched server delivers everything: nothing can be judged", "./lab run splice-push")
    none_of(verdict, map(missing, seen.objects), f"every byte of {len(SIZES)} objects came, up to {max(SIZES)} bytes")
    none_of(verdict, map(another, seen.all), "what came is each time the object")
    none_of(verdict, map(timers, seen.all), "no timer had to help")
    none_of(verdict, map(unfinished, seen.all), "no system call hangs")
    none_of(verdict, map(asleep, seen.all), "nothing sleeps before an object is sent")
    none_of(verdict, map(late, seen.all), "each came about as soon as with the exact length")
    answered = [one for one in seen.again if not one.missing_bytes]
    verdict.expect(
        len(answered) == len(AGAIN),
        "the connection answers a second request, and a third",
        "expected the connection to answer a second request, and a third, found no answer",
    )
    none_of(
        verdict,
        map(mixed_up, seen.together),
        f"{len(TOGETHER)} clients at the same time get each its object, though one stops reading and another had left",
    )
    return seen


def told_apart(together: list[Object]) -> bool:
    """Whether what was asked for at the same time is all there, and no two objects are alike."""
    fit = [one.size in sizes and one.first in FIRST for one, sizes in zip(together, TOGETHER)]
    return len(fit) == len(together) == len(TOGETHER) == len({one.first for one in together}) and all(fit)


def mixed_up(one: Object) -> str:
    fault = missing(one) or another(one)
    return f"with several clients at the same time, {fault}" if fault else ""


def missing(one: Object) -> str:
    if not one.missing_bytes:
        return ""
    return f"of {one.size} bytes {one.missing_bytes} are missing after {one.took_ms:.0f} ms"


def another(one: Object) -> str:
    if one.missing_bytes or one.sha256 == hashlib.sha256(PATTERN[one.first :][: one.size]).hexdigest():
        return ""
    return f"what came is not the object of {one.size} bytes"


def timers(one: Object) -> str:
    late = len(of(one.calls, "tcp_write_wakeup"))
    return f"{one.size} bytes: the probe timer had to help {late} times" if late else ""


def unfinished(one: Object) -> str:
    found = [line for line in one.strace if line.endswith(system_calls.UNFINISHED)]
    return f"{one.size} bytes: {system_calls.name(found[0])}() does not return" if found else ""


def asleep(one: Object) -> str:
    if one.slept_ms <= SLEPT_MS:
        return ""
    return f"{one.size} bytes: the server sleeps for {one.slept_ms:.0f} ms while it has them to send"


def enough_ms(control_ms: float) -> float:
    """How long an object may take that took the lab's own server so long."""
    return max(LATE_MS, LATE_RATIO * control_ms)


def late(one: Object) -> str:
    """By the control in the same run, at each try. A machine that stood still, or tries that differ, say nothing."""
    most_ms = enough_ms(one.control_ms)
    if one.missing_bytes:
        return ""
    took_ms = ", ".join(f"{ms:.0f}" for ms in (*one.tried_ms, one.took_ms))
    if one.took_ms <= most_ms:
        if one.tried_ms:
            raise CouldNotTell(f"{one.size} bytes came after {took_ms} ms, late and then in time")
        return ""
    if one.held_up_ms > HELD_UP_MS:
        raise CouldNotTell(f"the machine stood still for {one.held_up_ms:.0f} ms while {one.size} bytes were sent")
    return f"{one.size} bytes came after {took_ms} ms, expected {most_ms:.0f} at most"
