"""What was on the wire, and when?

`Capture` runs tcpdump in a node's network namespace while a workload runs, and turns its file into
`core.wire.packet.Packet`s. What is drawn or judged afterwards needs nothing but the packets.
"""

from __future__ import annotations

import queue
import re
import signal
import socket
import subprocess
import threading
from collections.abc import Mapping
from decimal import Decimal
from pathlib import Path

from core.waiting import poll
from core.wire import pcap
from core.wire.dissect import IPV4, Dissector, link
from core.wire.packet import Packet
from labs.errors import RAN_ON, CouldNotTell


class CaptureError(CouldNotTell):
    """tcpdump did not start, or left a file that cannot be read: an instrument of ours, whatever an answer does."""


def read(
    raw: bytes,
    node: str = "",
    interface: str = "",
    origin_s: Decimal | None = None,
    interfaces: Mapping[int, str] | None = None,
) -> list[Packet]:
    """Packets of a pcap file, times counted from `origin_s` (epoch seconds) or the first packet; of where it was taken
    see `Dissector`. Raises CaptureError on what is no capture."""
    try:
        linktype, frames = pcap.frames(raw)
    except pcap.NoCapture as found:
        raise CaptureError(f"expected a pcap file of tcpdump's, found {found}") from found
    dissector, packets = Dissector(linktype, node, interface, interfaces), []
    origin_ns = None if origin_s is None else int(origin_s * pcap.SECOND_NS)
    for at_ns, frame in frames:
        origin_ns = at_ns if origin_ns is None else origin_ns
        # Subtract first: a float of epoch seconds keeps a quarter microsecond at best.
        packets.append(dissector.packet(frame, (at_ns - origin_ns) / pcap.SECOND_NS))
    return [packet for packet in packets if packet]


def raw(path: str | Path) -> list[bytes]:
    """The IPv4 packets in a pcap file, each as it begins with its own header; tcpdump keeps the first 200 bytes of a
    frame. For whoever takes them apart with Scapy."""
    linktype, frames = pcap.frames(Path(path).read_bytes())
    linked = [(frame, *link(frame, linktype)[:2]) for _, frame in frames]
    return [frame[header:] for frame, protocol, header in linked if protocol == IPV4]


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
        self._cut = pcap.HEADER_BYTES

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
        return self.read(self.path.read_bytes(), origin_s)

    def read(self, raw: bytes, origin_s: Decimal | None = None) -> list[Packet]:
        """Packets of what was cut from this capture."""
        interface = "" if self.interface == "any" else self.interface
        return read(raw, self.node, interface, origin_s, self.interfaces)

    def cut(self) -> bytes:
        """What has come since the last cut, as a pcap file of its own; tcpdump goes on. Whether it lost
        anything, it says when it ends."""
        self._drain()
        raw = self.path.read_bytes()
        since, self._cut = self._cut, len(raw)
        return raw[: pcap.HEADER_BYTES] + raw[since:]

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
