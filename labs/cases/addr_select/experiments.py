"""Is it rule 6 and its label lookups? The hypothesis of the report, put to the test.

Each change leaves the number of addresses as it is and takes one thing away, or adds to it.
"""

import contextlib
import math
import socket
import time
from collections.abc import Callable
from dataclasses import dataclass

from labs.cases.addr_select.addresses import FOREVER, assign
from labs.cases.addr_select.costs import Cost
from labs.cases.addr_select.names import EVAL, LABEL, NODE, PEER, ROUTER, SELECT, UPLINK, service
from labs.cases.addr_select.network import Network, Silent
from labs.cases.addr_select.workload import APART_S, ROUNDS, Sender, calls_of, cost_of, counting, fastest
from labs.table import Table
from labs.trace.calls import Values

MANY = 1024
LATER = "later0"  # an interface that is made after the uplink, and so visited after it
TEREDO, DISCARD = "2001:0:2::", 9  # 2001::/32 has label 6 in the kernel's table; RFC 863
STRANGER = "2001:db8:9"  # a prefix that no address here is in


@dataclass(frozen=True)
class Changed:
    """What one packet cost after a change: time, calls, and which source was chosen."""

    key: str
    what: str
    cost: Cost
    calls: dict[str, int]
    addresses: int
    base_us: float

    @property
    def ns_per_address(self) -> float:
        """What an address adds to a packet, against the same packet with a single service address."""
        return (self.cost.send_us - self.base_us) * 1e3 / self.addresses

    def to_json(self) -> dict:
        return {
            "what": self.what,
            **self.cost.to_json(),
            "calls": self.calls,
            "ns_per_address": round(self.ns_per_address),
        }


def labels_flushed(net: Network) -> None:
    net.announce(MANY)
    net.node.on("ip addrlabel flush")


def labels_lengthened(net: Network, entries: int) -> None:
    net.announce(MANY)
    lengthen_labels(net, entries)


def lengthen_labels(net: Network, entries: int) -> None:
    """Add so many labels, none of which matches: before 4.15 the kernel had one list of labels for all network
    namespaces, and each namespace added its ten."""
    net.node.on(
        "ip",
        "-batch",
        "-",
        stdin="".join(f"addrlabel add prefix {STRANGER}:{number:x}::/64 label 99\n" for number in range(entries)),
    )


def entry_of_their_own(net: Network, label: int) -> None:
    """The services' prefix in the table, with this label. A /48 comes before the shorter prefixes, and a lookup ends at
    the first that matches: the fourth entry of eleven."""
    net.announce(MANY)
    net.node.on(f"ip addrlabel add prefix 2001:db8:5::/48 label {label}")


def services(first: int = 1, last: int = MANY) -> list[str]:
    return [service(number) for number in range(first, last + 1)]


def on_later_interface(net: Network, preferred_s: int = FOREVER) -> None:
    net.node.on("ip", "-batch", "-", stdin=f"link add {LATER} type dummy\nlink set {LATER} up\n")
    assign(net.node, services(2), LATER, preferred_s)  # the first is on lo already


def deprecated(net: Network) -> None:
    assign(net.node, services(), "lo", preferred_s=0)


def on_uplink(net: Network) -> None:
    assign(net.node, services(2), UPLINK)


def on_uplink_with_setting(net: Network) -> None:
    on_uplink(net)
    net.only_outgoing(True)


def source_on_the_route(net: Network) -> None:
    net.announce(MANY)
    net.node.on(f"ip -6 route replace default via {ROUTER} src {NODE}")


def with_setting(net: Network) -> None:
    net.announce(MANY)
    net.only_outgoing(True)


CHANGES: list[tuple[str, str, Callable[[Network], None]]] = [
    ("as_told", "as in the report", lambda net: net.announce(MANY)),
    ("no_labels", "label table emptied", labels_flushed),
    ("labels_100", "100 more labels", lambda net: labels_lengthened(net, 100)),
    ("labels_1000", "1000 more labels", lambda net: labels_lengthened(net, 1000)),
    ("another_label", "services: another label", lambda net: entry_of_their_own(net, 99)),
    ("same_label", "an entry, but label 1", lambda net: entry_of_their_own(net, 1)),  # the destination's
    ("deprecated", "services deprecated", deprecated),
    ("later", "services on a later device", on_later_interface),
    ("later_deprecated", "the same, deprecated", lambda net: on_later_interface(net, preferred_s=0)),
    ("uplink", "services on the uplink", on_uplink),
    ("uplink_setting", "the same, with the setting", on_uplink_with_setting),
    ("setting", "use_oif_addrs_only", with_setting),
    ("route", "src on the route", source_on_the_route),
]


