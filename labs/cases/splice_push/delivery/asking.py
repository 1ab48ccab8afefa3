"""What does a reader's server send to one client again and again, and to several at the same time?

Of the several one leaves in the middle, and one stops reading. judge.py judges it, for exercises 1 and 2.
"""

from __future__ import annotations

import contextlib
import math
import random
import socket
import struct
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from labs.cases.splice_push.delivery.judge import AGAIN, FIRST, STOPPED_BYTES, TOGETHER, TRACED_BYTES
from labs.cases.splice_push.network import PORT, SERVER, Network
from labs.cases.splice_push.workload import OWN_PORTS

if TYPE_CHECKING:  # only a trace needs it
    from labs.measure.clock import StallDetector
    from labs.trace.tracer import Tracer

ANSWER_PORT = 8010
EXACT = "asked=exact"  # how the lab's own server is asked for the same
AGAIN_S = 2.0  # what each object on the connection that answers again gets
# What those at the same time get, and after how much a client stops reading, or leaves. With the buffers of both
# sockets so large, most of its object is still to be sent then.
TOGETHER_S = 5.0
STOPPED_AT_BYTES, BUFFER_BYTES = 100_000, 65_536
AT_ONCE = struct.pack("ii", 1, 0)  # struct linger: ended by a RST (tcp_close() in net/ipv4/tcp.c)


@dataclass
class Asked:
    """An object that the answer was asked for: on which connection, as the tracer calls it, and from which port; when,
    by the monotonic clock; what came, and after how long. The others as in judge.Object."""

    size: int
    connection: str
    port: int
    start_s: float
    body: bytes = b""
    took_ms: float = 0
    control_ms: float = 0
    held_up_ms: float = 0
    slept_ms: float = 0
    tried_ms: list[float] = field(default_factory=list)
    tried_slept_ms: list[float] = field(default_factory=list)
    end_s: float = math.inf  # when the next was asked for on this connection
    first: int = 0


def asked_again(net: Network, tracer: Tracer, clock: StallDetector) -> list[Asked]:
    """Objects one after the other on one connection, as far as it answers; the same of the lab's own server first."""
    controls = list(on_one_connection(net, PORT, EXACT))
    found = list(on_one_connection(net, ANSWER_PORT, "", tracer, clock))
    for one, control in zip(found, controls):
        one.control_ms = control.took_ms
    return found


def on_one_connection(
    net: Network, port: int, query: str, tracer: Tracer | None = None, clock: StallDetector | None = None
) -> Iterator[Asked]:
    """Ask for the objects of AGAIN; one that is not whole after AGAIN_S is the last."""
    with contextlib.suppress(OSError), contextlib.ExitStack() as stack:
        with net.proxy.inside():
            connection = stack.enter_context(socket.create_connection((SERVER, port), 5, ("", next(OWN_PORTS))))
        own_port = connection.getsockname()[1]
        if tracer:
            tracer.watch("again", own_port)
        for size in AGAIN:
            if clock:
                clock.begin()
            one = Asked(size, "again", own_port, time.monotonic())
            connection.sendall(f"GET /{size}?{query} HTTP/1.1\r\n\r\n".encode())
            one.body = body(answered(connection, size, one.start_s + AGAIN_S))
            one.took_ms = (time.monotonic() - one.start_s) * 1e3
            one.held_up_ms = clock.late_ms() if clock else 0
            one.end_s = time.monotonic()
            yield one
            if len(one.body) < size:
                return


def asked_together(net: Network, tracer: Tracer, clock: StallDetector) -> list[Asked]:
    """Ask for the objects of TOGETHER, while the first client has stopped reading; another has left before. A stop
    holds all of them up: the clock is begun once."""
    clock.begin()
    first, *firsts = random.sample(FIRST, 1 + len(TOGETHER))
    with contextlib.ExitStack() as stack:
        Client(net, STOPPED_BYTES, first, stack).leave()
        stopped = Client(net, STOPPED_BYTES, firsts[0], stack)
        stopped.read(STOPPED_AT_BYTES, time.monotonic() + TOGETHER_S)
        others = [
            Client(net, random.choice(sizes), first, stack, tracer) for sizes, first in zip(TOGETHER[1:], firsts[1:])
        ]
        until_s = time.monotonic() + TOGETHER_S
        for one in others:
            one.read(one.asked.size, until_s)
            one.asked.held_up_ms = clock.late_ms()
        stopped.read(STOPPED_BYTES, time.monotonic() + TOGETHER_S)
        stopped.asked.held_up_ms = clock.late_ms()
    return [one.asked for one in (stopped, *others)]


class Client:
    """A client that asks for an object, on a connection of its own, and reads when it is told to. If there is
    no connection, nothing comes."""

    def __init__(
        self, net: Network, size: int, first: int, stack: contextlib.ExitStack, tracer: Tracer | None = None
    ) -> None:
        port, query = next(OWN_PORTS), f"first={first}"
        self.asked, self.answer = Asked(size, f"together {port}", port, time.monotonic(), first=first), b""
        with net.proxy.inside():
            self.connection = stack.enter_context(socket.socket())
        if size > TRACED_BYTES:
            self.connection.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, BUFFER_BYTES)
            query += f"&sndbuf={BUFFER_BYTES}"
        elif tracer:
            tracer.watch(self.asked.connection, port)
        self.connection.settimeout(TOGETHER_S)
        with contextlib.suppress(OSError):
            self.connection.bind(("", port))
            self.connection.connect((SERVER, ANSWER_PORT))
            self.connection.sendall(f"GET /{size}?{query} HTTP/1.1\r\n\r\n".encode())

    def read(self, size: int, until_s: float) -> None:
        """Read so many bytes of the object in all, as far as they come."""
        self.answer = answered(self.connection, size, until_s, self.answer)
        self.asked.body, self.asked.took_ms = body(self.answer), (time.monotonic() - self.asked.start_s) * 1e3

    def leave(self) -> None:
        """Close the connection in the middle of the object."""
        self.read(STOPPED_AT_BYTES, time.monotonic() + TOGETHER_S)
        self.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, AT_ONCE)
        self.connection.close()


def answered(connection: socket.socket, size: int, until_s: float, answer: bytes = b"") -> bytes:
    """What has come, behind what had before: a header, and so many bytes of the object, as far as they do."""
    with contextlib.suppress(OSError):  # a deadline is one
        while len(body(answer)) < size:
            connection.settimeout(max(until_s - time.monotonic(), 0.001))
            if not (read := connection.recv(1 << 16)):
                break
            answer += read
    return answer


def body(answer: bytes) -> bytes:
    """What is behind the header."""
    return answer.partition(b"\r\n\r\n")[2]
