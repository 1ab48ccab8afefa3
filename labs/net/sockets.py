"""What does the kernel hold back for a connection, and which timer will send it? /proc/net/tcp, read.

A connection whose send queue is not empty, with nothing in flight and no timer armed, waits for ever.
"""

from dataclasses import dataclass
from pathlib import Path

ESTABLISHED, TIME_WAIT, LISTEN = "01", "06", "0A"  # include/net/tcp_states.h
# Field `tr` of /proc/net/tcp (net/ipv4/tcp_ipv4.c, get_tcp4_sock()).
TIMERS = {0: "none", 1: "retransmission", 2: "keepalive", 3: "TIME_WAIT", 4: "zero-window probe"}


@dataclass(frozen=True)
class Socket:
    """A TCP socket: its ports, its state (two hexadecimal digits), the bytes in its send queue (written and
    not acknowledged), and the timer that is armed."""

    local_port: int
    remote_port: int
    state: str
    queued_bytes: int
    timer: str


def sockets(pid: int, *families: str) -> list[Socket]:
    """All TCP sockets of a process's network namespace, each once; `families` are "tcp" (IPv4) and "tcp6".

    The kernel writes the table in pieces, and where sockets come and go meanwhile it may write one twice
    (tcp_seek_last_pos(), net/ipv4/tcp_ipv4.c)."""
    rows = {}
    for family in families:
        for line in Path(f"/proc/{pid}/net/{family}").read_text().splitlines()[1:]:
            row = line.split()
            rows[row[1], row[2]] = row
    return [
        Socket(
            _port(row[1]),
            _port(row[2]),
            row[3],
            int(row[4].partition(":")[0], 16),
            TIMERS.get(int(row[5].partition(":")[0], 16), row[5]),
        )
        for row in rows.values()
    ]


def _port(address: str) -> int:
    return int(address.rpartition(":")[2], 16)
