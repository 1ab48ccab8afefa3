"""Who else asks? Another client on the same wire, which has no sidecar.

Its address is drawn, so no answer has it by heart: what helps one address alone is no fix of a service.
"""

import random
from typing import Any, cast

from labs.cases.frag_needed.names import ANOTHER
from labs.cases.frag_needed.network import Hosts, Network
from labs.net.node import Node

LAST = range(128, 255)  # of its address: no prefix longer than the wire's has it and 10.0.0.1


class HostsAndAnother(Hosts):
    """The report's, and another client."""

    def build(self) -> None:
        super().build()
        address = f"10.0.0.{random.choice(LAST)}"
        self.addLink(self.addHost(ANOTHER, ip=f"{address}/24"), "lan", params2={"delay": "2ms"})


def as_client(net: Network, client: Node) -> Network:
    """A network as one of its hosts has it: for who asks, and looks on, there it is the `client`."""
    return cast(Network, _As(net, client))  # it has all that a network has, and is none to be closed


class _As:
    def __init__(self, net: Network, client: Node) -> None:
        self.net, self.client = net, client

    def __getattr__(self, name: str) -> Any:
        return getattr(self.net, name)
