"""What was on the wire, and when?

`Capture` runs tcpdump in a node's network namespace while a workload runs; `read` turns its files
into `core.wire.packet.Packet`s. Scapy knows the formats: it is a package of the guest, so this module
is imported there only. What is drawn or judged afterwards needs nothing but the packets.
"""

from __future__ import annotations

import contextlib
import queue
import re
import signal
import socket
import struct
import subprocess
import threading
from collections.abc import Mapping
from decimal import Decimal
from pathlib import Path

from scapy.config import conf
from scapy.error import Scapy_Exception
from scapy.layers.inet import ICMP, IP, TCP, UDP, ICMPerror, IPerror
from scapy.layers.inet6 import IPv6
from scapy.layers.l2 import CookedLinux
from scapy.packet import NoPayload
from scapy.utils import RawPcapReader

from core.waiting import poll
from core.wire.packet import Packet
from core.wire.segment import IPV4, Flows, Segment, link, segment
from labs.errors import RAN_ON, CouldNotTell

PROTOCOLS = {1: "icmp", 4: "ipip", 6: "tcp", 17: "udp", 58: "icmpv6"}  # IANA protocol numbers
FLAGS = {"S": "SYN", "F": "FIN", "R": "RST", "P": "PSH", "A": "ACK", "U": "URG"}
FLAG_BITS = {"F": 1, "S": 2, "R": 4, "P": 8, "A": 16, "U": 32}  # RFC 9293, section 3.1
PACKET_OUTGOING = 4  # include/uapi/linux/if_packet.h
PCAP_HEADER_BYTES = 24  # of a file, before its packets (pcap-savefile(5))
DF = 2  # bit 1 of scapy's three-bit flags field, RFC 791


class CaptureError(CouldNotTell):
    """tcpdump did not start, or left a file that cannot be read: an instrument of ours, whatever an answer does."""


def read(
    path: str | Path,
    node: str = "",
    interface: str = "",
    origin_s: Decimal | None = None,
    interfaces: Mapping[int, str] | None = None,
) -> list[Packet]:
    """Packets of one pcap file, times counted from `origin_s` (epoch seconds) or the first packet.

    `interface` names where the file was taken; for a capture on `any`, `interfaces` maps the
    kernel's interface index to a name. Raises CaptureError on a file that is no capture.
    """
    flows, packets = Flows(), []
    try:
        with contextlib.closing(RawPcapReader(str(path))) as frames:
            for raw, seen in frames:
                at_s = _time_s(frames, seen)
                origin_s = at_s if origin_s is None else origin_s
                # Subtract first: a float of epoch seconds keeps a quarter microsecond at best.
                packet = _packet(
                    frames.linktype, raw, float(at_s - origin_s), (node, interface), interfaces or {}, flows
                )
                if packet is not None:
                    packets.append(packet)
    except (Scapy_Exception, EOFError, struct.error) as error:
        raise CaptureError(
            f"expected a pcap file in {path}, found: {error}; `tcpdump -r {path}` shows what it holds"
        ) from error
    return packets


def read_all(paths: Mapping[str, str | Path]) -> list[Packet]:
    """Packets of several files, named by node, in order of time and with one origin.

    Namespaces of one machine share its clock, so their times compare.
    """
    starts = [start for start in map(first_time_s, paths.values()) if start is not None]
    origin_s = min(starts, default=None)
    found = [packet for node, path in paths.items() for packet in read(path, node, origin_s=origin_s)]
    return sorted(found, key=lambda packet: packet.time_s)


def raw(path: str | Path) -> list[bytes]:
    """The IPv4 packets in a pcap file, each as it begins with its own header; tcpdump keeps the first 200 bytes of a
    frame. For whoever takes them apart with Scapy."""
    with contextlib.closing(RawPcapReader(str(path))) as frames:
        linked = [(frame, *link(frame, frames.linktype)[:2]) for frame, _ in frames]
    return [frame[header:] for frame, protocol, header in linked if protocol == IPV4]


def first_time_s(path: str | Path) -> Decimal | None:
    """Epoch seconds of a file's first packet, None if it holds none."""
    with contextlib.closing(RawPcapReader(str(path))) as frames:
        return next((_time_s(frames, seen) for _, seen in frames), None)


def _time_s(frames: RawPcapReader, seen) -> Decimal:
    """Epoch seconds of a frame, exactly."""
    return seen.sec + Decimal(seen.usec) / (10**9 if frames.nano else 10**6)


