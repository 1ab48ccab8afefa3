"""What does a reader's server deliver? judge.py judges it, for exercises 1 and 2.

The answer's send_object() runs in server.py, on a kernel with the regression.
"""

import contextlib
import hashlib
import time
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import TypeVar

from labs.cases.splice_push.delivery.asking import ANSWER_PORT, EXACT, Asked, asked_again, asked_together
from labs.cases.splice_push.delivery.judge import (
    HELD_UP_MS,
    MORE,
    MOST_LINES,
    OF_A_KIND,
    SIZES,
    SLEPT_MS,
    TRACED_BYTES,
    TRIES,
    Object,
    Served,
    enough_ms,
    slept_ms,
)
from labs.cases.splice_push.delivery.left import held, left
from labs.cases.splice_push.delivery.system_calls import of_objects
from labs.cases.splice_push.network import Network
from labs.cases.splice_push.pages import Call
from labs.cases.splice_push.regression import REGRESSION
from labs.cases.splice_push.tracing import push_tracer
from labs.cases.splice_push.workload import PATIENCE_S, WAYS, Fetch
from labs.measure.clock import StallDetector
from labs.net.topology import NotReady
from labs.take.answer import DROP_PTRACE
from labs.trace import module
from labs.trace.tracer import Event, Tracer

UNTOUCHED = WAYS[0]
Kind = TypeVar("Kind")
TRICKLES_MS = 3000  # from then on an object comes bit by bit: 800 ms are the most that was seen of a busy machine
TRACE_S = 1.0  # what strace gets to write its last lines
# Whatever is given a descriptor, the connection's among them, and what sleeps.
CALLS = "%desc,%network,nanosleep,clock_nanosleep,futex,pause,rt_sigtimedwait,semtimedop"


class DoesNotStart(Exception):
    """The server; the message is its last word."""


def served(answer: str) -> Served:
    """Every object, requested of the answer on the broken kernel, each right after the same from the lab's server."""
    try:
        with serving(answer) as (net, tracer, trace), StallDetector() as clock:
            untouched = Fetch(net, UNTOUCHED)
            untouched.thread.join(PATIENCE_S)
            each = alone(partial(fetch_both, net, tracer, clock, trace))
            first, before = next(each), held()  # what is kept to be used again is there by now
            tried = [first, *each]
            for found in tried:
                close(found)
            behind, more = left(before, len(tried) - 1), MORE if all(is_whole(found[-1]) for found in tried) else ()
            counted = held()
            for size in more:
                fetch_more(net, size)
            by_more = left(counted, OF_A_KIND) if more else None
            most = 1 if any(waits_each_time(tries[-1]) for tries in tried) else TRIES
            tried_again = in_tries(lambda: again(net, tracer, clock, trace), any_waited, most)
            together = asked_together(net, tracer, clock)
            missing_bytes = untouched.fetched().missing_bytes
            # Whoever fetches the untouched object has left meanwhile, and is one of them.
            every = sum(map(len, tried)) + sum(map(len, tried_again)) + len(together) + len(more) + 1
            lines = traced(trace, every)
    except DoesNotStart as reason:
        return Served(refused=str(reason))
    objects, again_, at_once = (
        [evidence_of(one, tracer.events, next(lines[one.port], [])) for one in found]
        for found in (map(asked, tried), asked_in_tries(tried_again), together)
    )
    return Served("", missing_bytes, objects, again_, at_once, behind, by_more)


@contextlib.contextmanager
def serving(answer: str) -> Iterator[tuple]:
    """The answer serving on a broken kernel, under strace: network, attached tracer, strace's file."""
    with contextlib.ExitStack() as stack:
        pool = stack.enter_context(ThreadPoolExecutor(2))
        building, making = pool.submit(module.build, REGRESSION), pool.submit(Network)
        stack.callback(lambda: making.exception() or making.result().close())
        tracer = stack.enter_context(push_tracer())
        net = making.result()
        file, trace = net.folder / "answer.py", net.folder / "strace"
        file.write_text(answer)
        service = net.serving(
            ANSWER_PORT,
            f"{file}",
            under=(
                *(
                    "strace",
                    "-f",
                    "--seccomp-bpf",
                    "-T",
                    "-yy",
                    "-qq",
                    "-s",
                    "0",
                    "-e",
                    f"trace={CALLS}",
                    "-o",
                    f"{trace}",
                ),
                *DROP_PTRACE,
            ),
        )
        try:
            service.wait()
        except NotReady:
            raise DoesNotStart((service.log.read_text().strip().splitlines() or ["no word"])[-1]) from None
        stack.enter_context(module.livepatched(building.result()))
        yield net, tracer, trace


@dataclass
class Try:
    """An object requested once: from the lab's own server, then from the answer's, if that still listens; how long
    the answer's slept until it was there."""

    control: Fetch
    one: Fetch | None
    slept_ms: float = 0


def in_tries(ask: Callable[[], Kind], waited: Callable[[Kind], bool], most: int) -> list[Kind]:
    """What came of each try: one more, up to so many, while something waited. What waits each time waits, and a machine
    that others use is busy for a moment."""
    tries = [ask()]
    while waited(tries[-1]) and len(tries) < most:
        tries.append(ask())
    return tries


def alone(ask: Callable[[int, float | None], Try]) -> Iterator[list[Try]]:
    """Each object on a connection of its own, for which there is the time that it takes; after one that waited at each
    try, the others are tried once, and after one that is lost, the next is asked for when no timer can help any more.
    """
    most, patience_s = TRIES, None
    for size in SIZES:
        found = in_tries(partial(ask, size, patience_s), try_waited, most)
        if waits_each_time(found[-1]):
            most = 1
        if not is_whole(found[-1]):
            patience_s = PATIENCE_S
        yield found


