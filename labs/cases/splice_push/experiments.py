"""What moves the fault, and what does not? The report's reduction, each row measured in both states."""

import contextlib
import socket
from dataclasses import dataclass, replace
from pathlib import Path

from labs.cases.splice_push.network import LOOPBACK, PIPE_OPEN_S, Network
from labs.cases.splice_push.workload import DEADLINE_S, WAYS, Fetch, Fetched, Way, fetch
from labs.table import Table
from labs.trace import module

ONE = WAYS[0]
OVER_LO = replace(ONE, client="server", address=LOOPBACK)
OFFLOADS = ("tso", "gso", "gro")


@dataclass(frozen=True)
class Row:
    """A way of asking with one thing changed; `setting` is a context in which it is asked."""

    name: str
    way: Way
    setting: str = ""


# In the order in which the report takes things away. Offloads and MTU are of the server's interfaces.
ROWS = (
    Row("three machines", WAYS[1]),
    Row("without the proxy", ONE),
    Row("one machine, lo", OVER_LO),
    Row("lo, MTU 16384", OVER_LO, "mtu"),
    Row("offloads on", ONE, "offloads"),
    Row("SPLICE_F_MORE", replace(ONE, query="more=1")),
    Row("TCP_NODELAY", replace(ONE, query="nodelay=1")),
    Row("SO_SNDBUF 32768", replace(ONE, query="sndbuf=32768")),
    Row("4000 bytes", replace(ONE, size=4000)),
    Row("60000 bytes", replace(ONE, size=60_000)),
    Row("300000 bytes", replace(ONE, size=300_000)),
    Row("60000 bytes, lo", replace(OVER_LO, size=60_000)),
    Row("300000 bytes, lo", replace(OVER_LO, size=300_000)),
    Row("the same, SO_SNDBUF", replace(OVER_LO, query="sndbuf=32768", size=300_000)),
    Row("16 pieces of 50", replace(ONE, query="pieces=50", size=800)),
    Row("closed at the end", replace(ONE, query="close=1")),
    Row("header with MORE", replace(ONE, query="header=more")),
    Row("send()", replace(ONE, query="way=send")),
    Row("send(MSG_MORE)", replace(ONE, query="way=send&more=1")),
    Row("exact length", replace(ONE, query="asked=exact")),
    Row("exact and MORE", replace(ONE, query="asked=exact&more=1")),
)


@dataclass(frozen=True)
class Moved:
    """A row of the reduction, measured."""

    name: str
    fixed: Fetched
    broken: Fetched

    @property
    def outcome(self) -> str:
        """What became of the fault: is something missing, or only late, or is all as it should be?"""
        if self.broken.missing_bytes:
            return "lost" if self.broken.missing_bytes == self.broken.way.size else "tail lost"
        return "late" if self.broken.took_ms > self.fixed.took_ms + LATE_MS else "not there"

    def to_json(self) -> dict:
        """Plain values."""
        return {"verdict": self.outcome, "fixed": self.fixed.to_json(), "broken": self.broken.to_json()}


FREED_S = 2.5
LATE_MS = 100  # half of the shortest of TCP's timers that could be the reason


@contextlib.contextmanager
def setting(net: Network, name: str):
    """One thing of the server's network changed for the length of the block."""
    if name == "mtu":
        net.server.on("ip link set lo mtu 16384")
    if name == "offloads":
        net.server.on("ethtool", "-K", "server-eth0", *(word for each in OFFLOADS for word in (each, "on")))
        net.proxy.on("ethtool", "-K", "proxy-eth1", *(word for each in OFFLOADS for word in (each, "on")))
    try:
        yield
    finally:
        if name == "mtu":
            net.server.on("ip link set lo mtu 65536")
        if name == "offloads":
            net.server.on("ethtool", "-K", "server-eth0", *(word for each in OFFLOADS for word in (each, "off")))
            net.proxy.on("ethtool", "-K", "proxy-eth1", *(word for each in OFFLOADS for word in (each, "off")))


def asked(net: Network, state: str) -> dict[str, Fetched]:
    """Every row, once."""
    found = {}
    for row in ROWS:
        with setting(net, row.setting):
            found[row.name] = fetch(net, [row.way], state=state)[row.way.name][1]
    return found


def reduction(net: Network, regression: Path) -> Table:
    """All rows on the kernel as it is, then with the regression."""
    module.tidy()
    fixed = asked(net, "fixed")
    with module.livepatched(regression):
        broken = asked(net, "broken")
    rows = [Moved(row.name, fixed[row.name], broken[row.name]) for row in ROWS]
    heads = [
        ("one thing changed", "<20"),
        ("fixed, ms", ">10"),
        ("broken, ms", ">12"),
        ("missing, B", ">12"),
        ("of, B", ">9"),
        ("  the fault is", "<14"),
    ]
    return Table(
        rows,
        heads,
        lambda one: (
            one.name,
            f"{one.fixed.took_ms:.0f}",
            "-" if one.broken.missing_bytes else f"{one.broken.took_ms:.0f}",
            one.broken.missing_bytes,
            one.broken.way.size,
            "  " + one.outcome,
        ),
    )


def freed(net: Network, regression: Path) -> Table:
    """What frees a tail that nobody pushed? After half a second without anything, one thing is done."""
    keepalive = replace(ONE, query="keepalive=1")
    acts = (
        ("nothing", ONE, None),
        ("keepalive each second", keepalive, None),
        ("a byte from the peer", ONE, lambda one: one.socket.send(b"?")),
        ("the peer's end", ONE, lambda one: one.socket.shutdown(socket.SHUT_WR)),
    )
    with module.livepatched(regression):
        under_way = []
        for name, way, act in acts:
            one = Fetch(net, way, deadline_s=FREED_S)
            one.thread.join(FREED_S / 5)
            if act:
                act(one)
            under_way.append((name, one))
        rows = [(name, one.fetched()) for name, one in under_way]
    heads = [("what is done", "<24"), ("whole answer, ms", ">17"), ("missing, B", ">12"), ("  timer armed", "<18")]
    return Table(
        rows,
        heads,
        lambda row: (row[0], row[1].took, row[1].missing_bytes, "  " + ", ".join(held.timer for held in row[1].held)),
    )


def until_close(net: Network, regression: Path) -> Table:
    """pv behind socat: how long until all is there, if we wait until its connection is closed?"""
    pipe = next(way for way in WAYS if way.name == "pv")
    fixed = fetch(net, [pipe], deadline_s=PIPE_OPEN_S + DEADLINE_S)["pv"][1]
    with module.livepatched(regression):
        broken = fetch(net, [pipe], deadline_s=PIPE_OPEN_S + DEADLINE_S)["pv"][1]
    heads = [("pv to a socket", "<20"), ("whole answer, ms", ">18"), ("missing, B", ">12")]
    return Table(
        [("fixed", fixed), ("broken", broken)],
        heads,
        lambda one: (one[0], f"{one[1].took_ms:.0f}", one[1].missing_bytes),
    )
