"""What do the clients do, and how long do they wait?

Two connections, A and B, are opened before anything large is sent. Then A asks, then B, then B
again. `direct` sends full segments to the echo service by writev; `sidecar` sends HTTP requests
with a long header through TLS and the sidecar. Both look on with tcpdump, so that the wait is
known from two sides: the client's clock, and the time at which the segment left.
"""

from __future__ import annotations

import os
import socket
import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from decimal import Decimal
from typing import TYPE_CHECKING, Any

from core.wire.packet import Packet
from labs.cases.frag_needed.names import ECHO_PORT, TLS_PORT, VIP
from labs.cases.frag_needed.network import END, SERVED_BYTES, Network
from labs.cases.frag_needed.observed import Exchange, Observed
from labs.measure.clock import StallDetector, idled_s
from labs.net.counters import counters, moved
from labs.net.tcp_info import TcpInfo, tcp_info
from labs.wire.capture import Capture

if TYPE_CHECKING:  # only a trace needs it
    from labs.trace.tracer import Tracer

HEADER_BYTES = 3000  # of a request through the sidecar: more than two segments
LINE_BYTES = 7000  # of a header at most: nginx takes lines of 8 KiB
SMALL_BYTES, LARGE_BYTES = (
    10,
    20_000,
)  # of the exchanges that are not of one full segment; the latter is one of SERVED_BYTES
DEADLINE_S = 20
# All that leaves or reaches the client, and ICMP wherever it goes; what the redirect sends over
# `lo` to the sidecar would double the packets to be read.
ON_THE_WAY = "icmp or (tcp and not net 127.0.0.0/8)"


class Direct:
    """A connection of the direct client to the echo service behind the balancer.

    `full_bytes` is what fits in a segment by the MSS of the connection's start; each question is
    that long, whatever the MSS has become.
    """

    def __init__(self, net: Network, name: str) -> None:
        self.name = name
        with net.client.inside():
            self.socket = socket.create_connection((VIP, ECHO_PORT), DEADLINE_S)
        self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)  # as a proxy does
        self.full_bytes = self.socket.getsockopt(socket.IPPROTO_TCP, socket.TCP_MAXSEG)

    @property
    def port(self) -> int:
        """The connection's TCP port at the client."""
        return self.socket.getsockname()[1]

    def info(self) -> TcpInfo:
        """The kernel's state of the connection, now."""
        return tcp_info(self.socket)

    def ask(self, size: int | None = None, meanwhile: Callable[[], None] | None = None) -> tuple[int, TcpInfo]:
        """Sends one full segment, or so many bytes, and waits for its echo, if there is nothing to be done `meanwhile`;
        bytes sent, state right after the call."""
        question = b"?" * (self.full_bytes if size is None else size)
        written = os.writev(self.socket.fileno(), [question])
        after = self.info()
        self.socket.sendall(question[written:])
        if meanwhile:
            meanwhile()
        self.receive(len(question))
        return len(question), after

    def receive(self, size: int) -> None:
        """Waits for so many bytes of an echo."""
        while size:
            size -= len(self.socket.recv(size)) or _ended(self.name)

    def close(self) -> None:
        self.socket.close()


class ThroughSidecar:
    """A TLS connection to nginx; the kernel takes it to the sidecar, which makes one of its own."""

    def __init__(self, net: Network, name: str, in_bulk: bool = False) -> None:
        self.name = name
        with net.client.inside():
            plain = socket.create_connection((VIP, TLS_PORT), DEADLINE_S)
        self.socket = (net.tls_in_bulk if in_bulk else net.tls).wrap_socket(plain)

    def info(self) -> None:
        """Return nothing, because this connection ends at the sidecar, and is not the one that waits."""

    def ask(self, size: int | None = None) -> tuple[int, None]:
        """Sends one request and waits for its answer; bytes of the request. One of SERVED_BYTES gets as many back."""
        padding, left = "", HEADER_BYTES if size is None else size
        while left:
            padding += f"Padding: {'p' * min(left, LINE_BYTES)}\r\n"
            left -= min(left, LINE_BYTES)
        path = f"/{size}" if size in SERVED_BYTES else "/"
        request = f"GET {path} HTTP/1.1\r\nHost: vip\r\n{padding}\r\n".encode()
        self.socket.sendall(request)
        answer = b""
        while not answer.endswith(END):
            answer = answer[-len(END) :] + (self.socket.recv(65536) or _ended(self.name))
        return len(request), None

    def close(self) -> None:
        self.socket.close()


def _ended(name: str):
    raise ConnectionError(f"expected an answer on connection {name}, found its end")