def rules() -> Table:
    """Every change in a network of its own, with as many addresses. They all stand at once, so that the
    rounds in which they are timed lie apart: a machine's busy moments are longer than one row takes."""
    with contextlib.ExitStack() as stack:
        nets, base_us = [], math.inf
        for _, _, change in CHANGES:
            nets.append(net := stack.enter_context(Silent()))
            base_us = min(base_us, cost_of(net).send_us)
            change(net)
        rounds = []
        for _ in range(ROUNDS):
            time.sleep(APART_S)
            rounds.append([cost_of(net) for net in nets])
        with counting() as calls:
            rows = [
                Changed(key, what, spent, calls_of(net, calls), MANY, base_us)
                for (key, what, _), net, spent in zip(CHANGES, nets, map(fastest, zip(*rounds)))
            ]
    heads = [
        (f"N = {MANY}", "<27"),
        ("questions", ">10"),
        ("lookups", ">9"),
        ("send, us", ">10"),
        ("ns/address", ">12"),
        ("  source", "<12"),
    ]
    return Table(
        rows,
        heads,
        lambda row: (
            row.what,
            row.calls[EVAL],
            row.calls[LABEL],
            f"{row.cost.send_us:.0f}",
            f"{row.ns_per_address:.0f}",
            "  " + ("node's" if row.cost.source == NODE else row.cost.source),
        ),
    )


@dataclass(frozen=True)
class Looked:
    """What ipv6_addr_label() was asked and said for one packet. `labels` counts what it returned,
    `interfaces` its argument ifindex at the entry; `misread` is what a probe at the return finds in
    that argument's register."""

    key: str
    what: str
    labels: dict[int, int]
    interfaces: dict[int, int]
    misread: dict[int, int]

    def to_json(self) -> dict:
        return {
            "what": self.what,
            **{
                name: {str(value): count for value, count in getattr(self, name).items()}
                for name in ("labels", "interfaces", "misread")
            },
        }


def labels(addresses: int = 512) -> Table:
    """Which labels do the lookups of one packet return, and what does the report's program print?"""
    rows = []
    with Silent() as net:
        net.announce(addresses)
        rows.append(looked(net, "as_told", "as in the report", PEER))
        net.router.on(f"ip -6 route add {TEREDO}/64 via {PEER}")
        rows.append(looked(net, "to_teredo", "to a peer in 2001::/32", f"{TEREDO}2"))
        assign(net.node, [f"{TEREDO}1"], "lo")
        rows.append(looked(net, "one_teredo", "one address in 2001::/32", PEER))
    heads = [
        (f"N = {addresses}", "<27"),
        ("label x lookups", "<22"),
        ("ifindex x lookups", "<20"),
        ("at the return", "<11"),
    ]
    return Table(
        rows,
        heads,
        lambda row: (
            row.what,
            *(
                "; ".join(f"{value} x {count}" for value, count in counts.items())
                for counts in (row.labels, row.interfaces)
            ),
            ", ".join(map(str, row.misread)),
        ),
    )


def looked(net: Network, key: str, what: str, to: str) -> Looked:
    """One packet, watched at the entry of ipv6_addr_label() and at its return."""
    with net.node.inside():
        sender = socket.socket(socket.AF_INET6, socket.SOCK_DGRAM)
    with sender:
        sender.sendto(b"?", (to, DISCARD))
        with Values(LABEL, ifindex="%cx:s32") as entered:
            sender.sendto(b"?", (to, DISCARD))
        with Values(LABEL, returned=True, label="$retval:u32", ifindex="%cx:s32") as returned:
            sender.sendto(b"?", (to, DISCARD))
    by_label: dict[int, int] = {}
    misread: dict[int, int] = {}
    for (label, register), count in returned.counts.items():
        by_label[label] = by_label.get(label, 0) + count
        register = (register & 0xFFFFFFFF) - (register << 1 & 1 << 32)  # shown as 64 bits, it is an int
        misread[register] = misread.get(register, 0) + count
    return Looked(key, what, by_label, {ifindex: count for (ifindex,), count in entered.counts.items()}, misread)


def chosen(net: Network, kind: str = "unconnected", peer: str = PEER) -> tuple[str, int]:
    """Source of a packet as the peer sees it, and how often the kernel was asked for it."""
    with Sender(net, kind, peer=peer) as sender, counting((SELECT,)) as calls:
        return sender.cost(3).source, sender.calls(calls)[SELECT]
