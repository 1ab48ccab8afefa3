"""How fast does the file come, and what leaves the server meanwhile?

curl fetches it, as a reader's browser would, and gives up after MAX_S. tcpdump looks on at the far end
of the server's cable: at the router's card, which hands on every frame as it came in.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from labs.cases.rtl8139_tso.judge import HELD_UP_MS
from labs.cases.rtl8139_tso.names import SERVERS
from labs.cases.rtl8139_tso.network import FILE, PORT, Network
from labs.cases.rtl8139_tso.observed import Download
from labs.judge.judging import require_no_stall
from labs.measure.clock import StallDetector
from labs.net.counters import counters, moved
from labs.net.node import CommandFailed
from labs.wire.capture import Capture

if TYPE_CHECKING:  # only a trace needs it
    from labs.trace.tracer import Tracer

MAX_S = 1.0
TIMED_OUT = 28  # curl's exit status for --max-time
SAID = "%{json}"
# And no pings of settle().
CAPTURED = "tcp or icmp[icmptype] == icmp-unreach or icmp6[icmp6type] == icmp6-packettoobig"


def download(
    net: Network,
    server: str = "server",
    at: str = "client",
    called: str = "",
    tracer: Tracer | None = None,
    kind: type[Download] = Download,
) -> Download:
    """The file from `server`, fetched on the host `at`; an attached tracer watches the server's port. The `kind` of
    download has the servers' addresses."""
    with StallDetector() as clock:  # a fork: before there is a thread that listens to tcpdump
        capture = Capture(net.folder / "far.pcap", "router", f"to-{server}", CAPTURED)
        with net.router.inside():  # tcpdump begins there, and stays
            capture.__enter__()
        try:
            if tracer:
                tracer.watch(server, PORT)
            before = {"server": counters(net[server]), "router": counters(net.router), "card": card(net, server)}
            clock.begin()
            got_bytes, took_s = fetch(net, kind.addresses[server], at)
            held_up_ms = clock.late_ms()
            net.settle(server)
            after = {"server": counters(net[server]), "router": counters(net.router), "card": card(net, server)}
        except BaseException as error:
            capture.__exit__(type(error), error, None)
            raise
        capture.__exit__(None, None, None)
    added = {where: moved(before[where], after[where]) for where in before}
    return kind(
        called or f"{server}, at the {at}",
        server,
        at,
        got_bytes,
        took_s,
        capture.packets(),
        added["server"],
        added["router"],
        added["card"],
        capture.path.read_bytes(),
        held_up_ms,
    )


def served(seen: Download) -> Download:
    """A download in which something came. Raises CommandFailed for another, CouldNotTell if the machine stood still
    instead."""
    if not seen.data:
        require_no_stall(HELD_UP_MS, seen)
        raise CommandFailed(f"on the {seen.at}, curl got nothing from {seen.server} in {MAX_S:g} s")
    return seen


def fetch(net: Network, address: str, at: str) -> tuple[int, float]:
    """What curl got of the file, in bytes, and how long it took, in seconds: none in MAX_S, if it was not even
    connected."""
    process = net[at].start(
        "curl",
        "--silent",
        "--max-time",
        str(MAX_S),
        "--output",
        "/dev/null",
        "--write-out",
        SAID,
        f"http://{f'[{address}]' if ':' in address else address}:{PORT}/{FILE}",
    )
    out, err = process.communicate()
    if process.returncode not in (0, TIMED_OUT):
        raise CommandFailed(
            f"on {at}: curl ended with status {process.returncode} and got nothing from {address}; it said: "
            f"{err.strip() or 'nothing'}"
        )
    said = json.loads(out)
    return said["size_download"], said["time_total"]


def intact(net: Network, server: str = "server") -> bool:
    """Whether the client gets the very bytes that the server has."""
    copy = net.folder / "copy"
    net.client.on(
        "curl", "--silent", "--max-time", "20", "--output", f"{copy}", f"http://{SERVERS[server]}:{PORT}/{FILE}"
    )
    return copy.read_bytes() == (net.folder / "www" / FILE).read_bytes()


def card(net: Network, server: str) -> dict[str, int]:
    """The counters of a server's card as its driver keeps them: {"tx_collisions": 0, …}."""
    (link,) = json.loads(net[server].on("ip", "-statistics", "-json", "link", "show", f"{server}-eth0"))
    return {f"{way}_{name}": count for way, counts in link["stats64"].items() for name, count in counts.items()}
