"""What is known of one packet seen on a wire?

`Packet` is plain data, for pictures and judges: `core.wire.dissect` fills it from a frame, a test writes it by hand.
Lengths are bytes, times are seconds.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

# Names of RFC 792 and RFC 4443 for the few (protocol, type, code) that the chapters meet.
ICMP_NAMES: Mapping[tuple[str, int | None, int | None], str] = {
    ("icmp", 0, 0): "ICMP echo reply",
    ("icmp", 3, 0): "ICMP net unreachable",
    ("icmp", 3, 1): "ICMP host unreachable",
    ("icmp", 3, 3): "ICMP port unreachable",
    ("icmp", 3, 4): "ICMP frag needed",
    ("icmp", 8, 0): "ICMP echo request",
    ("icmp", 11, 0): "ICMP time exceeded",
    ("icmpv6", 1, 4): "ICMPv6 port unreachable",
    ("icmpv6", 2, 0): "ICMPv6 packet too big",
    ("icmpv6", 128, 0): "ICMPv6 echo request",
    ("icmpv6", 129, 0): "ICMPv6 echo reply",
}


@dataclass(frozen=True)
class Packet:
    """One packet at one place and time.

    `seq` and `ack` count from the start of the connection as tcpdump does: a SYN is 0, the first
    byte of data is 1. `length_bytes` is the IP packet's total length, which the MTU limits.
    `quoted` is the packet that an ICMP error quotes (RFC 792), `inner` the one that an IPIP tunnel
    carries (RFC 2003). `outgoing` is None where the capture cannot tell.
    """

    time_s: float
    src: str
    dst: str
    proto: str  # 'tcp', 'udp', 'icmp', 'icmpv6', 'ipip', or the protocol number as text
    length_bytes: int = 0
    node: str = ""
    interface: str = ""
    outgoing: bool | None = None
    df: bool = False
    sport: int | None = None
    dport: int | None = None
    seq: int | None = None
    ack: int | None = None
    flags: str = ""  # words joined by a space, as in 'PSH ACK'
    payload_bytes: int = 0
    mss: int | None = None  # the option of a SYN (RFC 9293, section 3.2)
    retransmission: bool = False
    icmp_type: int | None = None
    icmp_code: int | None = None
    next_hop_mtu: int | None = None
    quoted: Packet | None = None
    inner: Packet | None = None

    @property
    def is_icmp(self) -> bool:
        """True for ICMP of either IP version."""
        return self.proto in ("icmp", "icmpv6")

    @property
    def is_frag_needed(self) -> bool:
        """True for 'fragmentation needed and DF set' (RFC 1191) and IPv6's 'packet too big'."""
        return (self.proto, self.icmp_type, self.icmp_code) in (("icmp", 3, 4), ("icmpv6", 2, 0))

    def label(self) -> str:
        """Few words for an arrow: 'PSH 1448 B', 'ICMP frag needed, MTU 1480'."""
        if self.inner is not None:
            return f"IPIP [{self.inner.label()}]"
        if self.is_icmp:
            return self._icmp_label()
        if self.proto == "tcp":
            return self._tcp_label()
        return (
            f"{self.proto.upper() if self.proto.isalpha() else 'protocol ' + self.proto} "
            f"{self.payload_bytes or self.length_bytes} B"
        )

    def _icmp_label(self) -> str:
        name = ICMP_NAMES.get(
            (self.proto, self.icmp_type, self.icmp_code),
            f"{self.proto.upper()} type {self.icmp_type} code {self.icmp_code}",
        )
        return f"{name}, MTU {self.next_hop_mtu}" if self.next_hop_mtu is not None else name

    def _tcp_label(self) -> str:
        words = self.flags.split()
        # Every segment after the first SYN has ACK set: naming it beside data says nothing.
        if self.payload_bytes or {"FIN", "RST"} & set(words):
            words = [word for word in words if word != "ACK"]
        if self.payload_bytes:
            words.append(f"{self.payload_bytes} B")
        if self.retransmission:
            words.insert(0, "retransmit")
        return " ".join(words) or "TCP, no flags"

    def fields(self) -> list[tuple[str, str]]:
        """(name, value) of everything known, for a table or a tooltip; what is unknown is left out."""
        found = [
            ("time", f"{self.time_s * 1e3:.3f} ms"),
            ("from", _end(self.src, self.sport)),
            ("to", _end(self.dst, self.dport)),
            ("seen at", f"{self.node} {self.interface}".strip()),
            ("protocol", self.proto),
            ("IP length", f"{self.length_bytes} B"),
            ("don't fragment", "set" if self.df else "clear"),
            ("flags", self.flags),
            ("seq", _known(self.seq)),
            ("ack", _known(self.ack)),
        ]
        if self.proto in ("tcp", "udp"):
            found.append(("payload", f"{self.payload_bytes} B"))
        found.append(("MSS offered", _known(self.mss)))
        if self.retransmission:
            found.append(("retransmission", "yes"))
        if self.is_icmp:
            found.append(("ICMP type, code", f"{self.icmp_type}, {self.icmp_code}"))
            found.append(("next-hop MTU", _known(self.next_hop_mtu)))
        if self.quoted is not None:
            quoted = self.quoted
            found.append(
                (
                    "quotes",
                    f"{quoted.proto} {_end(quoted.src, quoted.sport)} to "
                    f"{_end(quoted.dst, quoted.dport)}, {quoted.length_bytes} B",
                )
            )
        if self.inner is not None:
            inner = self.inner
            found.append(
                ("carries", f"{_end(inner.src, inner.sport)} to {_end(inner.dst, inner.dport)}, {inner.label()}")
            )
        return [(name, value) for name, value in found if value]

    def to_json(self) -> dict[str, Any]:
        """The packet as a dict of plain values, `quoted` and `inner` nested."""
        return dataclasses.asdict(self)


def _known(value: int | None) -> str:
    return "" if value is None else str(value)


def _end(address: str, port: int | None) -> str:
    if port is None:
        return address
    return f"[{address}]:{port}" if ":" in address else f"{address}:{port}"
