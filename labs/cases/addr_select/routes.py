"""A route says its source. What does it say when the host no longer has that address?"""

import json
from dataclasses import asdict, dataclass

from labs.cases.addr_select.addresses import assign
from labs.cases.addr_select.experiments import chosen
from labs.cases.addr_select.names import ROUTER, UPLINK, service
from labs.cases.addr_select.network import Network, Silent
from labs.table import Table

TO = "2001:db8:2::/64"  # the peer's network
SOURCE = service(2)


@dataclass(frozen=True)
class Kept:
    """A route with a source of its own, after that address was deleted from `device`: the source that the route still
    says, "" if none; that of the next packet, as the peer sees it, and how often the kernel chose one for it; and
    whether the node has the address that the packet came from."""

    device: str
    said: str
    source: str
    choices: int
    owned: bool

    @property
    def key(self) -> str:
        return "on_lo" if self.device == "lo" else "on_uplink"

    def to_json(self) -> dict:
        return asdict(self)


def deleted_from(device: str) -> Kept:
    """The source is an address of this device of the node; the route is of the uplink."""
    with Silent() as net:
        assign(net.node, [SOURCE], device)
        net.node.on(f"ip route add {TO} via {ROUTER} dev {UPLINK} src {SOURCE}")
        before = chosen(net)
        assert before == (SOURCE, 0), before
        net.node.on(f"ip address del {SOURCE}/128 dev {device}")
        source, choices = chosen(net)
        return Kept(device, said(net), source, choices, owned(net, source))


def said(net: Network) -> str:
    """The source that the node's route to the peer's network says, "" if none."""
    (route,) = json.loads(net.node.on(f"ip -j -6 route show {TO}"))
    return route.get("prefsrc", "")


def owned(net: Network, address: str) -> bool:
    """Whether an address is one of the node's."""
    return any(json.loads(net.node.on(f"ip -j -6 address show to {address}/128")))


def kept() -> Table:
    """The source on the route's own device, and on another."""
    heads = [
        ("deleted from", "<14"),
        ("the route says", "<16"),
        ("next packet's source", "<22"),
        ("choices", ">7"),
        ("  the host has it", "<17"),
    ]
    return Table(
        [deleted_from(device) for device in (UPLINK, "lo")],
        heads,
        lambda row: (row.device, row.said or "-", row.source, row.choices, "  yes" if row.owned else "  no"),
    )