def _packet(
    linktype: int, raw: bytes, time_s: float, place: tuple[str, str], interfaces: Mapping[int, str], flows: Flows
) -> Packet | None:
    """The outermost IP packet of a frame seen at `place` (node, interface); None for ARP and its like."""
    protocol, header, index, kind = link(raw, linktype)
    node, interface = place
    if index is not None:
        interface = interfaces.get(index, interface or f"if{index}")
    where = (node, interface, None if kind is None else kind == PACKET_OUTGOING)
    found = segment(raw[header:]) if protocol == IPV4 else None
    if found:
        return Packet(
            time_s=time_s,
            node=node,
            interface=interface,
            outgoing=where[2],
            proto="tcp",
            df=found.df,
            src=found.src,
            dst=found.dst,
            length_bytes=found.length_bytes,
            **_tcp(found, where, flows),
        )
    frame = conf.l2types.num2layer.get(linktype, conf.raw_layer)(raw)
    if CookedLinux in frame:
        where = (node, interface, frame[CookedLinux].pkttype == PACKET_OUTGOING)
    ip = next((frame[layer] for layer in (IP, IPv6) if layer in frame), None)
    return None if ip is None else _ip_packet(ip, time_s, where, flows)


def _ip_packet(ip, time_s: float, where: tuple, flows: Flows) -> Packet:
    node, interface, outgoing = where
    number, header, length = _ip_sizes(ip)
    known = dict(
        time_s=time_s,
        src=ip.src,
        dst=ip.dst,
        length_bytes=length,
        node=node,
        interface=interface,
        outgoing=outgoing,
        proto=PROTOCOLS.get(number, str(number)),
        df=isinstance(ip, IPv6) or bool(int(ip.flags) & DF),
    )
    body = ip.payload
    if TCP in ip and number == 6:
        known |= _tcp(_dissected(ip, length - header), where, flows)
    elif UDP in ip and number == 17:
        known |= dict(sport=body.sport, dport=body.dport, payload_bytes=length - header - 8)
    elif number == 4 and isinstance(body, (IP, IPv6)):
        known["inner"] = _ip_packet(body, time_s, where, flows)
    elif number == 1 and isinstance(body, (ICMP, ICMPerror)):
        known |= _icmp(body, time_s, where)
    elif number == 58 and not isinstance(body, NoPayload):
        raw = bytes(body)
        known |= dict(icmp_type=raw[0], icmp_code=raw[1])
        if raw[0] == 2:  # packet too big: its MTU is 32 bits (RFC 4443, section 3.2)
            known["next_hop_mtu"] = struct.unpack("!I", raw[4:8])[0]
    return Packet(**known)


def _ip_sizes(ip) -> tuple[int, int, int]:
    """Protocol number, header and total length in bytes, as the header has them.

    The captured bytes are no measure: the snapshot length cuts them.
    """
    if isinstance(ip, IPv6):
        return ip.nh, 40, 40 + (ip.plen or 0)
    return ip.proto, ip.ihl * 4, ip.len


def _dissected(ip, segment_bytes: int) -> Segment:
    """What scapy found, as `core.wire.segment` has it."""
    tcp = ip[TCP]
    return Segment(
        ip.src,
        ip.dst,
        0,
        False,
        tcp.sport,
        tcp.dport,
        tcp.seq,
        tcp.ack,
        int(tcp.flags),
        max(segment_bytes - tcp.dataofs * 4, 0),
        dict(tcp.options).get("MSS"),
    )


def _tcp(found: Segment, where: tuple, flows: Flows) -> dict:
    flags = [FLAGS[letter] for letter in "SFRPUA" if found.flags & FLAG_BITS[letter]]
    # A forwarding node sees each packet twice; only the same place twice is a retransmission.
    way = (where, found.src, found.sport, found.dst, found.dport)
    back = (where[0], found.dst, found.dport, found.src, found.sport)
    taken = found.payload_bytes + ("SYN" in flags) + ("FIN" in flags)
    seq, again = flows.sent(way, (where[0], *way[1:]), found.seq, taken, "SYN" in flags)
    ack = flows.relative(back, found.ack) if "ACK" in flags else None
    return dict(
        sport=found.sport,
        dport=found.dport,
        seq=seq,
        ack=ack,
        flags=" ".join(flags),
        mss=found.mss,
        payload_bytes=found.payload_bytes,
        retransmission=again,
    )


def _icmp(icmp, time_s: float, where: tuple) -> dict:
    known = dict(icmp_type=icmp.type, icmp_code=icmp.code)
    if (icmp.type, icmp.code) == (3, 4):
        known["next_hop_mtu"] = icmp.nexthopmtu
    quoted = icmp.payload
    if isinstance(quoted, IPerror):
        # RFC 792 promises eight bytes of the quoted transport header: ports and, for TCP, seq.
        raw = bytes(quoted.payload)
        has_ports = len(raw) >= 4 and quoted.proto in (6, 17)
        ports = struct.unpack("!HH", raw[:4]) if has_ports else (None, None)
        known["quoted"] = Packet(
            time_s=time_s,
            src=quoted.src,
            dst=quoted.dst,
            length_bytes=quoted.len,
            node=where[0],
            proto=PROTOCOLS.get(quoted.proto, str(quoted.proto)),
            df=bool(int(quoted.flags) & DF),
            sport=ports[0],
            dport=ports[1],
        )
    return known


