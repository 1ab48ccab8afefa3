"""Does a reader's server deliver everything, and at once? What answers to exercises 1 and 2 are both held to."""

import hashlib
from dataclasses import dataclass, field
from pathlib import Path

from core.judge.check import EXPECTED_FOUND
from core.judge.evidence import Evidence
from core.judge.verdict import Verdict, VerdictFinal
from core.serialization import Damaged
from labs.cases.splice_push.delivery import system_calls
from labs.cases.splice_push.pages import Call, of
from labs.cases.splice_push.server import PATTERN
from labs.errors import FAULT, RAN_ON, CannotTry
from labs.judge.judging import abstain, excusing_ms, none_of, observation
from labs.measure.bounds import bounds

# From a byte to a megabyte: less than a segment, a segment less a byte, a pipeful, and a byte more than that.
SIZES = (20_000, 1, 10, 1_447, 4_000, 12_345, 65_536, 65_537, 150_000, 300_000, 1_000_003)
AGAIN = (10, 20_000, 10)  # one after the other, on one connection
# At the same time, each on a connection of its own, as large as chance has it: one whose client stops reading in the
# middle, and while the server waits for it less than a segment, some pages, and some pipefuls.
STOPPED_BYTES = 1_000_003  # more than lies in a pipe, and in both sockets' buffers
TOGETHER = (range(STOPPED_BYTES, STOPPED_BYTES + 1), range(1, 1_448), range(4_097, 65_536), range(65_537, 150_000))
FIRST = range(1, 1 << 15)  # where in the pattern each may begin
TRIES = 3  # of an object that comes late
TRACED_BYTES = 150_000  # larger objects are hundreds of pages, and as many segments: strace has what is judged of them
# Once more, at the end: two small ones and two large. What is kept to be used again is there by then.
MORE, OF_A_KIND = (1, 4_000, 65_537, 300_000), 2
MOST_LINES = 2_000  # of strace, that are kept of an object; of the first one all are
BOUNDS = bounds(Path(__file__).parent.parent)
LATE_RATIO, LATE_MS, SLEPT_MS = BOUNDS["late_ratio"], BOUNDS["late_ms"], BOUNDS["slept_ms"]
HELD_UP_MS = BOUNDS["held_up_ms"]
EXCUSING_MS = excusing_ms(1.0)  # the least that an object has to come in (DEADLINE_S in workload.py)
IN_TIME, NO_SLEEP = "in-time", "no-sleep"  # ids of checks


@dataclass
class Object:
    """An object that was asked for: what of it was missing at the deadline (less than 0 where more came), after how
    long, the SHA-256 of what came, the calls of kernel functions on its connection, from its first byte on, and
    strace's lines while the answer sent it: those on the connection, and what copies or sleeps. `control_ms` is what
    the lab's own server took for the same, with the exact length; `held_up_ms` for how long the machine stood still;
    `tried_ms` what earlier tries took, which came late or after a sleep, and `tried_slept_ms` how long the server slept
    in these; `first` where in the pattern the object begins."""

    size: int
    missing_bytes: int
    took_ms: float
    sha256: str
    calls: list[Call] = field(default_factory=list)
    strace: list[str] = field(default_factory=list)
    control_ms: float = 0
    held_up_ms: float = 0
    tried_ms: list[float] = field(default_factory=list)
    tried_slept_ms: list[float] = field(default_factory=list)
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
        return slept_ms(self.strace)

    @property
    def copied_bytes(self) -> int:
        return sum(map(system_calls.copied_bytes, system_calls.without_zerocopy(self.strace)))


def slept_ms(strace: list[str]) -> float:
    """How long a server slept, by strace's lines. A short wait for a futex is for Python's own lock, which asks again
    every 5 ms."""
    slept = [(line, system_calls.lasted_ms(line)) for line in strace if system_calls.sleeps(line)]
    return sum(ms for line, ms in slept if ms > SLEPT_MS or not line.startswith("futex("))


@dataclass
class Held:
    """Descriptors that a server has open, and its threads, beside those of its connections; or how many more than
    before."""

    descriptors: int = 0
    threads: int = 0

    def more_than(self, before: "Held") -> "Held":
        return Held(self.descriptors - before.descriptors, self.threads - before.threads)

    def grows_with(self, objects: int) -> str:
        """Say that something was left behind for each of so many objects; empty if that is not so. What is kept to be
        used again does not grow with them."""
        for count, kind in ((self.descriptors, "descriptors"), (self.threads, "threads")):
            if count >= objects:
                return f"{count} {kind} more than before, once {objects} objects have been sent"
        return ""


