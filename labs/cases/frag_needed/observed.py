"""What was seen of a workload, and what does it look like?"""

from dataclasses import asdict, dataclass, field, replace
from typing import Any

from core.draw.ladder import Ladder, ladder
from core.wire.packet import Packet
from labs.cases.frag_needed.names import BALANCER, CLIENT, VIP
from labs.net.tcp_info import TcpInfo


@dataclass(frozen=True)
class Exchange:
    """A question and its answer.

    `at_s` is when it was asked, counted from the workload's first question; `before` and `info` the
    kernel's state of the connection right before and right after the call that wrote it (None
    behind the sidecar). `held_up_ms` is the longest that the machine stood still meanwhile (labs/measure/clock.py), and
    `idle_ms` for how long the processor had nothing to do (None in what was kept earlier).
    """

    name: str
    connection: str
    sent_bytes: int
    at_s: float
    waited_ms: float
    before: TcpInfo | None = None
    info: TcpInfo | None = None
    held_up_ms: float = 0
    idle_ms: float | None = None


@dataclass(frozen=True)
class Observed:
    """A workload's exchanges, the packets at the client, and its counters' moves.

    Packets' times count from the first question, as the exchanges' do; `pcap` is tcpdump's own file.
    """

    exchanges: list[Exchange]
    packets: list[Packet]
    counters: dict[str, int]
    pcap: bytes = field(default=b"", repr=False)

    def __getitem__(self, name: str) -> Exchange:
        return next(exchange for exchange in self.exchanges if exchange.name == name)

    @property
    def held_up_ms(self) -> float:
        """The longest that the machine stood still while A or B waited: what happens then, and when, is judged."""
        return max(self[name].held_up_ms for name in "AB")

    def during(self, name: str) -> list[Packet]:
        """Packets of one exchange: between its question and the end of its answer."""
        exchange = self[name]
        end_s = exchange.at_s + exchange.waited_ms / 1e3
        return [packet for packet in self.packets if exchange.at_s <= packet.time_s <= end_s]

    def icmp_to_self(self, name: str | None = None) -> list[Packet]:
        """ICMPs "fragmentation needed" that the client sent to itself and got, on its `lo`."""
        packets = self.during(name) if name else self.packets
        return [
            packet
            for packet in packets
            if packet.is_frag_needed and not packet.outgoing and packet.src == packet.dst == CLIENT
        ]

    def icmp_from_balancer(self, name: str | None = None) -> list[Packet]:
        """ICMPs "fragmentation needed" that came from the wire."""
        packets = self.during(name) if name else self.packets
        return [packet for packet in packets if packet.is_frag_needed and packet.src != CLIENT]

    def left_after_ms(self, name: str) -> float:
        """Milliseconds from the question to the first of its data on the wire."""
        exchange = self[name]
        return (self.sent(name)[0].time_s - exchange.at_s) * 1e3

    def sent(self, name: str) -> list[Packet]:
        """The data segments that left the client during one exchange, in order."""
        return [
            packet
            for packet in self.during(name)
            if packet.proto == "tcp" and packet.interface != "lo" and packet.src == CLIENT and packet.payload_bytes
        ]

    def largest(self, name: str, src: str, dst: str) -> int:
        """The bytes that the largest segment on the wire carried during one exchange from one host to another."""
        return max(
            (
                packet.payload_bytes
                for packet in self.during(name)
                if packet.proto == "tcp" and packet.interface != "lo" and (packet.src, packet.dst) == (src, dst)
            ),
            default=0,
        )

    def shown(self, name: str) -> list[Packet]:
        """Packets of one exchange for a picture: times from its question, `lo` for ICMP only."""
        start_s, to_self = self[name].at_s, self.icmp_to_self(name)
        return [
            replace(packet, time_s=packet.time_s - start_s)
            for packet in self.during(name)
            if packet.interface != "lo" or packet in to_self
        ]

    def ladder(self, name: str, title: str = "") -> Ladder:
        """One exchange as a ladder, times counted from its question."""
        return ladder(
            self.shown(name),
            {"client": [CLIENT], "balancer": [BALANCER], "server": [VIP]},
            title or f"Exchange {name}, seen at the client",
            place,
        )

    def to_json(self) -> dict[str, Any]:
        """Plain values: what each exchange waited, the ICMPs, and the counters that moved."""
        waits = {
            f"{exchange.name.lower().replace(' ', '_')}_ms": round(exchange.waited_ms, 2) for exchange in self.exchanges
        }
        return waits | {
            "b_left_after_ms": round(self.left_after_ms("B"), 2),
            "held_up_ms": round(self.held_up_ms, 2),
            "icmp_to_self": len(self.icmp_to_self()),
            "icmp_from_balancer": len(self.icmp_from_balancer()),
            "exchanges": [asdict(exchange) for exchange in self.exchanges],
            "counters": self.counters,
        }

    def text(self) -> str:
        """One line an exchange, at most 80 columns."""
        lines = [
            f"{'':<10}{'bytes':>7}{'waited, ms':>12}{'left after, ms':>16}{'ICMP from balancer':>20}{'to self':>9}"
        ]
        lines += [
            f"{e.name:<10}{e.sent_bytes:>7}{e.waited_ms:>12.1f}{self.left_after_ms(e.name):>16.1f}"
            f"{len(self.icmp_from_balancer(e.name)):>20}{len(self.icmp_to_self(e.name)):>9}"
            for e in self.exchanges
        ]
        return "\n".join(lines)

    def __repr__(self) -> str:
        return self.text()


def place(packet: Packet) -> tuple[str, str] | None:
    """The hosts that a packet went from and to: what goes to the VIP meets the balancer, which alone sends ICMP."""
    if packet.src == packet.dst:
        return None
    if packet.dst == VIP:
        return "client", "balancer"
    return ("balancer" if packet.is_icmp else "server"), "client"