class Capture:
    """tcpdump in the network namespace of the thread that enters, for the length of a `with` block.

        with client.inside(), Capture("client.pcap", node="client") as capture:
            send()
        packets = capture.packets()

    Entering waits until tcpdump listens; leaving waits until it has read what was sent. Raises
    CaptureError if it does not start within `deadline_s`, CouldNotTell if packets were lost.
    """

    def __init__(
        self,
        path: str | Path,
        node: str = "",
        interface: str = "any",
        filter: str = "ip or ip6",
        deadline_s: float = 60,
    ) -> None:
        self.path, self.node = Path(path), node
        self.interface, self.filter, self.deadline_s = interface, filter, deadline_s
        self.said: list[str] = []
        self.interfaces: dict[int, str] = {}
        self._cut = PCAP_HEADER_BYTES

    def __enter__(self) -> Capture:
        self.interfaces = dict(socket.if_nameindex())  # index to name, as the namespace has them now
        # -Z root: tcpdump would else drop to its own user, who may not write here.
        command = [
            "tcpdump",
            "-n",
            "-i",
            self.interface,
            "-U",
            "--immediate-mode",
            "-s",
            "200",
            "--time-stamp-precision=nano",
            "-Z",
            "root",
            "-w",
            str(self.path),
            self.filter,
        ]
        self.process = subprocess.Popen(
            command, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True
        )
        self._lines: queue.Queue[str | None] = queue.Queue()
        self._reader = threading.Thread(target=self._listen, daemon=True)
        self._reader.start()
        check = "measured"
        try:
            while (line := self._lines.get(timeout=self.deadline_s)) is not None:
                if "listening on" in line:
                    return self
        except queue.Empty:
            check = RAN_ON  # it has not ended, and takes its time
        except BaseException:  # Ctrl-C while waiting leaves no tcpdump behind
            self._end()
            raise
        self._end()
        raise CaptureError(
            f"expected tcpdump to listen on {self.interface} at {self.node or 'node'} "
            f"within {self.deadline_s} s; it said: {' / '.join(self.said) or 'nothing'}; "
            f"try `{' '.join(command[:-3])}`",
            check,
        )

    def __exit__(self, kind, error, trace) -> None:
        try:
            if kind is None:
                self._drain()
        finally:
            self._end()
        lost = self.dropped()
        if lost and kind is None:
            raise CouldNotTell(f"expected no packet lost by tcpdump at {self.node or 'node'}, found {lost} dropped")

    def packets(self, origin_s: Decimal | None = None) -> list[Packet]:
        """What was captured, see `read`."""
        return self.read(self.path, origin_s)

    def read(self, path: str | Path, origin_s: Decimal | None = None) -> list[Packet]:
        """Packets of a file that was cut from this capture."""
        interface = "" if self.interface == "any" else self.interface
        return read(path, self.node, interface, origin_s, self.interfaces)

    def cut(self) -> bytes:
        """What has come since the last cut, as a pcap file of its own; tcpdump goes on. Whether it lost
        anything, it says when it ends."""
        self._drain()
        raw = self.path.read_bytes()
        since, self._cut = self._cut, len(raw)
        return raw[:PCAP_HEADER_BYTES] + raw[since:]

    def dropped(self) -> int:
        """Packets that tcpdump's closing lines report as dropped, by kernel and interface."""
        counts = (re.match(r"(\d+) packets? dropped by", line) for line in self.said)
        return sum(int(count[1]) for count in counts if count)

    def _listen(self) -> None:
        for line in self.process.stderr:
            self.said.append(line.strip())
            self._lines.put(line)
        self._lines.put(None)

    def _drain(self) -> None:
        """Waits until tcpdump sleeps: a packet in its ring would keep it awake.

        SIGINT makes it leave its loop, and what it had not yet read is gone.
        """
        stat = Path(f"/proc/{self.process.pid}/stat")
        poll(
            lambda: self.process.poll() is not None or stat.read_text().rpartition(")")[2].split()[0] == "S",
            self.deadline_s,
            0.001,
        )

    def _end(self) -> None:
        """Ends tcpdump and reads its last words."""
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGINT)
            try:
                self.process.wait(self.deadline_s)
            except subprocess.TimeoutExpired:
                self.process.kill()
                self.process.wait()
        self._reader.join(self.deadline_s)
        self.process.stderr.close()
