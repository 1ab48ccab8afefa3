"""How does the cost of a packet grow with the number of addresses, and what did the setting change?

Two networks: one is timed, in the other the kernel's calls are counted, because a counted call takes
longer. Addresses are only ever added (see `Network.announce`), so the sweep goes up. Both networks
stand until the end: the kernel takes thousands of addresses down in the background, for seconds.
"""

from __future__ import annotations

import math
import statistics
import time
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, field, replace
from functools import reduce
from typing import TYPE_CHECKING, cast

from labs.cases.addr_select.costs import HELD_UP_MS, Cost
from labs.cases.addr_select.names import REPORTED
from labs.cases.addr_select.network import Network, Silent
from labs.cases.addr_select.workload import (
    APART_S,
    NEEDED,
    ROUNDS,
    Sender,
    calls_of,
    cost_of,
    counting,
    fastest,
    ping_ms,
)
from labs.measure.clock import StallDetector
from labs.measure.rounds import Rounds

if TYPE_CHECKING:
    from core.draw.topology_svg import Described

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
    use too may be twice as fast a second later. `held_up_ms` is the longest that it stood still meanwhile."""

    broken: Point
    fixed: Point
    ipv4: Point | None = None
    held_up_ms: float = 0

    def to_json(self) -> dict:
        """Plain values. No calls: they are counted in another network."""
        ways = {"broken": self.broken, "fixed": self.fixed, "ipv4": self.ipv4}
        return {"held_up_ms": round(self.held_up_ms, 2)} | {
            name: point.cost.to_json() | {"ping_ms": point.ping_ms} for name, point in ways.items() if point
        }


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
    """What was seen, by number of addresses: `broken` and `fixed` (use_oif_addrs_only), and `ipv4` as far as it went.
    Their times are the best of the `turns` that count, which there are at further numbers, too, if asked for. `rates`
    are packets a second of processor time; `sockets` are by kind, at `sockets_at` addresses. `topology` describes the
    hosts."""

    broken: dict[int, Point] = field(default_factory=dict)
    fixed: dict[int, Point] = field(default_factory=dict)
    ipv4: dict[int, Point] = field(default_factory=dict)
    turns: dict[int, Rounds[Turn]] = field(default_factory=dict)
    rates: dict[int, dict[str, float]] = field(default_factory=dict)
    sockets: dict[str, Cost] = field(default_factory=dict)
    socket_calls: dict[str, dict[str, int]] = field(default_factory=dict)
    sockets_at: int = 0
    learnt: int = 0
    setup_s: float = 0.0
    topology: Described = field(default_factory=lambda: cast("Described", {}))

    def line(self, points: dict[int, Point]) -> Line:
        """Send cost against addresses."""
        return Line.through({count: point.cost.send_us for count, point in points.items()})

    def ratio(self, count: int) -> float:
        """How much longer a send takes than with the setting."""
        return self.turns[count].median(lambda turn: turn.broken.cost.send_us / turn.fixed.cost.send_us)

    def ping_ratio(self, count: int) -> float:
        return self.turns[count].median(lambda turn: turn.broken.ping_ms / turn.fixed.ping_ms)

    def ipv4_ratio(self, count: int) -> float:
        """How much longer an IPv4 send takes than an IPv6 one with the setting."""
        return self.turns[count].median(lambda turn: turn.ipv4.cost.send_us / turn.fixed.cost.send_us)

    def ratios(self, most: int) -> Line:
        """`ratio` against addresses, up to so many."""
        return Line.through({count: self.ratio(count) for count in self.broken if count <= most})


def counts(most: int) -> list[int]:
    """Numbers of addresses to stop at: the powers of two, and `most`."""
    powers = [1 << power for power in range(most.bit_length()) if 1 << power <= most]
    return sorted({*powers, most})


def sweep(most: int, apart: Collection[int] = (), all_interfaces: bool = True) -> Sweep:
    """Take both networks from one address to `most`; at those `apart` only turns are taken, for no line."""
    seen = Sweep(sockets_at=min(REPORTED, most))
    with Network(all_interfaces) as timing, Silent(all_interfaces) as counting_in:
        seen.topology = timing.describe()
        measure_times(timing, most, seen, apart)
        count_calls(counting_in, most, seen)
    return seen


def measure_times(net: Network, most: int, seen: Sweep, apart: Collection[int] = ()) -> None:
    """Fill in everything that has a time."""
    bound_ms = HELD_UP_MS if most >= REPORTED else math.inf  # with fewer addresses no time is judged
    with Sender(net) as sender, Sender(net, "ipv4") as ipv4, StallDetector() as clock:
        for count in sorted({*counts(most), *apart}):
            net.announce(count)
            seen.learnt = net.learnt()
            if count == seen.sockets_at:
                seen.sockets = {kind: cost_of(net, kind) for kind in KINDS}
            if count <= MOST_V4:
                net.announce_v4(count)
            turns = []
            for _ in range(ROUNDS):
                if count >= REPORTED:  # from here on they are judged one by one; a busy moment doubles a whole turn
                    time.sleep(APART_S)
                clock.begin()
                turn = timed_once(net, sender, ipv4 if count <= MOST_V4 else None)
                turns.append(replace(turn, held_up_ms=clock.late_ms()))
            seen.turns[count] = Rounds(turns, bound_ms, NEEDED)
            if count not in apart:
                best(seen, count, seen.turns[count].measured or turns)
            if count in (REPORTED, most):
                seen.rates[count] = dict(zip(("broken", "fixed"), both(net, sender.rate)))


def timed_once(net: Network, sender: Sender, ipv4: Sender | None) -> Turn:
    """All ways, one right after the other: the sends, which take milliseconds, and then the pings."""
    costs = both(net, sender.cost)
    cost_v4 = ipv4.cost() if ipv4 else None
    pings = both(net, lambda: ping_ms(net))
    with_v4 = Point(cost_v4, ping_ms(net, ipv4.to[0])) if ipv4 and cost_v4 else None
    return Turn(Point(costs[0], pings[0]), Point(costs[1], pings[1]), with_v4)


def both(net: Network, measure: Callable) -> tuple:
    """What is measured as the node is, and with the setting."""
    broken = measure()
    net.only_outgoing(True)
    fixed = measure()
    net.only_outgoing(not net.all_interfaces)
    return broken, fixed


def best(seen: Sweep, count: int, turns: Sequence[Turn]) -> None:
    """Fill in the points at this number of addresses: of each way the faster of all times."""
    seen.broken[count] = reduce(Point.faster, (turn.broken for turn in turns))
    seen.fixed[count] = reduce(Point.faster, (turn.fixed for turn in turns))
    if turns[0].ipv4:
        seen.ipv4[count] = reduce(Point.faster, (turn.ipv4 for turn in turns if turn.ipv4))


def count_calls(net: Network, most: int, seen: Sweep) -> None:
    """Fill in the calls of one packet, and the time that adding the addresses took."""
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
