"""Where is a TCP segment in its connection, and were its bytes seen before? For captures of thousands."""

from __future__ import annotations

import bisect
from typing import TypeAlias

Flow: TypeAlias = tuple[str, str, int, str, int]  # the node, and from which address and port to which
Place: TypeAlias = tuple[str, str, bool | None]  # node, interface, and whether it was on its way out
Way: TypeAlias = tuple[Place, str, int, str, int]  # a flow, at one place


class Flows:
    """Sequence numbers counted from a connection's start, and which bytes were seen before."""

    def __init__(self) -> None:
        self.base: dict[Flow, int] = {}
        self.seen: dict[Way, list[tuple[int, int]]] = {}

    def relative(self, flow: Flow, number: int) -> int:
        """`number` less the flow's first sequence number, across the 32-bit wrap."""
        # A capture that begins in mid-connection takes what it sees first for byte 1.
        base = self.base.setdefault(flow, (number - 1) & 0xFFFFFFFF)
        offset = (number - base) & 0xFFFFFFFF
        return offset - (1 << 32) if offset >> 31 else offset

    def sent(self, way: Way, flow: Flow, number: int, taken: int, syn: bool) -> tuple[int, bool]:
        """Relative sequence number, and whether any of its `taken` numbers passed here before."""
        if syn and self.base.get(flow) != number:  # a new connection, maybe on old ports
            self.base[flow] = number
            for old in [old for old in self.seen if (old[0][0], *old[1:]) == flow]:
                del self.seen[old]
        start = self.relative(flow, number)
        end = start + taken
        ranges = self.seen.setdefault(way, [])
        if not taken:
            return start, False
        first = bisect.bisect_left(ranges, start, key=lambda known: known[1])
        last = bisect.bisect_right(ranges, end, key=lambda known: known[0])
        touched = ranges[first:last]
        again = any(low < end and start < high for low, high in touched)
        low = min([start, *(known[0] for known in touched)])
        high = max([end, *(known[1] for known in touched)])
        ranges[first:last] = [(low, high)]
        return start, again
