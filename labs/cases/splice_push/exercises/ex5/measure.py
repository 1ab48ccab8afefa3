"""What does a reader's program report of what nobody pushed? judge.py holds an answer to exercise 5 to it.

The splices are made here, all but one on the broken kernel, from a connection of each name to a peer that reads. The
truth is by construction, and our own tracer has to agree with it: as many calls of tcp_push() on each connection as
there are splices and sends that are to have one.
"""

from __future__ import annotations

import contextlib
import fcntl
import os
import random
import socket
import threading
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractContextManager
from pathlib import Path

from core.cases import Exercise
from core.judge.evidence import Evidence
from core.judge.report import Event, Program
from labs.cases.splice_push.exercises.ex5.judge import Unpushed
from labs.cases.splice_push.network import LOOPBACK
from labs.cases.splice_push.pages import PIPE_BYTES
from labs.cases.splice_push.regression import REGRESSION
from labs.cases.splice_push.server import ASKED_BYTES, SPLICE_F_MORE
from labs.cases.splice_push.tracing import push_tracer
from labs.net.topology import NotReady
from labs.take.reader_program import Refused, attached, reported_events, written
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
NAMES = ("A", "B", "C", "D", "E", "F", "G", "H", "I", "J", "K", "L", "M", "N")
FEW_BYTES = 4096  # of a socket's buffers, in which what a pipe holds has no room
PROCESSOR = {min(os.sched_getaffinity(0))}
SPLICE = "275 "  # __NR_splice, arch/x86/entry/syscalls/syscall_64.tbl


def take(exercise: Exercise, answer: str) -> Evidence:
    """The answer beside a tracer of ours, on the broken kernel."""
    seen, ours = Unpushed(Program()), push_tracer()
    with contextlib.suppress(Refused), written(answer, PROBES, FIELDS) as theirs, ThreadPoolExecutor(1) as pool:
        building = pool.submit(module.build, REGRESSION)
        with attached(theirs, seen.program), ours:
            seen.truth = spliced(theirs, ours, module.livepatched(building.result()))
        seen.program.told = reported_events(theirs)
        seen.pushes = dict(Counter(event.connection for event in ours.events if event.function == "tcp_push"))
    return Taking(exercise, answer).evidence(seen)


def spliced(theirs: Tracer, ours: Tracer, broken: AbstractContextManager) -> list[Event]:
    """Makes the splices, one on the kernel as it is and the others on the `broken` one; gives those that nobody pushed,
    with their bytes, in order. The first asks for too much and is pushed: what was asked tells nothing. The second
    moves more than a pipe holds at first, and more than 16 bits count.

    A connection is known to `theirs` by the sender's own port, to `ours` by its peer's (pushes.bpf.c).
    """
    sizes = random.sample(range(1000, 20_000), 19)
    sizes[0] += PIPE_BYTES
    with contextlib.ExitStack() as stack:
        pairs = {name: open_pair(stack, slow=name == "K") for name in NAMES}
        senders = {name: sender for name, (sender, _) in pairs.items()}
        for name, (sender, peer) in pairs.items():
            if name != "K":
                reads(peer)
            theirs.watch(name, sender.getsockname()[1])
            ours.watch(name, sender.getpeername()[1])
        splice_once(senders["B"], sizes[8], ASKED_BYTES)
        stack.enter_context(broken)
        splice_once(senders["A"], sizes[0], ASKED_BYTES)
        splice_once(senders["B"], sizes[1], sizes[1])
        splice_once(senders["C"], sizes[2], sizes[2] + 1)
        splice_from_empty_pipe(senders["A"])
        splice_once(senders["B"], sizes[3], sizes[3], SPLICE_F_MORE)
        with Waiting(senders["D"], ASKED_BYTES) as silent:
            senders["D"].send(b"?")
            silent.fill(sizes[4])
        splice_once(senders["E"], sizes[6], ASKED_BYTES, SPLICE_F_MORE)
        splice_once(senders["E"], sizes[7], sizes[7] + 1)
        splice_once(senders["C"], sizes[5], sizes[5])
        at_the_same_time(senders, sizes[9:15])
        with Waiting(senders["L"], sizes[16]) as pushed:
            splice_once(senders["L"], sizes[15], ASKED_BYTES)
            pushed.fill(sizes[16])
        with WaitingForRoom(senders["K"], pairs["K"][1]):
            splice_once(senders["M"], sizes[17], ASKED_BYTES)
            splice_once(senders["N"], sizes[18], sizes[18])
    unpushed = (
        *(("A", 0), ("C", 2), ("D", 4), ("E", 6), ("E", 7), ("F", 9), ("H", 11), ("J", 14)),
        *(("L", 15), ("M", 17)),
    )
    return [Event(name, sizes[number]) for name, number in unpushed]


