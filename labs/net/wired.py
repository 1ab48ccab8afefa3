"""What stands in a Mininet object for bridges, links and interfaces that are made in one batch?

Mininet's own classes would make and set up each by itself, a process for every step. These only know what is to be
made: `Topology` reads it of them, makes it, and from then on they are what Mininet's users expect.
"""

from collections.abc import Sequence

from mininet.link import Intf, Link
from mininet.nodelib import LinuxBridge

from labs.net.node import InNamespace, Node


class Bridge(InNamespace, LinuxBridge):
    """A Linux bridge in the namespace of `wires`, where all bridges of a topology are."""

    controlIntf = None

    def __init__(self, name: str, wires: Node, **params) -> None:
        self.wires = wires
        super().__init__(name, **params | {"inNamespace": True})

    def startShell(self, mnopts: str | None = None) -> None:
        """Start no shell, because the namespace is there without one."""
        self.shell, self.pid = self.wires.shell, self.wires.pid

    def terminate(self) -> None:
        """The bridge itself ends with its namespace."""
        self.end_bash()
        self.shell = None


class Interface(Intf):
    """One end of a wire, or a card of the guest, with what Topo.addLink() said of it: its MTU in bytes, the `delay`
    ("2ms") of what it sends, and its addresses, of which Mininet knows the first."""

    def __init__(self, *place, **options) -> None:
        super().__init__(*place, **options | {"moveIntfFn": lambda *_: None})  # it is made where it belongs

    def config(
        self, ip: str | None = None, also: Sequence[str] = (), mtu: int = 1500, delay: str | None = None, **_
    ) -> None:
        """Note the address only. A host's first interface gets the host's `ip`, as in Mininet."""
        if not ip and self.node.defaultIntf() is self:
            ip = self.node.params.get("ip")
        if ip:
            self.ip, self.prefixLen = ip.split("/")
        self.addresses = [*([ip] if ip else []), *also]
        self.mtu, self.delay = mtu, delay

    @property
    def delay_ms(self) -> int | float:
        """0 without one; a whole number of ms as an int."""
        ms = float(self.delay.removesuffix("ms")) if self.delay else 0
        return int(ms) if ms == int(ms) else ms

    def MAC(self) -> str | None:
        """Mininet's call. The kernel has chosen the address, so it is asked."""
        return self.mac or self.updateMAC()


class Veth(Link):
    """A veth pair from a host, `intf1`, to a bridge, `intf2`."""

    def __init__(self, host: Node, bridge: Bridge, **options) -> None:
        super().__init__(host, bridge, **options | {"addr1": None, "addr2": None})  # MAC addresses are the kernel's

    @classmethod
    def makeIntfPair(cls, *_, **__) -> None:
        """Make no pair here: see `Topology`."""