@dataclass
class Served:
    """What the server said if it did not start; else what the untouched one left out of its object, this one's objects
    in the order of SIZES, each on a connection of its own, those that another connection got one after the other, as
    far as it did, those that several got at the same time, once a client had left in the middle, and what the server
    held more than behind the first of these once they had been sent, and what more once MORE had been: neither is in
    what was kept earlier."""

    refused: str = ""
    untouched_missing_bytes: int = 0
    objects: list[Object] = field(default_factory=list)
    again: list[Object] = field(default_factory=list)
    together: list[Object] = field(default_factory=list)
    left: Held | None = None
    left_by_more: Held | None = None

    @property
    def all(self) -> list[Object]:
        """The objects that had the server for themselves, so that it can be said what was in time."""
        return [*self.objects, *self.again]

    @property
    def every(self) -> list[Object]:
        return [*self.all, *self.together]


def asked_and_moved(one: Object) -> list[tuple[int, int]]:
    """(bytes asked for, bytes moved) of each splice to the connection, by strace."""
    return [system_calls.lengths(line) for line in one.on_connection if line.startswith("splice(")]


def delivered(evidence: Evidence, verdict: Verdict) -> Served:
    """Every object, requested of the answer on the broken kernel. What is missing or comes late is judged, and what is
    `untold` is for the exercise to abstain by, once it has asked all else."""
    seen: Served = observation(evidence)
    if seen.refused:
        verdict.fail("starts", "a server that starts", f"the server does not start: {seen.refused}")
        raise VerdictFinal
    if [one.size for one in seen.objects] != [*SIZES] or [one.size for one in seen.again] != [*AGAIN][
        : len(seen.again)
    ]:
        raise Damaged(f"expected objects of {', '.join(map(str, SIZES))} bytes")
    if not told_apart(seen.together):
        raise Damaged(f"expected {len(TOGETHER)} objects at the same time, each another part of the pattern")
    if not seen.untouched_missing_bytes:
        reason = "the untouched server delivers everything: nothing can be judged"
        raise CannotTry(reason, "./lab run splice-push", FAULT)
    objects, together = known(seen.objects), known(seen.together)
    every = f"every byte of {len(objects)} objects came, up to {max(SIZES)} bytes"
    none_of(verdict, "delivered", map(missing, objects), every)
    none_of(verdict, "same-bytes", map(another, seen.all), "what came is, each time, the object that was asked for")
    none_of(verdict, "no-timer", map(timers, seen.all), "no timer had to help an object along")
    none_of(verdict, "calls-return", map(unfinished, seen.all), "every system call returns")
    slept, came_late = [*map(asleep, seen.all)], [*map(late, seen.all)]
    if any(slept) or not any(asleep_once(one) or asleep_amid_a_stop(one) for one in seen.all):
        none_of(verdict, NO_SLEEP, slept, "nothing sleeps before an object is sent")
    if any(came_late) or not any(late_amid_a_stop(one) or late_once(one) for one in seen.all):
        none_of(verdict, IN_TIME, came_late, "each object came about as soon as with the exact length")
    answered = [one for one in seen.again if one.missing_bytes <= 0]
    if known(seen.again) == seen.again:
        verdict.expect(
            "answers-again",
            len(answered) == len(AGAIN),
            "the connection answers a second request, and a third",
            "no answer",
            expected="the connection to answer a second request, and a third",
            says=EXPECTED_FOUND,
        )
    if seen.left and not any(one.missing_bytes > 0 for one in seen.objects):
        left = [seen.left.grows_with(len(seen.objects) - 1)]
        if seen.left_by_more:
            left.append(seen.left_by_more.grows_with(OF_A_KIND))
        none_of(verdict, "leaves-nothing", left, "no descriptor and no thread is left behind for an object")
    none_of(
        verdict,
        "several-clients",
        map(mixed_up, together),
        f"{len(together)} clients at the same time get each its object, though one stops reading and another had left",
    )
    return seen


def told_apart(together: list[Object]) -> bool:
    """Whether what was asked for at the same time is all there, and no two objects are alike."""
    fit = [one.size in sizes and one.first in FIRST for one, sizes in zip(together, TOGETHER)]
    return len(fit) == len(together) == len(TOGETHER) == len({one.first for one in together}) and all(fit)


