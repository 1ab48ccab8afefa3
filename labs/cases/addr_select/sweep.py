"""How does the cost of a packet grow with the number of addresses, and what did the setting change?

Two networks: one is timed, in the other the kernel's calls are counted, because a counted call takes
longer. Addresses are only ever added (see `Network.announce`), so the sweep goes up. Both networks
stand until the end: the kernel takes thousands of addresses down in the background, for seconds.
"""

from __future__ import annotations

import statistics
import time
from dataclasses import dataclass, field

from labs.cases.addr_select.network import Network, Silent
from labs.cases.addr_select.workload import APART_S, ROUNDS, Cost, Sender, calls_of, cost_of, counting, fastest, ping_ms

STORY = 512  # addresses, the report's number
RATIO_AT = 4096
MOST_V4 = 1024  # the kernel walks a device's IPv4 addresses to add one (__inet_insert_ifa())
KINDS = ("unconnected", "connected", "bound", "pktinfo")


@dataclass(frozen=True)
class Point:
    """One way of sending at one number of addresses: time of a send and of a ping, and the calls
    that one packet makes."""

    cost: Cost
    ping_ms: float
    calls: dict[str, int] = field(default_factory=dict)

    def faster(self, other: Point) -> Point:
        """The better time of two rounds, each for itself."""
        return Point(fastest((self.cost, other.cost)), min(self.ping_ms, other.ping_ms), self.calls)

    def to_json(self) -> dict:
        return self.cost.to_json() | {"ping_ms": self.ping_ms, "calls": self.calls}


@dataclass(frozen=True)
class Line:
    """A straight line through (addresses, microseconds): least squares, and Pearson's correlation."""

    slope_ns: float
    start_us: float
    correlation: float

    @classmethod
    def through(cls, points: dict[int, float]) -> Line:
        counts, times_us = list(points), list(points.values())
        if len(counts) < 3:  # two points are on a line whatever they are
            return cls(0.0, times_us[0], 0.0)
        slope, start = statistics.linear_regression(counts, times_us)
        return cls(slope * 1e3, start, statistics.correlation(counts, times_us))

    def at_us(self, addresses: int) -> float:
        """What the line says of a number of addresses."""
        return self.start_us + self.slope_ns * addresses / 1e3

    def to_json(self) -> dict:
        return {"slope_ns": round(self.slope_ns, 1), "start_us": round(self.start_us, 1),
                "correlation": round(self.correlation, 5)}


@dataclass
class Sweep:
    """By number of addresses: `broken` and `fixed` (use_oif_addrs_only), and `ipv4` as far as it went.
    `rates` are packets a second of processor time; `sockets` are by kind, at `sockets_at` addresses.
    `topology` describes the hosts."""

    broken: dict[int, Point] = field(default_factory=dict)
    fixed: dict[int, Point] = field(default_factory=dict)
    ipv4: dict[int, Point] = field(default_factory=dict)
    rates: dict[int, dict[str, float]] = field(default_factory=dict)
    sockets: dict[str, Cost] = field(default_factory=dict)
    socket_calls: dict[str, dict[str, int]] = field(default_factory=dict)
    sockets_at: int = 0
    learnt: int = 0
    setup_s: float = 0.0
    topology: dict = field(default_factory=dict)

    def line(self, points: dict[int, Point]) -> Line:
        """Send cost against addresses."""
        return Line.through({count: point.cost.send_us for count, point in points.items()})

    def ratio(self, count: int) -> float:
        """How much longer a send takes than with the setting."""
        return self.broken[count].cost.send_us / self.fixed[count].cost.send_us

    def ping_ratio(self, count: int) -> float:
        return self.broken[count].ping_ms / self.fixed[count].ping_ms


def counts(most: int) -> list[int]:
    """Numbers of addresses to stop at: the powers of two, and `most`."""
    powers = [1 << power for power in range(most.bit_length()) if 1 << power <= most]
    return sorted({*powers, most})


def sweep(most: int) -> Sweep:
    """Both networks, from one address to `most`."""
    seen = Sweep(sockets_at=min(STORY, most))
    with Network() as timing, Silent() as counting_in:
        seen.topology = timing.describe()
        timed(timing, most, seen)
        counted(counting_in, most, seen)
    return seen


def timed(net: Network, most: int, seen: Sweep) -> None:
    """Fills in everything that has a time."""
    with Sender(net) as sender, Sender(net, "ipv4") as ipv4:
        for count in counts(most):
            net.announce(count)
            seen.learnt = net.learnt()
            if count == seen.sockets_at:
                seen.sockets = {kind: cost_of(net, kind) for kind in KINDS}
            if count <= MOST_V4:
                net.announce_v4(count)
            # From the story's number on they make the ratios and the line; a busy moment doubles a whole round.
            for _ in range(ROUNDS if count >= STORY else 1):
                if count >= STORY:
                    time.sleep(APART_S)
                again(seen.broken, count, sender, net)
                net.only_outgoing(True)
                again(seen.fixed, count, sender, net)
                net.only_outgoing(False)
                if count <= MOST_V4:
                    again(seen.ipv4, count, ipv4, net)
            if count in (STORY, most):
                broken_rate = sender.rate()
                net.only_outgoing(True)
                seen.rates[count] = {"broken": broken_rate, "fixed": sender.rate()}
                net.only_outgoing(False)


def again(points: dict[int, Point], count: int, sender: Sender, net: Network) -> None:
    """Times sends and pings once more; the faster of both times stays."""
    point = Point(sender.cost(), ping_ms(net, sender.to[0]))
    points[count] = point.faster(points.get(count, point))


def counted(net: Network, most: int, seen: Sweep) -> None:
    """Fills in the calls of one packet, and the time that adding the addresses took."""
    with counting() as calls, Sender(net) as sender:
        for count in counts(most):
            start = time.monotonic()
            net.announce(count)
            seen.setup_s += time.monotonic() - start
            seen.broken[count].calls.update(sender.calls(calls))
            if count == seen.sockets_at:
                seen.socket_calls = {kind: calls_of(net, calls, kind) for kind in KINDS}
            net.only_outgoing(True)
            seen.fixed[count].calls.update(sender.calls(calls))
            net.only_outgoing(False)
