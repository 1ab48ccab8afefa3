"""How does the cost of a packet grow with the number of addresses, and what did the setting change?

Two networks: one is timed, in the other the kernel's calls are counted, because a counted call takes
longer. Addresses are only ever added (see `Network.announce`), so the sweep goes up. Both networks
stand until the end: the kernel takes thousands of addresses down in the background, for seconds.
"""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable, Collection
from dataclasses import dataclass, field

from labs.cases.addr_select.network import Network, Silent
from labs.cases.addr_select.workload import APART_S, ROUNDS, Cost, Sender, calls_of, cost_of, counting, fastest, ping_ms

REPORTED = 512  # addresses, the report's number
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
class Turn:
    """One look at a number of addresses. What is compared is of the same turn, for a machine that others
    use too may be twice as fast a second later."""

    broken: Point
    fixed: Point
    ipv4: Point | None = None


@dataclass(frozen=True)
class Line:
    """A straight line through (addresses, microseconds or a ratio): least squares, and Pearson's correlation."""

    slope_ns: float
    start_us: float
    correlation: float

    @classmethod
    def through(cls, points: dict[int, float]) -> Line:
        counts, times_us = list(points), list(points.values())
        if len(counts) < 3 or len(set(times_us)) == 1:  # two points are on a line whatever they are
            return cls(0.0, times_us[0], 0.0)
        slope, start = statistics.linear_regression(counts, times_us)
        return cls(slope * 1e3, start, statistics.correlation(counts, times_us))

    def at(self, addresses: int) -> float:
        """What the line says of a number of addresses."""
        return self.start_us + self.slope_ns * addresses / 1e3

    def to_json(self) -> dict:
        return {
            "slope_ns": round(self.slope_ns, 1),
            "start_us": round(self.start_us, 1),
            "correlation": round(self.correlation, 5),
        }


@dataclass
class Sweep:
    """By number of addresses: `broken` and `fixed` (use_oif_addrs_only), and `ipv4` as far as it went.
    Their times are the best of the `turns`, which there are at further numbers, too, if asked for.
    `rates` are packets a second of processor time; `sockets` are by kind, at `sockets_at` addresses.
    `topology` describes the hosts."""

    broken: dict[int, Point] = field(default_factory=dict)
    fixed: dict[int, Point] = field(default_factory=dict)
    ipv4: dict[int, Point] = field(default_factory=dict)
    turns: dict[int, list[Turn]] = field(default_factory=dict)
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
        return statistics.median(turn.broken.cost.send_us / turn.fixed.cost.send_us for turn in self.turns[count])

    def ping_ratio(self, count: int) -> float:
        return statistics.median(turn.broken.ping_ms / turn.fixed.ping_ms for turn in self.turns[count])

    def ipv4_ratio(self, count: int) -> float:
        """How much longer an IPv4 send takes than an IPv6 one with the setting."""
        return statistics.median(turn.ipv4.cost.send_us / turn.fixed.cost.send_us for turn in self.turns[count])

    def ratios(self, most: int) -> Line:
        """`ratio` against addresses, up to so many."""
        return Line.through({count: self.ratio(count) for count in self.broken if count <= most})


def counts(most: int) -> list[int]:
    """Numbers of addresses to stop at: the powers of two, and `most`."""
    powers = [1 << power for power in range(most.bit_length()) if 1 << power <= most]
    return sorted({*powers, most})


def sweep(most: int, apart: Collection[int] = ()) -> Sweep:
    """Both networks, from one address to `most`; at those `apart` only turns are taken, for no line."""
    seen = Sweep(sockets_at=min(REPORTED, most))
    with Network() as timing, Silent() as counting_in:
        seen.topology = timing.describe()
        timed(timing, most, seen, apart)
        counted(counting_in, most, seen)
    return seen


def timed(net: Network, most: int, seen: Sweep, apart: Collection[int] = ()) -> None:
    """Fills in everything that has a time."""
    with Sender(net) as sender, Sender(net, "ipv4") as ipv4:
        for count in sorted({*counts(most), *apart}):
            net.announce(count)
            seen.learnt = net.learnt()
            if count == seen.sockets_at:
                seen.sockets = {kind: cost_of(net, kind) for kind in KINDS}
            if count <= MOST_V4:
                net.announce_v4(count)
            # From the report's number on they make the ratios and the line; a busy moment doubles a whole turn.
            for _ in range(ROUNDS if count >= REPORTED else 1):
                if count >= REPORTED:
                    time.sleep(APART_S)
                turn = timed_once(net, sender, ipv4 if count <= MOST_V4 else None)
                seen.turns.setdefault(count, []).append(turn)
                if count in apart:
                    continue
                keep(seen.broken, count, turn.broken)
                keep(seen.fixed, count, turn.fixed)
                if turn.ipv4:
                    keep(seen.ipv4, count, turn.ipv4)
            if count in (REPORTED, most):
                seen.rates[count] = dict(zip(("broken", "fixed"), both(net, sender.rate)))


def timed_once(net: Network, sender: Sender, ipv4: Sender | None) -> Turn:
    """All ways, one right after the other: the sends, which take milliseconds, and then the pings."""
    costs = both(net, sender.cost)
    cost_v4 = ipv4 and ipv4.cost()
    pings = both(net, lambda: ping_ms(net))
    return Turn(Point(costs[0], pings[0]), Point(costs[1], pings[1]), ipv4 and Point(cost_v4, ping_ms(net, ipv4.to[0])))


def both(net: Network, measure: Callable) -> tuple:
    """What is measured as the node is, and with the setting."""
    broken = measure()
    net.only_outgoing(True)
    fixed = measure()
    net.only_outgoing(False)
    return broken, fixed


def keep(points: dict[int, Point], count: int, point: Point) -> None:
    """The faster of both times stays."""
    points[count] = point.faster(points.get(count, point))


def counted(net: Network, most: int, seen: Sweep) -> None:
    """Fills in the calls of one packet, and the time that adding the addresses took."""
    with counting() as calls, Sender(net) as sender:
        for count in counts(most):
            start = time.monotonic()
            net.announce(count)
            seen.setup_s += time.monotonic() - start
            broken, fixed = both(net, lambda: sender.calls(calls))
            seen.broken[count].calls.update(broken)
            seen.fixed[count].calls.update(fixed)
            if count == seen.sockets_at:
                seen.socket_calls = {kind: calls_of(net, calls, kind) for kind in KINDS}
