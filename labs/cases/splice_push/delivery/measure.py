"""What does a reader's server deliver? judge.py judges it, for exercises 1 and 2.

The answer's send_object() runs in server.py, on a kernel with the regression.
"""

import contextlib
import hashlib
import time
from collections import defaultdict
from collections.abc import Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path

from labs.cases.splice_push.delivery.asking import ANSWER_PORT, EXACT, Asked, asked_again, asked_together
from labs.cases.splice_push.delivery.judge import MOST_LINES, SIZES, TRACED_BYTES, TRIES, Object, Served, enough_ms
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
TRACE_S = 1.0  # what strace gets to write its last lines
# Whatever is given a descriptor, the connection's among them, and what sleeps.
CALLS = "%desc,%network,nanosleep,clock_nanosleep,futex"


class DoesNotStart(Exception):
    """The server; the message is its last word."""


def served(answer: str) -> Served:
    """Every object, requested of the answer on the broken kernel, each right after the same from the lab's server."""
    try:
        with serving(answer) as (net, tracer, trace), StallDetector() as clock:
            untouched = Fetch(net, UNTOUCHED)
            untouched.thread.join(PATIENCE_S)
            each = list(tried(net, tracer, clock))
            alone = [asked(*tries[-1], [one.took_ms for _, one in tries[:-1]]) for tries in each]
            again = asked_again(net, tracer, clock)
            together = asked_together(net, tracer, clock)
            missing_bytes = untouched.fetched().missing_bytes
            lines = traced(trace, sum(map(len, each)) + len(again) + len(together) + 1)  # and who has left
    except DoesNotStart as reason:
        return Served(refused=str(reason))
    objects = (
        [evidence_of(one, tracer.events, next(lines[one.port], [])) for one in found]
        for found in (alone, again, together)
    )
    return Served("", missing_bytes, *objects)


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


def tried(net: Network, tracer: Tracer, clock: StallDetector) -> Iterator[list[tuple[Fetch, Fetch | None]]]:
    """Each object, and again if it came late, up to TRIES times: what is late each time waits, and a machine that
    others use is busy for a moment. After one that was late each time, the others are tried once."""
    most = TRIES
    for size in SIZES:
        found = [fetch_both(net, size, tracer, clock)]
        while is_late(*found[-1]) and len(found) < most:
            found.append(fetch_both(net, size, tracer, clock))
        if is_late(*found[-1]):
            most = 1
        yield found


def is_late(control: Fetch, one: Fetch | None) -> bool:
    """Whether all of an object came, and late."""
    whole = one and not one.thread.is_alive() and len(one.body) == one.way.size
    return bool(whole and one.took_ms > enough_ms(control.took_ms))


def fetch_both(net: Network, size: int, tracer: Tracer, clock: StallDetector) -> tuple[Fetch, Fetch | None]:
    """An object from the lab's own server, with the exact length, and from the answer's, if that still listens."""
    control = Fetch(net, replace(UNTOUCHED, query=EXACT, size=size))
    control.thread.join(PATIENCE_S)
    clock.begin()
    way = replace(UNTOUCHED, name=f"{size} bytes", port=ANSWER_PORT, size=size)
    try:
        one = Fetch(net, way, tracer if size <= TRACED_BYTES else None)
    except OSError:
        return control, None
    one.thread.join(PATIENCE_S)
    one.held_up_ms = clock.late_ms()
    return control, one


def asked(control: Fetch, one: Fetch | None, tried_ms: list[float]) -> Asked:
    """What became of both requests, once they have ended, and what earlier tries took."""
    control_ms = control.fetched().took_ms
    if not one:
        return Asked(control.way.size, "none", 0, 0)
    one.fetched()
    return Asked(
        one.way.size, one.name, one.port, one.start, one.body, one.took_ms, control_ms, one.held_up_ms, tried_ms
    )


def traced(trace: Path, objects: int) -> Mapping[int, Iterator[list[str]]]:
    """strace's lines of one object after the other, by the client's port. A server is still at its last line when the
    client has all: it gets some time."""
    until = time.monotonic() + TRACE_S
    while True:
        found = list(of_objects(trace.read_text(), ANSWER_PORT))
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
        one.first,
    )


def after_header(one: Asked, events: list[Event]) -> list[Event]:
    """The events of one object: those behind the push of its header, until the next is asked for."""
    own = [event for event in events if event.connection == one.connection and one.start_s <= event.time_s <= one.end_s]
    first = next((number for number, event in enumerate(own) if event.function == "tcp_push"), -1)
    return own[first + 1 :]
