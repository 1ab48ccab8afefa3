"""What does a reader's livepatch do? judge.py judges it, for exercise 4.

The regression is loaded first and the answer on top of it. Before both, the same requests show what the kernel's own
function does in this guest.
"""

import random
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import ExitStack
from dataclasses import replace

from core.cases import Exercise
from core.judge.evidence import Evidence
from core.protocol import CONTROL
from labs.cases.splice_push.exercises.ex4.judge import ASKED, DRAWN, LEAST_BUFFER_BYTES, REQUESTS, Repaired, Response
from labs.cases.splice_push.network import LOOPBACK, Network
from labs.cases.splice_push.pages import LARGEST_BYTES, Call
from labs.cases.splice_push.regression import REGRESSION
from labs.cases.splice_push.server import PAGE_BYTES, PATTERN, SPLICE_F_MORE
from labs.cases.splice_push.tracing import push_tracer
from labs.cases.splice_push.workload import WAYS, Fetched, Seen, Way, fetch, with_events
from labs.measure.timing import timed
from labs.take.script import Taking
from labs.trace import module
from labs.trace.tracer import Tracer

UNTOUCHED = WAYS[0]
OVER_LO = replace(UNTOUCHED, client="server", address=LOOPBACK)
WITH = (
    UNTOUCHED,
    OVER_LO,
    replace(OVER_LO, query="asked=exact&surplus=8192", size=6000),
    replace(OVER_LO, query="asked=exact"),
    replace(UNTOUCHED, query="more=1"),
    replace(UNTOUCHED, size=8192),
    replace(UNTOUCHED, query="pieces=50", size=800),
    replace(UNTOUCHED, query="used=13"),  # of 16: five pages go around the ring's end, and there are used ones behind
    replace(UNTOUCHED, query="teed=1&used=3"),
    replace(UNTOUCHED, query="room=16384&used=2", size=16_384),  # its ring is shorter than a pipe's is by default
    replace(UNTOUCHED, query="room=4096", size=4096),
    replace(UNTOUCHED, query="room=131072&used=16"),  # of 32: all pages are behind what a ring of 16 has
    replace(UNTOUCHED, query="asked=exact&pieces=50", size=800),
)
MADE = [replace(way, name=name) for name, way in zip(REQUESTS, WITH, strict=True)]
# SPLICE_F_MOVE, NONBLOCK and GIFT (include/linux/splice.h): they mean nothing on the way to a socket, and are not MORE.
OTHER_FLAGS = 1 | 2 | 8


def take(exercise: Exercise, answer: str) -> Evidence:
    """The answer, compiled and loaded."""
    return Taking(exercise, answer).evidence(repaired(answer))


def repaired(answer: str) -> Repaired:
    """The requests, on each of three kernels."""
    module.tidy()
    with ExitStack() as stack:
        pool = stack.enter_context(ThreadPoolExecutor(3))
        theirs, ours = pool.submit(module.build, answer, "answer"), pool.submit(module.build, REGRESSION)
        making = pool.submit(Network)
        stack.callback(lambda: making.exception() or making.result().close())
        tracer = stack.enter_context(push_tracer())
        if not (built := compiled(theirs, seen := Repaired())):
            return seen
        net, made = making.result(), [*MADE, *map(drawn, DRAWN)]
        with timed(CONTROL):
            fixed = fetch(net, made, tracer, "fixed")
        with module.livepatched(ours.result()):
            seen.broken_missing_bytes = fetch(net, MADE[:1])[REQUESTS[0]][1].missing_bytes
            patched = fetch_patched(net, made, built, tracer, seen)
    if seen.refused:
        return seen
    seen.fixed, seen.repaired = (requests(with_events(found, tracer.events)) for found in (fixed, patched))
    return seen


def compiled(building: Future, seen: Repaired) -> module.Module | None:
    """The answer's module; without one `seen` has the compiler's first error, at the reader's line."""
    try:
        return building.result()
    except module.DoesNotCompile as error:
        lines = error.said.replace("lab_answer.c", "answer.c").splitlines()
        cause = next((line for line in lines if "error:" in line), lines[0])
        seen.refused = f"it does not compile: {cause}"
        return None


def drawn(name: str) -> Way:
    """A request of that kind, as chance has it."""
    how, more = DRAWN[name]
    pieces_bytes = random.randrange(LEAST_BUFFER_BYTES, 1400)
    size, pipe = random.choice(
        [
            (random.randrange(PAGE_BYTES + 1, LARGEST_BYTES), f"used={random.randrange(16)}"),
            (random.randrange(PAGE_BYTES + 1, LARGEST_BYTES), f"teed=1&used={random.randrange(16)}"),
            (random.randrange(PAGE_BYTES + 1, LARGEST_BYTES), f"room=32768&used={random.randrange(8)}"),
            (random.randrange(PAGE_BYTES + 1, LARGEST_BYTES), f"room=131072&used={random.randrange(16, 28)}"),
            (pieces_bytes * random.randrange(2, 16), f"pieces={pieces_bytes}"),
        ]
    )
    surplus = random.randrange(1, PAGE_BYTES) if "more in the pipe" in how else 0
    flags = OTHER_FLAGS | (SPLICE_F_MORE if more else 0)
    asked = random.randint(*ASKED[how](size))
    return replace(
        UNTOUCHED,
        name=name,
        size=size,
        query=f"asked={asked}&flags={flags}&{pipe}" + f"&surplus={surplus}" * bool(surplus),
    )


def fetch_patched(
    net: Network, made: list[Way], built: module.Module, tracer: Tracer, seen: Repaired
) -> dict[str, tuple[str, Fetched]]:
    """The requests with the answer loaded; the kernel's own words, in `seen`, if it refuses it."""
    with ExitStack() as stack:
        try:
            stack.enter_context(module.livepatched(built))
        except module.DoesNotLoad as error:
            seen.refused = f"the kernel refuses it: {error}"
            return {}
        return fetch(net, made, tracer, "repaired")


def requests(seen: Seen) -> list[Response]:
    """The requests as evidence."""
    return [
        Response(
            name,
            one.way.size,
            one.missing_bytes,
            one.segments,
            [Call(event.function, event.value, event.detail) for event in one.events],
            one.way.query if name in DRAWN else "",
            differs_at(one),
        )
        for name, one in seen.items()
    ]


def differs_at(one: Fetched) -> int:
    """The first byte of what came that is not the object's, -1 if there is none."""
    both = enumerate(zip(PATTERN[: one.way.size], one.body))
    return next((at for at, (was, came) in both if was != came), -1)
