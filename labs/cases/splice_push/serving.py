"""Does a reader's server deliver everything, at once, and at the cost it says? Exercises 1 and 2.

The answer's send_object() runs in server.py, on a kernel with the regression.
"""

from __future__ import annotations

import contextlib
import re
import socket
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace

from labs.cases.splice_push.network import SERVER, Network
from labs.cases.splice_push.regression import REGRESSION
from labs.cases.splice_push.server import PATTERN
from labs.cases.splice_push.tracing import push_tracer
from labs.cases.splice_push.workload import WAYS, Fetched, fetch, with_events
from labs.errors import CannotTry
from labs.judge.exercise import Exercise
from labs.judge.verdict import Judged, Verdict
from labs.net.topology import NotReady
from labs.take.answer import UNARMED
from labs.trace import module

ANSWER_PORT = 8010
SIZES = (20_000, 4_000, 65_536, 150_000)
PIPE_BYTES = 65_536  # PIPE_DEF_BUFFERS pages, include/linux/pipe_fs_i.h
UNTOUCHED = WAYS[0]
CALLS = "splice,sendfile,sendto,sendmsg,write,writev,setsockopt,shutdown,ioctl,vmsplice"


@dataclass(frozen=True)
class Served:
    """Objects by size, as the answer delivered them; strace's lines for the connection of the first."""

    objects: dict[int, Fetched]
    calls: list[str]


def judge_exact(exercise: Exercise, answer: str, verdict: Verdict) -> None:
    """Exercise 1: by splice(2), with the length of what there is."""
    served = delivered(answer, verdict)
    size = SIZES[0]
    verdict.expect(
        len(served.calls) <= pipefuls(size),
        f"{len(served.calls)} system call on the connection for {size} bytes, as now",
        f"{len(served.calls)} system calls on the connection for {size} bytes, where {pipefuls(size)} is made now",
    )
    for size, one in served.objects.items():
        spliced = sum(page.size_bytes for page in one.pages)
        verdict.expect(
            spliced == size,
            f"{size} bytes went by splice(2)",
            f"{spliced} of {size} bytes went by splice(2), expected all",
        )
        verdict.expect(
            one.splices <= pipefuls(size),
            f"{one.splices} splices for {size} bytes",
            f"{one.splices} splices where {pipefuls(size)} pipefuls are sent: pages are pushed one by one",
        )
        greedy = [page for page in first_pages(one) if page[0] > page[1]]
        verdict.expect(
            not greedy,
            f"every splice of {size} bytes asks for what the pipe holds",
            f"a splice asks for more than the pipe holds: {greedy[0] if greedy else ''} bytes",
        )


def pipefuls(size: int) -> int:
    """In how many parts an object goes through a pipe."""
    return -(-size // PIPE_BYTES)


def first_pages(one: Fetched) -> list[tuple[int, int]]:
    """(bytes asked for, bytes handed over) of each splice."""
    found: list[list[int]] = []
    for event in one.of("generic_splice_sendpage", "do_tcp_sendpages"):
        if event.function == "generic_splice_sendpage":
            found.append([event.value, 0])
        elif found:
            found[-1][1] += event.value & 0xFFFFFFFF
    return [(asked, handed) for asked, handed in found]


def judge_cost(exercise: Exercise, answer: str, verdict: Verdict) -> None:
    """Exercise 2: not by the exact length, and the costs are as said."""
    said = {name: re.search(rf"^{name}\s*=\s*(\d+)", answer, re.MULTILINE) for name in ("CALLS", "COPIED_BYTES")}
    missing = [name for name, match in said.items() if not match]
    if not verdict.expect(
        not missing,
        "the file says what it costs",
        f"the file has to say what it costs: no line `{' = …`, `'.join(missing)} = …`",
    ):
        raise Judged
    calls = delivered(answer, verdict).calls
    splices = [re.search(r"(\d+), \w+\)\s+= (\d+)", line) for line in calls if line.startswith("splice(")]
    exact = [match for match in splices if match and match[1] == match[2]]
    verdict.expect(
        not exact,
        "splice(2) is not given the exact length",
        "splice(2) is given the exact length, which is exercise 1's way",
    )
    copied = sum(
        int(line.rpartition("= ")[2].split()[0])
        for line in calls
        if line.startswith(("sendto(", "sendmsg(", "write(", "writev("))
    )
    verdict.measured.update(calls=calls, copied_bytes=copied)
    for name, found in (("CALLS", len(calls)), ("COPIED_BYTES", copied)):
        verdict.expect(
            int(said[name][1]) == found,
            f"{name} = {found}",
            f"{name} is {said[name][1]} in the file, and {found} by strace",
        )


def delivered(answer: str, verdict: Verdict) -> Served:
    """Every object, requested of the answer on the broken kernel. What is missing or comes late is judged."""
    with serving(answer, verdict) as (net, tracer, trace):
        baseline = fetch(net, [UNTOUCHED])[UNTOUCHED.name][1]
        if not baseline.missing_bytes:
            raise CannotTry("the untouched server delivers everything: nothing can be judged", "./lab run splice-push")
        ways = [replace(UNTOUCHED, name=str(size), port=ANSWER_PORT, size=size) for size in SIZES]
        seen = fetch(net, ways, tracer)
        again, lines = answers_again(net), trace.read_text()
    objects = {one.way.size: one for one in with_events(seen, tracer.events).values()}
    for size, one in objects.items():
        verdict.expect(
            not one.missing_bytes,
            f"all of {size} bytes came after {one.took_ms:.0f} ms",
            f"of {size} bytes {one.missing_bytes} are missing after {one.took_ms:.0f} ms",
        )
        if not one.missing_bytes:
            verdict.expect(
                one.body == PATTERN[:size],
                f"the {size} bytes are the object's",
                f"what came is not the object of {size} bytes",
            )
        late = len(one.of("tcp_write_wakeup"))
        verdict.expect(not late, "no timer had to help", f"{size} bytes: the probe timer had to help {late} times")
    verdict.expect(
        again,
        "the connection answers a second request",
        "expected the connection to answer a second request, found no answer",
    )
    return Served(objects, calls_of(lines, next(iter(seen.values()))[1]))


@contextlib.contextmanager
def serving(answer: str, verdict: Verdict) -> Iterator[tuple]:
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
            last = (service.log.read_text().strip().splitlines() or ["no word"])[-1]
            verdict.expect(False, "", f"the server does not start: {last}")
            raise Judged from None
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