def open_pair(stack: contextlib.ExitStack, slow: bool = False) -> tuple[socket.socket, socket.socket]:
    """A connection over `lo`, and its peer, which does not read yet; a `slow` one has little room on either side. Its
    port is bound beforehand, because connect() by itself gives one port to two sockets with different peers, and
    `theirs` knows a connection by that alone."""
    with socket.create_server((LOOPBACK, 0)) as listener:
        if slow:
            listener.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, FEW_BYTES)
        sender = stack.enter_context(socket.create_connection(listener.getsockname(), source_address=(LOOPBACK, 0)))
        peer = stack.enter_context(listener.accept()[0])
    if slow:
        sender.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, FEW_BYTES)
    return sender, peer


def reads(peer: socket.socket) -> None:
    """From now on the peer reads whatever comes."""
    threading.Thread(target=read_all, args=(peer,), daemon=True).start()


def read_all(peer: socket.socket) -> None:
    with contextlib.suppress(OSError):
        while peer.recv(1 << 16):
            pass


def splice_once(sender: socket.socket, size: int, asked: int, flags: int = 0) -> None:
    """One splice of `size` bytes for which `asked` are asked."""
    out, into = os.pipe()
    if size > PIPE_BYTES:
        fcntl.fcntl(into, fcntl.F_SETPIPE_SZ, size)
    os.write(into, bytes(size))
    os.splice(out, sender.fileno(), asked, flags=flags)
    os.close(out)
    os.close(into)


def splice_from_empty_pipe(sender: socket.socket) -> None:
    """Two splices from a pipe with nothing in it, which do not wait: one ends with an error, and once nobody can write
    any more one with 0 (splice_from_pipe_next() in fs/splice.c)."""
    out, into = os.pipe()
    with contextlib.suppress(BlockingIOError):
        os.splice(out, sender.fileno(), ASKED_BYTES, flags=NONBLOCK)
    os.close(into)
    os.splice(out, sender.fileno(), ASKED_BYTES)
    os.close(out)


def at_the_same_time(senders: dict[str, socket.socket], sizes: list[int]) -> None:
    """Splices of four threads on four sockets, all of which are under way before the first ends: what they are given,
    and in which order, has every other one pushed, and that before one that is not. Then a splice on a socket on which
    another waits."""
    f, g, h, i, between, j = sizes
    asked = {"F": ASKED_BYTES, "G": g, "H": ASKED_BYTES, "I": i}
    with contextlib.ExitStack() as stack:
        waiting = {name: stack.enter_context(Waiting(senders[name], most)) for name, most in asked.items()}
        for name, size in (("G", g), ("F", f), ("I", i), ("H", h)):
            waiting[name].fill(size)
    with Waiting(senders["J"], ASKED_BYTES) as silent:
        splice_once(senders["J"], between, between)
        silent.fill(j)


class Waiting:
    """A thread in splice(2), of so many bytes, with nothing in its pipe yet; on one processor with all others. The
    `with` block begins when it waits there."""

    def __init__(self, sender: socket.socket, asked: int) -> None:
        self.out, self.into = os.pipe()
        self.thread = threading.Thread(target=self._splice, args=(sender.fileno(), asked))

    def _splice(self, socket: int, asked: int) -> None:
        os.sched_setaffinity(0, PROCESSOR)  # of this thread
        os.splice(self.out, socket, asked)

    def __enter__(self) -> Waiting:
        self.thread.start()
        task = Path(f"/proc/self/task/{self.thread.native_id}")
        for _ in range(10_000):
            state = (task / "syscall").read_text()
            if state.startswith(SPLICE):  # names the call of a thread that sleeps in it, and of no other
                return self
        raise NotReady(f"expected a thread to wait in splice(2), found {state}")

    def fill(self, size: int) -> None:
        """Puts so many bytes into the pipe, and waits for the splice to end."""
        os.write(self.into, bytes(size))
        self.thread.join()

    def __exit__(self, *_) -> None:
        os.close(self.into)  # with which a splice of nothing ends
        self.thread.join()
        os.close(self.out)


class WaitingForRoom(Waiting):
    """A thread in splice(2), of all that is in its pipe and no more, which has pushed and waits for room in the
    socket's buffer (do_tcp_sendpages() in net/ipv4/tcp.c, wait_for_space). The `with` block begins then; at its end
    the peer reads, and what the thread hands over last is pushed, too."""

    def __init__(self, sender: socket.socket, peer: socket.socket) -> None:
        super().__init__(sender, PIPE_BYTES)
        self.peer = peer
        os.write(self.into, bytes(PIPE_BYTES))

    def __exit__(self, *_) -> None:
        reads(self.peer)
        self.thread.join()
        super().__exit__()