def known(objects: list[Object]) -> list[Object]:
    """Those of which it is known what became of them."""
    return [one for one in objects if not untold(one)]


def untold(one: Object) -> str:
    """Say that a part is missing because a stop of the machine may have delayed it; empty if that is not so."""
    return stood_still(one) if one.missing_bytes > 0 and one.held_up_ms > EXCUSING_MS else ""


def stood_still(one: Object) -> str:
    return f"the machine stood still for {one.held_up_ms:.0f} ms while {one.size} bytes were sent"


def mixed_up(one: Object) -> str:
    fault = missing(one) or another(one)
    return f"with several clients at the same time, {fault}" if fault else ""


def missing(one: Object) -> str:
    if one.missing_bytes <= 0:
        return ""
    return f"of {one.size} bytes {one.missing_bytes} are missing after {one.took_ms:.0f} ms"


def another(one: Object) -> str:
    if one.missing_bytes < 0:
        return f"{-one.missing_bytes} bytes more than the object of {one.size} bytes came"
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
    """Say that the server slept at each try, and for longer than the machine stood still."""
    if one.slept_ms <= SLEPT_MS or one.slept_ms - one.held_up_ms <= SLEPT_MS:
        return ""
    each_ms = _each(one.tried_slept_ms, one.slept_ms)
    return f"{one.size} bytes: the server sleeps for {each_ms} ms while it has them to send"


def asleep_once(one: Object) -> str:
    """Say that the server slept at one try and not at the last; empty if that is not so. It says nothing: on a busy
    machine, a call that sleeps for no time at all may be woken late."""
    if one.slept_ms > SLEPT_MS or not any(ms > SLEPT_MS for ms in one.tried_slept_ms):
        return ""
    each_ms = _each(one.tried_slept_ms, one.slept_ms)
    return f"{one.size} bytes: the server slept for {each_ms} ms, at one try and not at another"


def asleep_amid_a_stop(one: Object) -> str:
    """Say that the machine stood still for as long as the server slept, who may have waited for a lock for a moment;
    empty if that is not so."""
    return stood_still(one) if one.slept_ms > SLEPT_MS >= one.slept_ms - one.held_up_ms else ""


def enough_ms(control_ms: float) -> float:
    """How long an object may take that took the lab's own server so long."""
    return max(LATE_MS, LATE_RATIO * control_ms)


def is_late(one: Object) -> bool:
    """Whether an object that is there came late, by the control in the same run."""
    return not one.missing_bytes and one.took_ms > enough_ms(one.control_ms)


def late(one: Object) -> str:
    """Say that an object came late at each try, while the machine did not stand still."""
    if not is_late(one) or one.held_up_ms > HELD_UP_MS:
        return ""
    most_ms = enough_ms(one.control_ms)
    return f"{one.size} bytes came after {_each(one.tried_ms, one.took_ms)} ms, expected {most_ms:.0f} at most"


def amid_a_stop(one: Object) -> str:
    """Say that the machine stood still while an object was late, or while the server slept; empty if that is not so."""
    return late_amid_a_stop(one) or asleep_amid_a_stop(one)


def late_amid_a_stop(one: Object) -> str:
    """Say that the machine stood still while an object was late; empty if that is not so."""
    return stood_still(one) if is_late(one) and one.held_up_ms > HELD_UP_MS else ""


def late_once(one: Object) -> str:
    """Say that an object came late at one try and in time at the last, which says nothing; empty if that is not so."""
    if one.missing_bytes or is_late(one) or not any(ms > enough_ms(one.control_ms) for ms in one.tried_ms):
        return ""
    return f"{one.size} bytes came after {_each(one.tried_ms, one.took_ms)} ms, late and then in time"


def _each(tried_ms: list[float], last_ms: float) -> str:
    return ", ".join(f"{ms:.0f}" for ms in (*tried_ms, last_ms))


UNTOLD = {RAN_ON: amid_a_stop, NO_SLEEP: asleep_once, IN_TIME: late_once}  # by the id of the check


def abstain_where_untold(verdict: Verdict, seen: Served) -> None:
    """Raises CouldNotTell as judging.abstain() does, for what cannot be told of an object; the last that an exercise
    asks. Of tries that differ the answer may be why: one that sleeps before every twentieth object."""
    abstain(verdict, map(untold, seen.every))
    for check, reason in UNTOLD.items():
        abstain(verdict, map(reason, seen.all), check, by_the_answer=check != RAN_ON)
