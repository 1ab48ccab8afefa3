"""What was seen of a download, and what does it look like beside others?"""

from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, ClassVar

from core.wire.packet import Packet
from labs.cases.rtl8139_tso.names import NARROW_MTU, SERVERS

OPTIONS_BYTES = 12  # the timestamp option in each segment (RFC 7323), which the MSS includes, if it is not turned off
HEADERS_BYTES = 40  # of IPv4 and TCP without options, which the MSS does not include (RFC 6691)


@dataclass(frozen=True)
class Download:
    """One fetch of the file from `server` on the host `at`.

    `packets` were seen at the router's end of the server's cable. The dicts hold what moved meanwhile:
    the kernel's counters of both hosts, and the server's card's own. `pcap` is tcpdump's own file. `held_up_ms` is the
    longest that the machine stood still meanwhile (labs/measure/clock.py). If the client was not even connected,
    there is no data, and its sizes are 0.
    """

    addresses: ClassVar[Mapping[str, str]] = SERVERS
    headers_bytes: ClassVar[int] = HEADERS_BYTES

    called: str
    server: str
    at: str
    got_bytes: int
    took_s: float
    packets: list[Packet]
    server_counters: dict[str, int]
    router_counters: dict[str, int]
    card_counters: dict[str, int]
    pcap: bytes = field(default=b"", repr=False)
    held_up_ms: float = 0

    @property
    def rate_kb_s(self) -> float:
        """Thousands of bytes a second, as curl and wget count; one that got nothing counts as one byte."""
        return max(self.got_bytes, 1) / self.took_s / 1e3

    @property
    def address(self) -> str:
        """The server's."""
        return self.addresses[self.server]

    @cached_property
    def data(self) -> list[Packet]:
        """The segments with data that the server's card has put on the wire."""
        return [packet for packet in self.packets if packet.src == self.address and packet.payload_bytes]

    @property
    def mss(self) -> int:
        """The largest segment that the reader's side asked for, in the SYN as it reaches the server."""
        asked = (packet.mss for packet in self.packets if packet.mss and packet.dst == self.address)
        return next(asked, 0)

    @property
    def largest_bytes(self) -> int:
        """The largest TCP payload on the wire."""
        return max((packet.payload_bytes for packet in self.data), default=0)

    @property
    def above_mss(self) -> int:
        """Segments whose payload is more than the MSS."""
        return sum(packet.payload_bytes > self.mss for packet in self.data)

    @property
    def full_bytes(self) -> int:
        """The payload of most full segments: what the MSS allows, less the options in them."""
        return Counter(map(self._room, self.data)).most_common(1)[0][0]

    @property
    def full_share(self) -> float:
        """What part of the segments carries as much as the MSS allows."""
        return sum(packet.payload_bytes == self._room(packet) for packet in self.data) / len(self.data)

    def _room(self, packet: Packet) -> int:
        """Bytes for payload in a segment with this one's options."""
        return self.mss - (packet.length_bytes - packet.payload_bytes - self.headers_bytes)

    @property
    def timestamps(self) -> bool:
        """Whether a segment with data carries options: nothing but timestamps is one here."""
        return any(self._room(packet) < self.mss for packet in self.data)

    @property
    def too_long(self) -> int:
        """Packets of more than the narrow link's MTU."""
        return sum(packet.length_bytes > NARROW_MTU for packet in self.data)

    @property
    def without_df(self) -> int:
        """Data packets that a router may cut."""
        return sum(not packet.df for packet in self.data)

    @property
    def frag_needed(self) -> list[Packet]:
        """ICMPs "fragmentation needed" on their way to the server."""
        return [packet for packet in self.packets if packet.is_frag_needed]

    @property
    def heard(self) -> int:
        """ICMPs that passed the server's firewall (IcmpInDestUnreachs)."""
        return self.server_counters.get("IcmpInDestUnreachs", 0)

    @property
    def sent_again(self) -> int:
        """Segments that the server's TCP sent again."""
        return self.server_counters.get("TcpRetransSegs", 0)

    def router(self, counter: str) -> int:
        """What a counter of the router added: router("FragFails") is IpFragFails."""
        return self.router_counters.get(f"Ip{counter}", 0)

    @property
    def handed(self) -> int:
        """Packets that the server's card was given to send, by its driver's count: a card that cuts sends more."""
        return self.card_counters.get("tx_packets", 0)

    @property
    def collisions(self) -> int:
        """What the server's driver took for collisions; see `tracing`."""
        return self.card_counters.get("tx_collisions", 0)

    def sizes(self) -> Counter[int]:
        """How many segments had which payload, in bytes."""
        return Counter(packet.payload_bytes for packet in self.data)

    def to_json(self) -> dict[str, Any]:
        """Plain values, without the packets."""
        return {
            "called": self.called,
            "server": self.server,
            "at": self.at,
            "bytes": self.got_bytes,
            "seconds": round(self.took_s, 3),
            "rate_kb_s": round(self.rate_kb_s, 1),
            "mss": self.mss,
            "largest_payload": self.largest_bytes,
            "segments": len(self.data),
            "above_mss": self.above_mss,
            "too_long": self.too_long,
            "without_df": self.without_df,
            "frag_needed": len(self.frag_needed),
            "icmp_heard": self.heard,
            "retransmissions": self.sent_again,
            "frag_fails": self.router("FragFails"),
            "frag_oks": self.router("FragOKs"),
            "frag_creates": self.router("FragCreates"),
            "collisions": self.collisions,
            "held_up_ms": round(self.held_up_ms, 2),
        }


# Heads of a table's columns, and what stands in them of a download; a table of a step shows some.
COLUMNS: Mapping[str, Callable[[Download], object]] = {
    "KB/s": lambda seen: f"{seen.rate_kb_s:.0f}",
    "MSS": lambda seen: seen.mss,
    "largest": lambda seen: seen.largest_bytes,
    "above": lambda seen: seen.above_mss,
    "no DF": lambda seen: seen.without_df,
    "ICMPs": lambda seen: len(seen.frag_needed),
    "heard": lambda seen: seen.heard,
    "again": lambda seen: seen.sent_again,
    "dropped": lambda seen: seen.router("FragFails"),
    "cut": lambda seen: seen.router("FragOKs"),
    "pieces": lambda seen: seen.router("FragCreates"),
}


class Downloads(list[Download]):
    """Several downloads as one table, at most 80 columns wide."""

    def __init__(self, seen: Iterable[Download], *columns: str) -> None:
        super().__init__(seen)
        self.columns = columns or tuple(COLUMNS)

    def text(self) -> str:
        names = max(map(len, (seen.called for seen in self)))
        widths = [max(len(head), 5) + 1 for head in self.columns]
        rows: list[list[object]] = [
            list(self.columns),
            *([COLUMNS[head](seen) for head in self.columns] for seen in self),
        ]
        lines = [
            f"{called:<{names}}" + "".join(f"{value:>{width}}" for value, width in zip(row, widths))
            for called, row in zip(["", *(seen.called for seen in self)], rows)
        ]
        return "\n".join(lines)

    __repr__ = text

    def to_json(self) -> list[dict[str, Any]]:
        return [seen.to_json() for seen in self]
