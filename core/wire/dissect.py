"""What does a frame say? The IP packet in it as a `Packet`, and what that carries: TCP, UDP, ICMP with what it quotes,
a packet in a tunnel.

By hand, because Scapy dissects everything and so takes fifty times as long.
"""

from __future__ import annotations

import functools
import socket
import struct
from collections.abc import Mapping
from typing import Any, NamedTuple

from core.wire.flows import Flows, Place
from core.wire.packet import Packet

IPV4, IPV6 = 0x0800, 0x86DD  # EtherTypes
ICMP, IPIP, TCP, UDP, ICMPV6 = 1, 4, 6, 17, 58  # IANA protocol numbers
PROTOCOLS = {ICMP: "icmp", IPIP: "ipip", TCP: "tcp", UDP: "udp", ICMPV6: "icmpv6"}
ETHERNET, COOKED, COOKED_2 = 1, 113, 276  # link types of pcap; the others are Linux's, of which the interface is `any`
PACKET_OUTGOING = 4  # include/uapi/linux/if_packet.h
DF, OFFSET = 0x4000, 0x1FFF  # RFC 791: flags and fragment offset share 16 bits
FLAGS = {2: "SYN", 1: "FIN", 4: "RST", 8: "PSH", 32: "URG", 16: "ACK"}  # RFC 9293, section 3.1
END, NOTHING, MSS = 0, 1, 2  # kinds of TCP options, section 3.2
QUOTING = (3, 4, 5, 11, 12)  # types of ICMP that quote a packet (RFC 792)
FRAG_NEEDED, TOO_BIG = (3, 4), 2  # (type, code) of ICMP (RFC 1191), type of ICMPv6 (RFC 4443, section 3.2)

_COOKED, _COOKED_2 = struct.Struct("!H12xH"), struct.Struct("!HxxIHB")
_IPV4, _IPV6 = struct.Struct("!BxHxxHxBxx4s4s"), struct.Struct("!4xHBx16s16s")
_TCP, _PORTS = struct.Struct("!HHIIBB6x"), struct.Struct("!HH")


class Header(NamedTuple):
    """Of an IP packet of either version: its ends, the protocol and the place of what it carries, its total length by
    its own word, and whether it has no part of an upper header that went with an earlier fragment."""

    src: str
    dst: str
    protocol: int
    bytes: int
    length_bytes: int
    df: bool
    first: bool


class Segment(NamedTuple):
    """A TCP segment with the numbers that are on the wire. `mss` is the option of a SYN, None without it."""

    src: str
    dst: str
    length_bytes: int
    sport: int
    dport: int
    seq: int
    ack: int
    flags: str
    payload_bytes: int
    mss: int | None


class Dissector:
    """Dissects the frames of one capture, in their order: sequence numbers count from a connection's start.

    `interface` names where it was taken; of one on `any`, `interfaces` maps the kernel's interface index to a name.
    """

    def __init__(
        self, linktype: int, node: str = "", interface: str = "", interfaces: Mapping[int, str] | None = None
    ) -> None:
        self.linktype, self.node, self.interface = linktype, node, interface
        self.interfaces = interfaces or {}
        self.flows = Flows()

    def packet(self, frame: bytes, time_s: float) -> Packet | None:
        """The outermost IP packet of a frame; None for ARP and its like."""
        protocol, begin, index, kind = link(frame, self.linktype)
        if protocol not in (IPV4, IPV6):
            return None
        interface = self.interface
        if index is not None:
            interface = self.interfaces.get(index, interface or f"if{index}")
        where = (self.node, interface, None if kind is None else kind == PACKET_OUTGOING)
        return self._ip(frame[begin:], time_s, where)

    def _ip(self, packet: bytes, time_s: float, where: Place) -> Packet | None:
        ip = header(packet)
        if ip is None:
            return None
        body, known = _body(ip, packet), dict[str, Any]()
        if ip.protocol == TCP and len(body) >= _TCP.size:
            known = self._tcp(_segment(ip, body), where)
        elif ip.protocol == UDP and len(body) >= 8:
            sport, dport = _PORTS.unpack_from(body)
            known = {"sport": sport, "dport": dport, "payload_bytes": ip.length_bytes - ip.bytes - 8}
        elif ip.protocol == IPIP:
            known = {"inner": self._ip(body, time_s, where)}
        elif ip.protocol == ICMP and len(body) >= 8:
            known = self._icmp(body, time_s)
        elif ip.protocol == ICMPV6 and len(body) >= 8:
            known = {"icmp_type": body[0], "icmp_code": body[1]}
            if body[0] == TOO_BIG:
                known["next_hop_mtu"] = int.from_bytes(body[4:8], "big")
        return self._as_packet(ip, time_s, interface=where[1], outgoing=where[2], **known)

    def _as_packet(self, ip: Header, time_s: float, **known: Any) -> Packet:
        proto = PROTOCOLS.get(ip.protocol, f"{ip.protocol}")
        return Packet(time_s, ip.src, ip.dst, proto, ip.length_bytes, self.node, df=ip.df, **known)

    def _tcp(self, found: Segment, where: Place) -> dict[str, Any]:
        # A forwarding node sees each packet twice; only the same place twice is a retransmission.
        there = (found.src, found.sport, found.dst, found.dport)
        taken = found.payload_bytes + ("SYN" in found.flags) + ("FIN" in found.flags)
        seq, again = self.flows.sent((where, *there), (self.node, *there), found.seq, taken, "SYN" in found.flags)
        back = (self.node, found.dst, found.dport, found.src, found.sport)
        return {
            "sport": found.sport,
            "dport": found.dport,
            "seq": seq,
            "ack": self.flows.relative(back, found.ack) if "ACK" in found.flags else None,
            "flags": found.flags,
            "payload_bytes": found.payload_bytes,
            "mss": found.mss,
            "retransmission": again,
        }

    def _icmp(self, body: bytes, time_s: float) -> dict[str, Any]:
        known: dict[str, Any] = {"icmp_type": body[0], "icmp_code": body[1]}
        if (body[0], body[1]) == FRAG_NEEDED:
            known["next_hop_mtu"] = int.from_bytes(body[6:8], "big")
        quoted = header(body[8:]) if body[0] in QUOTING else None
        if quoted:
            # RFC 792 promises eight bytes of the quoted transport header: ports and, for TCP, seq.
            begun, ports = body[8 + quoted.bytes :], {}
            if quoted.protocol in (TCP, UDP) and len(begun) >= _PORTS.size:
                ports = dict(zip(("sport", "dport"), _PORTS.unpack_from(begun)))
            known["quoted"] = self._as_packet(quoted, time_s, **ports)
        return known


