"""Can the report's own trace be had today? First 4096 bytes, a pause of 200 ms, then 61796 with PSH.

The lengths say how: 4096 is half of the first window that the report's client offers (8192), and 4096 and
61796 are a pipe of 64 KiB and a header of 356 bytes. What is held back for 200 ms is less than a segment.
"""

import os
import socket
import time
from dataclasses import dataclass, field
from decimal import Decimal
from pathlib import Path

from core.draw.ladder import Ladder, ladder
from core.wire.packet import Packet
from labs.cases.splice_push.network import LOOPBACK, Network
from labs.cases.splice_push.server import ASKED_BYTES, SPLICE_F_MORE
from labs.net.sockets import ESTABLISHED
from labs.table import Table
from labs.trace import module
from labs.wire.capture import Capture

HEADER_BYTES, PIPE_BYTES = 356, 65536
RMEM = "4096 16060 33554432"  # gives the SYN the window of the report's, 8030
SECOND_WINDOW_BYTES = 128_000  # what the first ACK of the report's client announces: 250 << 9
SPLICE_F_NONBLOCK = 2
DEADLINE_S = 1.0


@dataclass(frozen=True)
class Replayed:
    """A replay: packets over `lo`, times from the header; bytes that had not come, and their timer.
    `pcap` is tcpdump's own file."""

    name: str
    packets: list[Packet]
    missing_bytes: int
    timer: str
    pcap: bytes = field(default=b"", repr=False)

    @property
    def data(self) -> list[Packet]:
        """The server's segments with data, in order, until the connection is ended."""
        return [one for one in self.packets if one.payload_bytes and one.time_s < DEADLINE_S]

    def ladder(self) -> Ladder:
        """The replay as a ladder, from the header on."""
        shown = [one for one in self.packets if one.time_s < DEADLINE_S]
        return ladder(
            shown,
            {"client": ["client"], "server": ["server"]},
            self.name,
            lambda one: ("server", "client") if one.sport == self.packets[0].sport else ("client", "server"),
        )

    def to_json(self) -> dict:
        """Plain values."""
        return {
            "missing_bytes": self.missing_bytes,
            "timer": self.timer,
            "data": [(round(one.time_s * 1e3, 2), one.payload_bytes, one.flags) for one in self.data],
        }


def replayed(net: Network, name: str, cork: bool) -> Replayed:
    """One header and one pipeful, from a socket with or without TCP_CORK."""
    net.server.sysctl({"net/ipv4/tcp_rmem": RMEM})  # a socket takes it over when it is made
    with net.server.inside(), socket.create_server((LOOPBACK, 0)) as listener, socket.socket() as client:
        client.connect(listener.getsockname())
        client.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 600_000)
        client.setsockopt(socket.IPPROTO_TCP, socket.TCP_WINDOW_CLAMP, SECOND_WINDOW_BYTES)
        server, _ = listener.accept()
        server.setsockopt(socket.IPPROTO_TCP, socket.TCP_CORK, int(cork))
        port = listener.getsockname()[1]
        with server, Capture(net.folder / "replay.pcap", "server", "lo", f"tcp port {port}") as capture:
            out, into = os.pipe()
            os.write(into, bytes(PIPE_BYTES))
            start_s = Decimal(repr(time.time()))
            server.send(bytes(HEADER_BYTES), socket.MSG_MORE)
            os.splice(out, server.fileno(), ASKED_BYTES, flags=SPLICE_F_MORE | SPLICE_F_NONBLOCK)
            missing = HEADER_BYTES + PIPE_BYTES - received(client)
            timer = next(
                (
                    one.timer
                    for one in net.server.sockets()
                    if one.state == ESTABLISHED and one.local_port == port and one.queued_bytes
                ),
                "none",
            )
            os.close(out)
            os.close(into)
    return Replayed(name, capture.packets(start_s), missing, timer, capture.path.read_bytes())


def received(client: socket.socket) -> int:
    """Bytes that come until all have or the deadline is."""
    got, until = 0, time.monotonic() + DEADLINE_S
    while got < HEADER_BYTES + PIPE_BYTES and (left_s := until - time.monotonic()) > 0:
        client.settimeout(left_s)
        try:
            got += len(client.recv(1 << 20))
        except TimeoutError:
            break
    return got


def report(net: Network, regression: Path) -> Table:
    """Replay the report with TCP_CORK and without, on the kernel as it is and with the regression."""
    rows = [replayed(net, "fixed", False), replayed(net, "fixed, corked", True)]
    with module.livepatched(regression):
        rows += [replayed(net, "broken", False), replayed(net, "broken, corked", True)]
    heads = [("", "<16"), ("missing, B", ">10"), ("  segments with data: ms, bytes, flags", "<50")]
    return Table(
        rows,
        heads,
        lambda one: (
            one.name,
            one.missing_bytes,
            "  "
            + "; ".join(
                f"{each.time_s * 1e3:.0f} {each.payload_bytes}{' P' if 'PSH' in each.flags else ''}"
                for each in one.data[:4]
            ),
        ),
    )
