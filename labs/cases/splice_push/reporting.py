"""What does a reader's program report of what nobody pushed? reported.py holds an answer to exercise 5 to it.

The splices are made here, all but one on the broken kernel, from a connection of each name to a peer that reads. The
truth is by construction, and our own tracer has to agree with it: as many calls of tcp_push() on each connection as
there are splices and sends that are to have one.
"""

from __future__ import annotations

import contextlib
import os
import random
import socket
import threading
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractContextManager
from pathlib import Path

from labs.cases.splice_push.network import LOOPBACK
from labs.cases.splice_push.regression import REGRESSION
from labs.cases.splice_push.reported import Unpushed
from labs.cases.splice_push.server import ASKED_BYTES, SPLICE_F_MORE
from labs.cases.splice_push.tracing import push_tracer
from labs.judge.evidence import Evidence
from labs.judge.exercise import Exercise
from labs.judge.report import Event, Program
from labs.net.topology import NotReady
from labs.take.reader_program import Refused, attached, told, written
from labs.take.script import Taking
from labs.trace import module
from labs.trace.tracer import Tracer

# What an answer may define, in the order of its `enum probe`.
PROBES = {
    "on_splice": ["generic_splice_sendpage"],
    "on_push": ["tcp_push"],
    "after_splice": ["generic_splice_sendpage"],
}
FIELDS = [("file", "private_data"), ("socket", "sk")]
NONBLOCK = 2  # SPLICE_F_NONBLOCK
NAMES = ("A", "B", "C", "D", "E")


def take_report(exercise: Exercise, answer: str) -> Evidence:
    """The answer beside a tracer of ours, on the broken kernel."""
    seen, ours = Unpushed(Program()), push_tracer()
    with contextlib.suppress(Refused), written(answer, PROBES, FIELDS) as theirs, ThreadPoolExecutor(1) as pool:
        building = pool.submit(module.build, REGRESSION)
        with attached(theirs, seen.program), ours:
            seen.truth = spliced(theirs, ours, module.livepatched(building.result()))
        seen.program.told = told(theirs)
        seen.pushes = dict(Counter(event.connection for event in ours.events if event.function == "tcp_push"))
    return Taking(exercise, answer).evidence(seen)


def spliced(theirs: Tracer, ours: Tracer, broken: AbstractContextManager) -> list[Event]:
    """Makes the splices, one on the kernel as it is and the others on the `broken` one; gives those that nobody pushed,
    with their bytes, in order. The first asks for too much and is pushed: what was asked tells nothing.

    A connection is known to `theirs` by the sender's own port, to `ours` by its peer's (pushes.bpf.c).
    """
    sizes = random.sample(range(1000, 20_000), 9)
    with contextlib.ExitStack() as stack:
        senders = {name: stack.enter_context(connected(stack)) for name in NAMES}
        for name, sender in senders.items():
            theirs.watch(name, sender.getsockname()[1])
            ours.watch(name, sender.getpeername()[1])
        one(senders["B"], sizes[8], ASKED_BYTES)
        stack.enter_context(broken)
        one(senders["A"], sizes[0], ASKED_BYTES)
        one(senders["B"], sizes[1], sizes[1])
        one(senders["C"], sizes[2], sizes[2] + 1)
        empty(senders["A"])
        one(senders["B"], sizes[3], sizes[3], SPLICE_F_MORE)
        beside_a_sender(senders["D"], sizes[4])
        one(senders["C"], sizes[5], sizes[5])
        one(senders["E"], sizes[6], ASKED_BYTES, SPLICE_F_MORE)
        one(senders["E"], sizes[7], sizes[7] + 1)
    return [Event(name, sizes[number]) for name, number in (("A", 0), ("C", 2), ("D", 4), ("E", 6), ("E", 7))]


def connected(stack: contextlib.ExitStack) -> socket.socket:
    """A connection over `lo` to a peer that reads whatever comes."""
    with socket.create_server((LOOPBACK, 0)) as listener:
        sender = socket.create_connection(listener.getsockname())
        peer = stack.enter_context(listener.accept()[0])
    threading.Thread(target=read_all, args=(peer,), daemon=True).start()
    return sender


def read_all(peer: socket.socket) -> None:
    with contextlib.suppress(OSError):
        while peer.recv(1 << 16):
            pass


def one(sender: socket.socket, size: int, asked: int, flags: int = 0) -> None:
    """One splice of `size` bytes for which `asked` are asked."""
    out, into = os.pipe()
    os.write(into, bytes(size))
    os.splice(out, sender.fileno(), asked, flags=flags)
    os.close(out)
    os.close(into)


def empty(sender: socket.socket) -> None:
    """A splice from a pipe with nothing in it, which does not wait."""
    out, into = os.pipe()
    with contextlib.suppress(BlockingIOError):
        os.splice(out, sender.fileno(), ASKED_BYTES, flags=NONBLOCK)
    os.close(out)
    os.close(into)


def beside_a_sender(sender: socket.socket, size: int) -> None:
    """A splice that waits for its pipe, a send() of another thread meanwhile, then the pipe is filled."""
    out, into = os.pipe()
    thread = threading.Thread(target=os.splice, args=(out, sender.fileno(), ASKED_BYTES))
    thread.start()
    waiting = f"/proc/self/task/{thread.native_id}/syscall"
    splice = "275 "  # __NR_splice, arch/x86/entry/syscalls/syscall_64.tbl
    for _ in range(10_000):
        state = Path(waiting).read_text()
        if state.startswith(splice):
            break
    else:
        raise NotReady(f"expected a thread to wait in splice(2), found {state}")
    sender.send(b"?")
    os.write(into, bytes(size))
    thread.join()
    os.close(out)
    os.close(into)
