"""What does a client ask for, how long until all of it is there, and what is missing?

`WAYS` are the requests that a run makes, in the words of the report. Each is an HTTP request for an
object of SIZE_BYTES on a connection of its own. What has not come by the deadline counts as missing,
and the sender's kernel is asked where it is, and whether a timer will ever come for it.
"""

from __future__ import annotations

import itertools
import math
import socket
import threading
import time
from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from labs.cases.splice_push.network import (
    LOOPBACK,
    PIPE_BYTES,
    PIPE_PORT,
    PORT,
    PROXIED,
    PROXY,
    PROXY_PORT,
    SERVER,
    Network,
)
from labs.cases.splice_push.pages import Page, of, pages
from labs.net.sockets import ESTABLISHED, Socket
from labs.net.tcp_info import tcp_info
from labs.table import Table

if TYPE_CHECKING:  # only a trace needs it
    from labs.measure.clock import StallDetector
    from labs.trace.tracer import Event, Tracer

SIZE_BYTES = 20_000  # five pages, and less than half of a window of 64 KiB
DEADLINE_S = 1.0  # five times the only timer that could still come
BUSY_S = 10.0  # what a busy machine gets on top, unless the sender's kernel holds the rest back
STEP_S = 0.3  # how often it is asked whether it does
PATIENCE_S = 0.3  # how long the next request waits for this one: longer than that timer
# The clients' own ports. The kernel gives each host its own, so that two hosts may get the same, and the
# sender's kernel tells connections apart by nothing else.
OWN_PORTS = itertools.count(PROXIED[-1] + 1)
NOBODY_COMES = ("none", "keepalive")  # timers that send nothing of what is queued
# Why a request ended.
WHOLE, CLOSED = "all came", "the connection was closed"
KEPT, PATIENT = "the sender's kernel keeps the rest, and no timer will send it", "nobody waits any longer"


@dataclass(frozen=True)
class Way:
    """A request: `query` for the server (see server.py), where the client stands, whom it asks."""

    name: str
    query: str = ""
    client: str = "proxy"
    address: str = SERVER
    port: int = PORT
    size: int = SIZE_BYTES

    @property
    def target(self) -> str:
        return f"/{self.size}?{self.query}"


WAYS = (
    Way("asked too much"),
    Way("through the proxy", client="client", address=PROXY, port=PROXY_PORT),
    Way("over loopback", client="server", address=LOOPBACK),
    Way("pv", port=PIPE_PORT, size=PIPE_BYTES),
    Way("header with MORE", "header=more"),
    Way("exact length", "asked=exact"),
    Way("send()", "way=send"),
)


@dataclass(frozen=True)
class Fetched:
    """What became of a request: bytes of the object by the deadline, when each part came, how many
    segments carried it; `held` is what the server's kernel then kept for it, `ended` why nobody waited any longer.
    `events` are the sender's, if there was a tracer, from the object's first byte on. `held_up_ms` is the longest that
    the machine stood still while the next request waited for this one (labs/measure/clock.py)."""

    way: Way
    got_bytes: int
    took_ms: float
    arrivals: list[tuple[float, int]]
    segments: int
    held: list[Socket]
    port: int = 0  # the client's, which names the connection
    body: bytes = field(default=b"", repr=False)
    events: list[Event] = field(default_factory=list, repr=False)
    ended: str = WHOLE
    held_up_ms: float = 0

    @property
    def took(self) -> str:
        """Milliseconds to the whole answer; a dash if it never came."""
        return "-" if self.missing_bytes else f"{self.took_ms:.1f}"

    @property
    def missing_bytes(self) -> int:
        return self.way.size - self.got_bytes

    def of(self, *functions: str) -> list[Event]:
        """The object's events of these functions."""
        return of(self.events, *functions)

    @property
    def stayed_ms(self) -> float:
        """Milliseconds from the beginning of the splice(2) until the last segment with data left the sender, by the
        kernel's clock: what no busy machine lengthens. Infinite if not all has left."""
        begun, left = self.of("generic_splice_sendpage"), [one for one in self.of("__tcp_transmit_skb") if one.value]
        if self.missing_bytes or not begun or not left:
            return math.inf
        return (left[-1].time_s - begun[0].time_s) * 1e3

    @property
    def splices(self) -> int:
        return len(self.of("generic_splice_sendpage"))

    @property
    def pushes(self) -> int:
        return len(self.of("tcp_push"))

    @property
    def pages(self) -> list[Page]:
        """Pages that splice(2) handed to the socket, in order."""
        return pages(self.events)

    def flags(self) -> Table:
        """Each page, the flags that it goes with, and whether the call that takes it pushes."""
        calls = self.of("do_tcp_sendpages", "tcp_push")
        pushed = [
            after.function == "tcp_push"
            for event, after in zip(calls, [*calls[1:], calls[-1]])
            if event.function == "do_tcp_sendpages"
        ]
        heads = [
            ("page", ">4"),
            ("bytes", ">8"),
            ("asked for yet", ">16"),
            ("follow in the pipe", ">20"),
            ("  flags", "<14"),
            ("pushed", "<6"),
        ]
        rows = list(enumerate(zip(self.pages, pushed), 1))
        return Table(
            rows,
            heads,
            lambda row: (
                row[0],
                row[1][0].size_bytes,
                row[1][0].asked_bytes,
                row[1][0].following,
                "  " + row[1][0].words,
                "yes" if row[1][1] else "no",
            ),
        )

    def to_json(self) -> dict:
        """Plain values."""
        return {
            "took_ms": round(self.took_ms, 1),
            "got_bytes": self.got_bytes,
            "missing_bytes": self.missing_bytes,
            "segments": self.segments,
            "splices": self.splices,
            "stayed_ms": None if math.isinf(self.stayed_ms) else round(self.stayed_ms, 2),
            "pushes": self.pushes,
            "not_last": sum(page.not_last for page in self.pages),
            "pages": len(self.pages),
            "arrivals": [(round(ms, 1), size) for ms, size in self.arrivals],
            "queued_bytes": sum(one.queued_bytes for one in self.held),
            "timers": [one.timer for one in self.held],
            "ended": self.ended,
            "held_up_ms": round(self.held_up_ms, 2),
        }


