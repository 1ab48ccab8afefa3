"""What does the kernel hold back for a connection, and who will come for it? /proc/net/tcp, read.

A connection whose send queue is not empty, with nothing in flight and no timer armed, waits for ever.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from labs.topology import Node

# Field `tr` of /proc/net/tcp (net/ipv4/tcp_ipv4.c, get_tcp4_sock()).
TIMERS = {0: "none", 1: "retransmission", 2: "keepalive", 3: "TIME_WAIT", 4: "zero-window probe"}
ESTABLISHED = "01"  # include/net/tcp_states.h


@dataclass(frozen=True)
class Held:
    """An established connection: its ports, the bytes in its send queue (written and not
    acknowledged), and the timer that is armed."""

    local_port: int
    remote_port: int
    queued_bytes: int
    timer: str


def held(node: Node) -> list[Held]:
    """All established IPv4 connections of a host, each once: the kernel writes the table in pieces, and
    where sockets come and go meanwhile it may write one twice (tcp_seek_last_pos(), net/ipv4/tcp_ipv4.c)."""
    lines = (line.split() for line in Path(f"/proc/{node.pid}/net/tcp").read_text().splitlines()[1:])
    rows = {(row[1], row[2]): row for row in lines}.values()
    return [Held(_port(row[1]), _port(row[2]), int(row[4].partition(":")[0], 16),
                 TIMERS.get(int(row[5].partition(":")[0], 16), row[5]))
            for row in rows if row[3] == ESTABLISHED]


def _port(address: str) -> int:
    return int(address.rpartition(":")[2], 16)
