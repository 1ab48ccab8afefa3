"""What does a packet cost its sender? UDP sends of every kind of socket, and ping, at a number of addresses."""

from __future__ import annotations

import re
import socket
import statistics
import struct
import time
from collections.abc import Iterable, Iterator
from contextlib import contextmanager

from labs.cases.addr_select.costs import TURNS, Cost, Pair
from labs.cases.addr_select.names import EVAL, LABEL, NODE, PEER, PEER_V4, SELECT
from labs.cases.addr_select.network import Network
from labs.measure.clock import StallDetector
from labs.trace.calls import Calls

PACKET = b"?"
SENDS, PINGS = 15, 5
ROUNDS, NEEDED, APART_S = 3, 2, 0.7  # seconds; a busy machine is busy for longer than one measurement takes
COUNTED = (SELECT, EVAL, LABEL)


class Sender:
    """A UDP socket on the node and one on the peer that takes what comes.

    `kind` is how the sender's address is settled: "unconnected" asks the kernel at each send,
    "connected" asked once, "bound" chose by itself, "pktinfo" says so with every packet
    (IPV6_PKTINFO, RFC 3542, 6.2), "ipv4" is unconnected too.
    """

    def __init__(self, net: Network, kind: str = "unconnected", source: str = NODE, peer: str = PEER) -> None:
        family, peer = (socket.AF_INET, PEER_V4) if kind == "ipv4" else (socket.AF_INET6, peer)
        self.kind = kind
        with net.peer.inside():
            self.sink = socket.socket(family, socket.SOCK_DGRAM)
            self.sink.bind((peer, 0))
            self.sink.settimeout(10)
            self.to = self.sink.getsockname()[:2]
        with net.node.inside():
            self.socket = socket.socket(family, socket.SOCK_DGRAM)
        if kind == "bound":
            self.socket.bind((source, 0))
        if kind == "connected":
            self.socket.connect(self.to)
        pktinfo = struct.pack("16sI", socket.inet_pton(socket.AF_INET6, source), 0)
        self.ancillary = [(socket.IPPROTO_IPV6, socket.IPV6_PKTINFO, pktinfo)]

    def __enter__(self) -> Sender:
        return self

    def __exit__(self, *_) -> None:
        self.socket.close()
        self.sink.close()

    def send(self) -> None:
        """One packet."""
        if self.kind == "connected":
            self.socket.send(PACKET)
        elif self.kind == "pktinfo":
            self.socket.sendmsg([PACKET], self.ancillary, 0, self.to)
        else:
            self.socket.sendto(PACKET, self.to)

    def seen_source(self) -> str:
        """The source address of the next packet, as the peer sees it. Raises TimeoutError if none comes."""
        return self.sink.recvfrom(16)[1][0]

    def cost(self, sends: int = SENDS) -> Cost:
        """Time of `sends` packets, one by one, each received before the next goes."""
        took_ns, sources = [], set()
        for _ in range(sends):
            start = time.perf_counter_ns()
            self.send()
            took_ns.append(time.perf_counter_ns() - start)
            sources.add(self.seen_source())
        return Cost(
            min(took_ns) / 1e3,
            statistics.median(took_ns) / 1e3,
            statistics.mean(took_ns) / 1e3,
            ", ".join(sorted(sources)),
        )

    def rate(self, length_s: float = 0.4) -> float:
        """Packets a second of one processor's time, which is what another program may take away."""
        start_ns, sent = time.thread_time_ns(), 0
        while (took_ns := time.thread_time_ns() - start_ns) < length_s * 1e9:
            self.send()
            sent += 1
        self._drain()
        return sent / took_ns * 1e9

    def calls(self, calls: Calls) -> dict[str, int]:
        """Calls that one packet makes; the first goes before, so that neighbours are known."""
        self.send()
        before = calls.now()
        self.send()
        counted = calls.since(before)
        self._drain()
        return counted

    def _drain(self) -> None:
        """What still waits at the peer would be taken for an answer to a later question."""
        self.sink.setblocking(False)
        try:
            while True:
                self.sink.recv(16)
        except BlockingIOError:
            self.sink.settimeout(10)


def by_turns(one: Sender, other: Sender, sends: tuple[int, int] = (SENDS, SENDS)) -> list[Pair]:
    """Time so many sends of each sender, one after the other and again, because a machine that others use too may be
    twice as fast a second later."""
    pairs = []
    with StallDetector() as clock:
        for _ in range(TURNS):
            clock.begin()
            costs = one.cost(sends[0]), other.cost(sends[1])
            pairs.append(Pair(*costs, clock.late_ms()))
    return pairs


def fastest(costs: Iterable[Cost]) -> Cost:
    """The cost in the round in which a send was fastest."""
    return min(costs, key=lambda cost: cost.send_us)


def cost_of(net: Network, kind: str = "unconnected") -> Cost:
    """What one send costs here."""
    with Sender(net, kind) as sender:
        return sender.cost()


def calls_of(net: Network, calls: Calls, kind: str = "unconnected") -> dict[str, int]:
    """Calls that one packet makes here."""
    with Sender(net, kind) as sender:
        return sender.calls(calls)


@contextmanager
def counting(functions: tuple[str, ...] = COUNTED) -> Iterator[Calls]:
    """Counters of the functions of source address selection."""
    with Calls(functions) as calls:
        yield calls


def ping_ms(net: Network, peer: str = PEER, count: int = PINGS) -> float:
    """The fastest of `count` pings from the node, in ms."""
    said = net.node.on("ping", "-n", "-q", "-c", str(count), "-i", "0.002", peer)
    return float(re.findall(r"= ([\d.]+)/", said)[0])