def close(tries: list[Try]) -> None:
    """End the connections that have what they asked for: what a server keeps for one of them is not left behind."""
    for found in tries:
        if found.one and is_whole(found):
            found.one.socket.close()


def is_whole(found: Try) -> bool:
    """Whether all of the answer's object came."""
    one = found.one
    return one is not None and not one.thread.is_alive() and len(one.body) == one.way.size


def try_waited(found: Try) -> bool:
    """Whether all of the answer's object came, and `waited`; what trickles in is not asked for again."""
    if not (one := found.one) or not is_whole(found) or one.took_ms > TRICKLES_MS:
        return False
    return waited(one.took_ms, found.control.took_ms, found.slept_ms)


def waits_each_time(found: Try) -> bool:
    """Whether the last of an object's tries waited, and by the server's doing: the machine did not stand still."""
    return try_waited(found) and found.one is not None and found.one.held_up_ms <= HELD_UP_MS


def any_waited(found: list[Asked]) -> bool:
    """Whether all of one of these objects came, and it `waited`."""
    return any(len(one.body) == one.size and waited(one.took_ms, one.control_ms, one.slept_ms) for one in found)


def waited(took_ms: float, control_ms: float, slept_ms: float) -> bool:
    """Whether an object that is there came late, or after the server had slept."""
    return took_ms > enough_ms(control_ms) or slept_ms > SLEPT_MS


def fetch_both(
    net: Network, tracer: Tracer, clock: StallDetector, trace: Path, size: int, patience_s: float | None
) -> Try:
    """An object from the lab's own server, with the exact length, and from the answer's, which is waited for until it
    ends by itself (None) or for so long."""
    control = Fetch(net, replace(UNTOUCHED, query=EXACT, size=size))
    control.thread.join()
    written = trace.stat().st_size
    clock.begin()
    way = replace(UNTOUCHED, name=f"{size} bytes", port=ANSWER_PORT, size=size)
    try:
        one = Fetch(net, way, tracer if size <= TRACED_BYTES else None)
    except OSError:
        return Try(control, None)
    one.thread.join(patience_s)
    one.held_up_ms = clock.late_ms()
    if one.thread.is_alive():
        return Try(control, one)
    return Try(control, one, slept_ms(next(traced(trace, 1, written)[one.port], [])))


def fetch_more(net: Network, size: int) -> None:
    """One more object from the answer's server, whose connection then ends."""
    with contextlib.suppress(OSError):
        one = Fetch(net, replace(UNTOUCHED, name=f"{size} bytes more", port=ANSWER_PORT, size=size))
        one.thread.join(PATIENCE_S)
        one.socket.close()


def again(net: Network, tracer: Tracer, clock: StallDetector, trace: Path) -> list[Asked]:
    """Objects on one connection, one after the other, and how long the answer's server slept until each was there."""
    written = trace.stat().st_size
    found = asked_again(net, tracer, clock)
    lines = traced(trace, len(found), written)
    return [replace(one, slept_ms=slept_ms(next(lines[one.port], []))) for one in found]


def asked(tries: list[Try]) -> Asked:
    """What became of the last of them, once it has ended, and what earlier ones took."""
    *earlier, last = tries
    control_ms = last.control.fetched().took_ms
    if not (one := last.one):
        return Asked(last.control.way.size, "none", 0, 0)
    one.fetched()
    found = Asked(one.way.size, one.name, one.port, one.start, one.body, one.took_ms, control_ms, one.held_up_ms)
    return with_earlier(found, [(each.one.took_ms, each.slept_ms) for each in earlier if each.one])


def asked_in_tries(tries: list[list[Asked]]) -> list[Asked]:
    """The objects of the last of them, with what earlier ones took."""
    *earlier, last = tries
    return [
        with_earlier(one, [(try_[at].took_ms, try_[at].slept_ms) for try_ in earlier if at < len(try_)])
        for at, one in enumerate(last)
    ]


def with_earlier(one: Asked, tries: list[tuple[float, float]]) -> Asked:
    """An object with what each earlier try took, and how long the server slept in it, in ms."""
    return replace(one, tried_ms=[took for took, _ in tries], tried_slept_ms=[slept for _, slept in tries])


def traced(trace: Path, objects: int, written: int = 0) -> Mapping[int, Iterator[list[str]]]:
    """strace's lines of one object after the other, by the client's port, behind the bytes that it had `written`. A
    server is still at its last line when the client has all: it gets some time."""
    until = time.monotonic() + TRACE_S
    while True:
        found = list(of_objects(trace.read_bytes()[written:].decode(), ANSWER_PORT))
        if time.monotonic() > until or len(found) >= objects and all(ended for _, _, ended in found):
            break
        time.sleep(0.05)  # polling a state
    by_port = {port: iter([lines for of, lines, _ in found if of == port]) for port, _, _ in found}
    return defaultdict(lambda: iter(()), by_port)


def evidence_of(one: Asked, events: list[Event], lines: list[str]) -> Object:
    """What is judged of it."""
    return Object(
        one.size,
        one.size - len(one.body),
        one.took_ms,
        hashlib.sha256(one.body).hexdigest(),
        [Call(event.function, event.value, event.detail) for event in after_header(one, events)],
        lines if one.size == SIZES[0] else lines[:MOST_LINES],
        one.control_ms,
        one.held_up_ms,
        one.tried_ms,
        one.tried_slept_ms,
        one.first,
    )


def after_header(one: Asked, events: list[Event]) -> list[Event]:
    """The events of one object: those behind the push of its header, until the next is asked for."""
    own = [event for event in events if event.connection == one.connection and one.start_s <= event.time_s <= one.end_s]
    first = next((number for number, event in enumerate(own) if event.function == "tcp_push"), -1)
    return own[first + 1 :]