def link(frame: bytes, linktype: int) -> tuple[int, int, int | None, int | None]:
    """(EtherType, length of the link's header, interface index, packet type), what it tells of them; (0, 0, …) of a
    link that we do not know."""
    if linktype == ETHERNET and len(frame) >= 14:
        return int.from_bytes(frame[12:14], "big"), 14, None, None
    if linktype == COOKED and len(frame) >= 16:
        kind, protocol = _COOKED.unpack_from(frame)
        return protocol, 16, None, kind
    if linktype == COOKED_2 and len(frame) >= 20:
        protocol, index, _, kind = _COOKED_2.unpack_from(frame)
        return protocol, 20, index, kind
    return 0, 0, None, None


def header(packet: bytes) -> Header | None:
    """The header of an IP packet; None if it is not all there."""
    version = packet[0] >> 4 if packet else 0
    if version == 4 and len(packet) >= _IPV4.size:
        begin, length, fragment, protocol, src, dst = _IPV4.unpack_from(packet)
        source, destination = socket.inet_ntoa(src), socket.inet_ntoa(dst)
        first = not fragment & OFFSET
        return Header(source, destination, protocol, (begin & 15) * 4, length, bool(fragment & DF), first)
    if version == 6 and len(packet) >= _IPV6.size:
        length, protocol, src, dst = _IPV6.unpack_from(packet)
        source, destination = (socket.inet_ntop(socket.AF_INET6, each) for each in (src, dst))
        return Header(source, destination, protocol, _IPV6.size, _IPV6.size + length, True, True)
    return None


def segment(packet: bytes) -> Segment | None:
    """The TCP segment in an IP packet; None if it has none, or not all of its header."""
    ip = header(packet)
    body = _body(ip, packet) if ip and ip.protocol == TCP else b""
    return _segment(ip, body) if ip and len(body) >= _TCP.size else None


def _body(ip: Header, packet: bytes) -> bytes:
    """What there is of what it carries, as much as the snapshot length has left, and nothing that fills up a frame."""
    return packet[ip.bytes : max(ip.length_bytes, ip.bytes)] if ip.first else b""


def _segment(ip: Header, body: bytes) -> Segment:
    sport, dport, seq, ack, offset, bits = _TCP.unpack_from(body)
    end, flags = (offset >> 4) * 4, _words(bits)
    payload_bytes = max(ip.length_bytes - ip.bytes - end, 0)
    mss = _mss(body[_TCP.size : end]) if "SYN" in flags else None
    return Segment(ip.src, ip.dst, ip.length_bytes, sport, dport, seq, ack, flags, payload_bytes, mss)


@functools.cache
def _words(bits: int) -> str:
    """The names of TCP's flags: 'PSH ACK'."""
    return " ".join(word for bit, word in FLAGS.items() if bits & bit)


def _mss(options: bytes) -> int | None:
    at = 0
    while at < len(options) and options[at] != END:
        if options[at] == NOTHING:
            at += 1
            continue
        if options[at] == MSS and len(options) >= at + 4:
            return int.from_bytes(options[at + 2 : at + 4], "big")
        at += max(options[at + 1] if at + 1 < len(options) else 1, 2)
    return None