class Instruments:
    """tcpdump at the client, and the clock that says when the machine stood still; for the length of a `with` block."""

    def __init__(self, net: Network) -> None:
        self.net, self.clock = net, StallDetector()

    def __enter__(self) -> Instruments:
        self.clock.__enter__()  # a fork: before there is a thread that listens to tcpdump
        try:
            self.capture = Capture(self.net.folder / "client.pcap", "client", filter=ON_THE_WAY)
            with self.net.client.inside():  # tcpdump begins there, and stays
                self.capture.__enter__()
        except BaseException:
            self.clock.__exit__()
            raise
        return self

    def seen_since(self, start_s: float) -> tuple[list[Packet], bytes]:
        """What passed since somebody asked last: packets, their times from `start_s` on, and tcpdump's own file."""
        pcap = self.capture.cut()
        return self.capture.read(pcap, Decimal(repr(start_s))), pcap

    def __exit__(self, kind, error, trace) -> None:
        self.clock.__exit__()
        self.capture.__exit__(kind, error, trace)


class Watch:
    """Exchanges under tcpdump, for the length of a `with` block; `observed` is what was seen.

    Connections made by `open` are closed at the block's end. `instruments` that are open already serve several blocks,
    one after the other: tcpdump takes longer to start than an exchange.
    """

    def __init__(self, net: Network, instruments: Instruments | None = None) -> None:
        self.net = net
        self.connections: dict[str, Any] = {}
        self.exchanges: list[Exchange] = []
        self.instruments, self.ours = instruments or Instruments(net), not instruments
        self.observed: Observed | None = None

    @property
    def seen(self) -> Observed:
        """What was observed in a block in which something was asked."""
        if self.observed is None:
            raise LookupError("nothing was asked, so nothing was seen")
        return self.observed

    def __enter__(self) -> Watch:
        if self.ours:
            self.instruments.__enter__()
        self.before = counters(self.net.client)
        return self

    def open(self, kind: type, *names: str) -> list:
        """Connections of a kind, ready: with nothing on its way in either direction."""
        for name in names:
            self.connections[name] = kind(self.net, name)
        self.net.settle()
        return [self.connections[name] for name in names]

    def ask(self, name: str, called: str = "", size: int | None = None) -> Exchange:
        """One question on a connection, and its answer; `called` names the exchange, and `size` is in bytes, if it is
        not to be the connection's own."""
        connection = self.connections[name]
        earlier = any(exchange.connection == name for exchange in self.exchanges)
        self.instruments.clock.begin()
        # In this order: after a stop between the clocks the exchange ends too late, and not before its packets.
        before, idle_s, start, at_s = connection.info(), idled_s(), time.monotonic(), time.time()
        size, after = connection.ask(size)
        waited_ms = (time.monotonic() - start) * 1e3
        idle_ms = (idled_s() - idle_s) * 1e3
        called = called or name + " again" * earlier
        self.exchanges.append(
            Exchange(called, name, size, at_s, waited_ms, before, after, self.instruments.clock.late_ms(), idle_ms)
        )
        return self.exchanges[-1]

    def __exit__(self, kind, error, trace) -> None:
        self.close()
        try:
            if kind is None and self.exchanges:
                self.observe()
        finally:
            if self.ours:
                self.instruments.__exit__(kind, error, trace)

    def close(self) -> None:
        """Closes the connections."""
        for connection in self.connections.values():
            connection.close()

    def observe(self) -> Observed:
        """What was seen of the exchanges, and of all since the watch before it."""
        start_s = self.exchanges[0].at_s
        exchanges = [replace(exchange, at_s=exchange.at_s - start_s) for exchange in self.exchanges]
        packets, pcap = self.instruments.seen_since(start_s)
        self.observed = Observed(exchanges, packets, moved(self.before, counters(self.net.client)), pcap)
        return self.observed


def direct(
    net: Network, order: Sequence[str] = "ABB", tracer: Tracer | None = None, instruments: Instruments | None = None
) -> Observed:
    """Connections past the sidecar, and who asks in what order; an attached tracer watches them."""
    return _asked(net, Direct, order, tracer, instruments)


def sidecar(net: Network, order: Sequence[str] = "ABB", instruments: Instruments | None = None) -> Observed:
    """Ask through TLS and the sidecar."""
    return _asked(net, ThroughSidecar, order, None, instruments)


def _asked(
    net: Network, kind: type, order: Sequence[str], tracer: Tracer | None, instruments: Instruments | None
) -> Observed:
    with Watch(net, instruments) as watch:
        for connection in watch.open(kind, *sorted(set(order))):
            if tracer:
                tracer.watch(connection.name, connection.port)
        for name in order:
            watch.ask(name)
    return watch.seen
