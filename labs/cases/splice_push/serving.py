"""What does a reader's server deliver? served.py judges it, for exercises 1 and 2.

The answer's send_object() runs in server.py, on a kernel with the regression.
"""

from __future__ import annotations

import contextlib
import hashlib
import socket
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

from labs.cases.splice_push.network import SERVER, Network
from labs.cases.splice_push.pages import Call
from labs.cases.splice_push.regression import REGRESSION
from labs.cases.splice_push.served import COSTS, SIZES, Object, Served, costs
from labs.cases.splice_push.server import PATTERN
from labs.cases.splice_push.tracing import push_tracer
from labs.cases.splice_push.workload import WAYS, Fetched, fetch, with_events
from labs.judge.evidence import Evidence
from labs.judge.exercise import Exercise
from labs.measure.spent import CONTROL, spent
from labs.net.topology import NotReady
from labs.take.answer import UNARMED
from labs.take.script import Taking
from labs.trace import module

ANSWER_PORT = 8010
UNTOUCHED = WAYS[0]
CALLS = "splice,sendfile,sendto,sendmsg,write,writev,setsockopt,shutdown,ioctl,vmsplice"


class DoesNotStart(Exception):
    """The server; the message is its last word."""


def take_exact(exercise: Exercise, answer: str) -> Evidence:
    """Exercise 1."""
    return Taking(exercise, answer).evidence(served(answer))


def take_cost(exercise: Exercise, answer: str) -> Evidence:
    """Exercise 2, if the answer says what it costs."""
    said = len(costs(answer)) == len(COSTS)
    return Taking(exercise, answer).evidence(served(answer) if said else None)


def served(answer: str) -> Served:
    """Every object, requested of the answer on the broken kernel."""
    try:
        with serving(answer) as (net, tracer, trace):
            with spent(CONTROL):
                untouched = fetch(net, [UNTOUCHED])[UNTOUCHED.name][1]
            ways = [replace(UNTOUCHED, name=str(size), port=ANSWER_PORT, size=size) for size in SIZES]
            seen = fetch(net, ways, tracer)
            again, lines = answers_again(net), trace.read_text()
    except DoesNotStart as reason:
        return Served(refused=str(reason))
    objects = [
        Object(
            one.way.size,
            one.missing_bytes,
            one.took_ms,
            hashlib.sha256(one.body).hexdigest(),
            [Call(event.function, event.value, event.detail) for event in one.events],
        )
        for one in with_events(seen, tracer.events).values()
    ]
    first = next(iter(seen.values()))[1]
    return Served("", untouched.missing_bytes, objects, again, calls_of(lines, first))


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
                *("strace", "-f", "--seccomp-bpf", "-yy", "-qq", "-s", "0", "-e", f"trace={CALLS}", "-o", f"{trace}"),
                *UNARMED,
            ),
        )
        try:
            service.wait()
        except NotReady:
            raise DoesNotStart((service.log.read_text().strip().splitlines() or ["no word"])[-1]) from None
        stack.enter_context(module.livepatched(building.result()))
        yield net, tracer, trace


def answers_again(net: Network) -> bool:
    """Two small requests on one connection."""
    with net.proxy.inside():
        connection = socket.create_connection((SERVER, ANSWER_PORT), 5)
    with connection, contextlib.suppress(OSError):
        for _ in range(2):
            connection.sendall(b"GET /10? HTTP/1.1\r\n\r\n")
            answer = b""
            while not answer.endswith(PATTERN[:10]):
                read = connection.recv(65536)
                if not read:
                    return False
                answer += read
        return True
    return False


def calls_of(trace: str, one: Fetched) -> list[str]:
    """System calls on one connection, from the header on, without the process id before each."""
    found = [line.split(None, 1)[1] for line in trace.splitlines() if f":{one.port}]>" in line]
    header = next((number for number, line in enumerate(found) if line.startswith("sendto(")), -1)
    return found[header + 1 :]
