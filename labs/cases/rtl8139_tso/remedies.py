"""What did they try on the server, and what else is there? Each for the length of a `with` block.

    with opened_firewall(net), route(net, "mtu lock 1320"):
        seen = download(net)
    seen = under(net, "mtu_lock")   # the same

Each begins with a route made anew, so that nothing is known of path MTUs from before. What may be undone twice is
undone also where Ctrl-C has come before it was done.
"""

import contextlib
from collections.abc import Callable
from dataclasses import dataclass

from core.protocol import CONTROL
from labs.cases.rtl8139_tso.names import CLAMPED_MSS
from labs.cases.rtl8139_tso.network import Network
from labs.cases.rtl8139_tso.observed import Download
from labs.cases.rtl8139_tso.workload import download
from labs.measure.timing import timed
from labs.net.node import Node

HEAR = ("INPUT", "-p", "icmp", "-m", "icmp", "--icmp-type", "3", "-j", "ACCEPT")


@contextlib.contextmanager
def opened_firewall(net: Network, name: str = "server"):
    """The rule that the report adds: ICMP of type 3 is let in."""
    net[name].on("iptables-legacy", "-I", *HEAR)
    try:
        yield
    finally:
        net[name].on("iptables-legacy", "-D", *HEAR)


@contextlib.contextmanager
def route(net: Network, options: str, name: str = "server"):
    """The server's way out with these options, and forgotten what was learnt before."""
    try:
        net.route(name, options)
        yield
    finally:
        net.route(name)


@contextlib.contextmanager
def without_tso(net: Network):
    """The server's card is handed single segments."""
    try:
        net["server"].on("ethtool", "-K", "server-eth0", "tso", "off")
        yield
    finally:
        net["server"].on("ethtool", "-K", "server-eth0", "tso", net.tso)


@contextlib.contextmanager
def merging(net: Network, card: str = "to-server"):
    """No remedy, but a false alarm: the router's card merges what comes in (GRO), and a capture there shows segments
    that nobody has sent so."""
    try:
        net.router.on("ethtool", "-K", card, "gro", "on")
        yield
    finally:
        net.router.on("ethtool", "-K", card, "gro", "off")


@contextlib.contextmanager
def without_discovery(net: Network, name: str = "server"):
    """No path MTU discovery at all (Documentation/networking/ip-sysctl.rst, ip_no_pmtu_disc)."""
    net[name].sysctl({"net/ipv4/ip_no_pmtu_disc": "1"})
    try:
        yield
    finally:
        net[name].sysctl({"net/ipv4/ip_no_pmtu_disc": "0"})


@contextlib.contextmanager
def client_with(net: Network, mss: int, timestamps: bool = True):
    """No remedy, but another reader: one who comes with this MSS, and whose TCP has timestamps or not (RFC 7323)."""
    with contextlib.nullcontext() if timestamps else without_timestamps(net.client):
        try:
            net.clamp(mss)
            yield
        finally:
            net.clamp(CLAMPED_MSS)


@contextlib.contextmanager
def without_timestamps(node: Node):
    """A host whose connections have no timestamps."""
    try:
        node.sysctl({"net/ipv4/tcp_timestamps": "0"})
        yield
    finally:
        node.sysctl({"net/ipv4/tcp_timestamps": "1"})


@dataclass(frozen=True)
class State:
    """A server, and what is done to it before the file is fetched from it."""

    called: str
    server: str = "server"
    remedies: tuple[Callable, ...] = ()


def _routed(options: str) -> Callable:
    return lambda net: route(net, options)


# As in the report, the firewall stays open once it has been opened.
STATES = {
    "as_it_is": State("as it is"),
    "opened": State("firewall opened", remedies=(opened_firewall,)),
    "mtu": State(f"route mtu {CLAMPED_MSS}", remedies=(opened_firewall, _routed(f"mtu {CLAMPED_MSS}"))),
    "mtu_lock": State(f"route mtu lock {CLAMPED_MSS}", remedies=(opened_firewall, _routed(f"mtu lock {CLAMPED_MSS}"))),
    "mtu_lock_1500": State("route mtu lock 1500", remedies=(opened_firewall, _routed("mtu lock 1500"))),
    "no_pmtu_disc": State("ip_no_pmtu_disc=1", remedies=(opened_firewall, without_discovery)),
    "tso_off": State("TSO off", remedies=(without_tso,)),
    "mended": State("same card, fixed", "mended"),
    "beside": State("other card (virtio)", "beside"),
}


def under(net: Network, key: str, tracer=None) -> Download:
    """A download by the client in one of STATES."""
    state = STATES[key]
    net.route(state.server)
    with contextlib.ExitStack() as stack:
        for remedy in state.remedies:
            stack.enter_context(remedy(net))
        return download(net, state.server, called=state.called, tracer=tracer)


def as_it_is(net: Network) -> Download:
    """A download before the answer acts, and nothing learnt from it."""
    with timed(CONTROL):
        broken = under(net, "as_it_is")
        net.route("server")
    return broken
