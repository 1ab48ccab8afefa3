"""Is each retransmission 40 bytes smaller than the last, as the report has it?

The report says that packets are sent again with a segment size 40 bytes lower each time, until one
arrives. Here is every range of bytes that was dropped, with the sizes of all frames that carried its
first byte, in order.
"""

from collections import Counter
from dataclasses import dataclass
from functools import cached_property

from core.wire.packet import Packet
from labs.cases.rtl8139_tso.names import NARROW_MTU
from labs.cases.rtl8139_tso.observed import Download


@dataclass(frozen=True)
class SentAgain:
    """What became of the segments that the router dropped."""

    seen: Download

    @cached_property
    def tries(self) -> list[tuple[int, ...]]:
        """Tries to send each dropped segment, in order: payloads of all frames with its first byte, up to the one that
        passed the narrow link (or the download's end)."""
        found: dict[int, list[Packet]] = {}
        for packet in self.seen.data:
            if packet.seq is None:
                continue
            for first in list(found):
                if packet.seq <= first < packet.seq + packet.payload_bytes and not _passed(found[first]):
                    found[first].append(packet)
            if packet.length_bytes > NARROW_MTU:
                found.setdefault(packet.seq, [packet])
        return [tuple(packet.payload_bytes for packet in packets) for packets in found.values()]

    @cached_property
    def ways(self) -> Counter[tuple[int, ...]]:
        """How often which sizes followed each other."""
        return Counter(self.tries)

    @property
    def again(self) -> Counter[int]:
        """Payloads of what was sent again, on the wire."""
        return Counter(packet.payload_bytes for packet in self.seen.data if packet.retransmission)

    @property
    def lower_by(self) -> Counter[int]:
        """How many bytes smaller each try is than the one before, and how often."""
        return Counter(early - late for sizes in self.tries for early, late in zip(sizes, sizes[1:]))

    def to_json(self) -> dict:
        return {
            "dropped": len(self.tries),
            "again": dict(self.again.most_common()),
            "lower_by": dict(self.lower_by.most_common()),
            "most_tries": max(map(len, self.tries), default=0),
            "ways": [{"sizes": list(sizes), "times": times} for sizes, times in self.ways.most_common()],
        }

    def text(self) -> str:
        """Text of at most 80 columns."""
        lines = ["times  payload of each frame with a dropped segment's first byte"]
        lines += [f"{times:5}  {' then '.join(map(str, sizes))}" for sizes, times in self.ways.most_common()]
        return "\n".join(line[:80] for line in lines)

    __repr__ = text


def _passed(packets: list) -> bool:
    return packets[-1].length_bytes <= NARROW_MTU