class Seen(dict):
    """What became of some requests, by the names of their ways; a table in a notebook."""

    def text(self) -> str:
        heads = [
            ("", "<20"),
            ("whole answer, ms", ">17"),
            ("missing, B", ">12"),
            ("splices", ">9"),
            ("pushes", ">8"),
            ("segments", ">10"),
        ]
        return Table(
            self.values(),
            heads,
            lambda one: (one.way.name, one.took, one.missing_bytes, one.splices, one.pushes, one.segments),
        ).text()

    __repr__ = text


class Fetch:
    """A request under way. Its answer is read in a thread until all is there or the deadline is."""

    def __init__(
        self, net: Network, way: Way, tracer: Tracer | None = None, state: str = "", deadline_s: float = DEADLINE_S
    ) -> None:
        self.net, self.way, self.deadline_s = net, way, deadline_s
        self.name = f"{state} {way.name}".strip()  # of the connection, for the tracer
        # A proxy holds its connections for a while, with what an earlier request has left in them.
        self.earlier = {one.remote_port for one in net.server.sockets() if one.state == ESTABLISHED}
        with net[way.client].inside():
            self.socket = socket.create_connection((way.address, way.port), 10, ("", next(OWN_PORTS)))
        self.port, self.held_up_ms = self.socket.getsockname()[1], 0.0
        if tracer:
            tracer.watch(self.name, self.port)
        self.arrivals: list[tuple[float, int]] = []
        self.body, self.ended = b"", WHOLE
        self.start = time.monotonic()
        if way.port != PIPE_PORT:
            self.socket.sendall(f"GET {way.target} HTTP/1.1\r\nHost: server\r\n\r\n".encode())
        self.thread = threading.Thread(target=self._read, daemon=True)
        self.thread.start()

    def _read(self) -> None:
        head: bool | bytes = self.way.port == PIPE_PORT  # pv sends no header
        answer = b""
        end = self.start + self.deadline_s
        last, lost = end + BUSY_S, 0
        while len(self.body) < self.way.size:
            self.socket.settimeout(max(end - time.monotonic(), 0.001))
            try:
                read = self.socket.recv(1 << 20)
            except TimeoutError:
                # Bytes held back at two looks in a row will stay. At one look, a splice may be under way.
                lost = lost + 1 if any(one.timer in NOBODY_COMES for one in self._held()) else 0
                if lost == 2 or end == last:
                    self.ended = KEPT if lost == 2 else PATIENT
                    break
                end = min(time.monotonic() + STEP_S, last)  # who stood still looks late
                continue
            if not read:
                self.ended = CLOSED
                break
            answer, lost = answer + read, 0
            if not head:
                _, head, self.body = answer.partition(b"\r\n\r\n")
            else:
                self.body += read
            if head and self.body:
                came = len(self.body) - sum(size for _, size in self.arrivals)
                self.arrivals.append(((time.monotonic() - self.start) * 1e3, came))
        self.took_ms = (time.monotonic() - self.start) * 1e3
        self.held = self._held()
        self.segments = tcp_info(self.socket).data_segs_in

    def _held(self) -> list[Socket]:
        """What the server's kernel holds back of this answer."""
        local, remote = (PORT, PROXIED) if self.way.port == PROXY_PORT else (self.way.port, (self.port,))
        ours = set(remote) - self.earlier
        return [
            one
            for one in self.net.server.sockets()
            if one.state == ESTABLISHED and one.queued_bytes and one.local_port == local and one.remote_port in ours
        ]

    def fetched(self) -> Fetched:
        """Waits for the end, closes the connection."""
        self.thread.join()
        self.socket.close()
        return Fetched(
            self.way,
            len(self.body),
            self.took_ms,
            self.arrivals,
            self.segments,
            self.held,
            self.port,
            self.body,
            ended=self.ended,
            held_up_ms=self.held_up_ms,
        )


def fetch(
    net: Network,
    ways: Iterable[Way] = WAYS,
    tracer: Tracer | None = None,
    state: str = "",
    deadline_s: float = DEADLINE_S,
    clock: StallDetector | None = None,
) -> dict[str, tuple[str, Fetched]]:
    """Makes the requests one after the other; one that does not end soon is left to end by itself.
    `state` is what the kernel is in, for the names of the connections. A `clock` looks on.

    Gives, by the way's name, the connection's name for `with_events` and what became of it.
    """
    started = []
    for way in ways:
        if clock:
            clock.begin()
        started.append(Fetch(net, way, tracer, state, deadline_s))
        started[-1].thread.join(PATIENCE_S)
        if clock:
            started[-1].held_up_ms = clock.late_ms()
    return {one.way.name: (one.name, one.fetched()) for one in started}


def with_events(fetched: dict[str, tuple[str, Fetched]], events: list[Event]) -> Seen:
    """Add the tracer's events to what was fetched, once the tracer has ended; the header's own push left out."""
    found = Seen()
    for name, (connection, one) in fetched.items():
        own = [event for event in events if event.connection == connection]
        if one.way.port != PIPE_PORT and one.way.port != PROXY_PORT:
            first = next((number for number, event in enumerate(own) if event.function == "tcp_push"), -1)
            own = own[first + 1 :]
        found[name] = replace(one, events=own)
    return found
