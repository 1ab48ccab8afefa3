"""What does a reader's livepatch do? repaired.py judges it, for exercise 4.

The regression is loaded first and the answer on top of it. Before both, the same requests show what the kernel's own
function does in this guest.
"""

from __future__ import annotations

from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import ExitStack
from dataclasses import replace

from core.cases import Exercise
from core.judge.evidence import Evidence
from core.protocol import CONTROL
from labs.cases.splice_push.network import LOOPBACK, Network
from labs.cases.splice_push.pages import Call
from labs.cases.splice_push.regression import REGRESSION
from labs.cases.splice_push.repaired import REQUESTS, Repaired, Request
from labs.cases.splice_push.tracing import push_tracer
from labs.cases.splice_push.workload import WAYS, Seen, fetch, with_events
from labs.measure.spent import spent
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
)
MADE = [replace(way, name=name) for name, way in zip(REQUESTS, WITH, strict=True)]


def take_livepatch(exercise: Exercise, answer: str) -> Evidence:
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
        net = making.result()
        with spent(CONTROL):
            fixed = fetch(net, MADE, tracer, "fixed")
        with module.livepatched(ours.result()):
            seen.broken_missing_bytes = fetch(net, MADE[:1])[REQUESTS[0]][1].missing_bytes
            patched = fetch_patched(net, built, tracer, seen)
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


def fetch_patched(net: Network, built: module.Module, tracer: Tracer, seen: Repaired) -> dict:
    """The requests with the answer loaded; the kernel's own words, in `seen`, if it refuses it."""
    with ExitStack() as stack:
        try:
            stack.enter_context(module.livepatched(built))
        except module.DoesNotLoad as error:
            seen.refused = f"the kernel refuses the livepatch: {error}"
            return {}
        return fetch(net, MADE, tracer, "repaired")


def requests(seen: Seen) -> list[Request]:
    """As evidence."""
    return [
        Request(
            name,
            one.way.size,
            one.missing_bytes,
            one.segments,
            [Call(event.function, event.value, event.detail) for event in one.events],
        )
        for name, one in seen.items()
    ]
