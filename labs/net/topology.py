"""Which hosts are there, and how are they wired? Mininet's hosts on bridges, all removed at the end.

Every host is a Mininet `Host`, a process in a network namespace of its own. So is the one that holds
the wires: the bridges and their ports live there and not in the guest's own namespace, which makes
everything end with its processes, and lets any number of topologies stand side by side.
"""

from __future__ import annotations

import contextlib
import os
import secrets
import signal
import subprocess
import tempfile
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, dataclass
from pathlib import Path

from mininet.net import Mininet

from labs.net.card import Card
from labs.net.node import CommandFailed, Node, NotReady, Service, at_once, finish, load_modules
from labs.spent import NETWORK, spent

__all__ = ["Card", "CommandFailed", "Node", "NotReady", "Port", "Service", "Topology", "Wire", "at_once", "finish"]

# Mininet() would raise system-wide limits, tcp_rmem and tcp_wmem among them (mininet.util,
# fixLimits()), and so change what a later lab measures.
Mininet.inited = True

# What the labs depend on, in every host's namespace; the values are Linux 6.1's own defaults
# (Documentation/networking/ip-sysctl.rst) unless a reason stands beside them.
PINNED = {
    "net/ipv4/tcp_rmem": "4096 131072 6291456",
    "net/ipv4/tcp_wmem": "4096 16384 4194304",
    "net/ipv4/tcp_congestion_control": "cubic",
    "net/ipv4/tcp_mtu_probing": "0",
    "net/ipv4/ip_no_pmtu_disc": "0",
    "net/ipv4/route/mtu_expires": "600",
    "net/ipv4/tcp_no_metrics_save": "1",  # else a connection inherits the last one's RTT and RTO
    "net/ipv6/conf/all/disable_ipv6": "1",  # no neighbour discovery among the packets shown
}
WIRES = "wires"
# A wire carries packets of at most its MTU. Without this a veth passes on what TCP hands it, up to
# 64 KB in one piece, and nobody on the way sees a packet as it would be on an Ethernet.
OFFLOADS_OFF = ("tso", "off", "gso", "off", "gro", "off")


@dataclass(frozen=True)
class Wire:
    """A bridge that hosts share: its MTU in bytes, and the time a packet takes from one host to another."""

    name: str
    mtu: int = 1500
    delay_ms: float = 0


@dataclass(frozen=True)
class Port:
    """A host's place on a wire. Its interface is called after the host: client-eth0."""

    node: str
    wire: Wire
    addresses: tuple[str, ...]


class Topology:
    """Hosts and wires for the length of a `with` block, or until `close()`.

    A case's topology names its `ports`, and sets its hosts up in `configure()`.
    """

    ports: Sequence[Port] = ()
    cards: Sequence[Card] = ()  # of the guest itself; only one topology at a time can have them
    modules: Sequence[str] = ()  # of the kernel, beside those of the wires
    pinned: Mapping[str, str] = PINNED  # of the hosts; a case that needs IPv6 or another default says so

    def __init__(self) -> None:
        self.nodes: dict[str, Node] = {}
        self.services: list[Service] = []
        # Named before it is made: Ctrl-C may come between the two.
        self.folder = Path(tempfile.gettempdir()) / f"lab-{secrets.token_hex(4)}"
        try:
            self.folder.mkdir(mode=0o700)
            with spent(NETWORK):
                self._build()
                self.configure()
        except BaseException:  # Ctrl-C in the middle leaves nothing either
            self.close()
            raise

    def configure(self) -> None:
        """What a case adds: routes, rules, services."""

    def __enter__(self) -> Topology:
        return self

    def __exit__(self, *_) -> None:
        self.close()

    def __getitem__(self, name: str) -> Node:
        return self.nodes[name]

    @property
    def hosts(self) -> dict[str, Node]:
        """The case's hosts by name, in the order of its ports and cards."""
        return {place.node: self.nodes[place.node] for place in (*self.ports, *self.cards)}

    def serve(self, node: Node, port: int, *command: str) -> Service:
        """Starts a program that will listen on `port`; `Service.wait` says when it does."""
        log = self.folder / f"{node.name}-{Path(command[0]).name}-{port}.log"
        with open(log, "w") as out:
            process = node.start(*command, stdin=subprocess.DEVNULL, stdout=out, stderr=subprocess.STDOUT)
        service = Service(process, node, port, log)
        self.services.append(service)
        return service

    def describe(self) -> dict:
        """Hosts, addresses and wires as plain values, for a picture of the topology."""
        return {
            "segments": [asdict(wire) for wire in self._wires()],
            "ports": [
                {
                    "node": port.node,
                    "interface": self._interfaces()[port],
                    "segment": port.wire.name,
                    "mtu": port.wire.mtu,
                    "addresses": list(port.addresses),
                }
                for port in self.ports
            ],
            "cards": [asdict(card) for card in self.cards],
        }

    def close(self) -> None:
        """Ends every process on every host, then the hosts. Safe to call twice."""
        with spent(NETWORK):
            self._close()

    def _close(self) -> None:
        for node in self.nodes.values():
            if node.shell:
                for pid in node.processes():
                    with contextlib.suppress(ProcessLookupError):
                        os.kill(pid, signal.SIGKILL)
        for service in self.services:
            service.process.wait()
        for card in self.cards:
            if node := self.nodes.get(card.node):
                card.give_back(node)
        for node in self.nodes.values():
            node.terminate()
        for path in sorted(self.folder.rglob("*"), reverse=True):
            path.rmdir() if path.is_dir() else path.unlink()
        with contextlib.suppress(FileNotFoundError):
            self.folder.rmdir()
        self.nodes, self.services = {}, []

    def _wires(self) -> list[Wire]:
        return list(dict.fromkeys(port.wire for port in self.ports))

    def _interfaces(self) -> dict[Port, str]:
        names, count = {}, {}
        for port in self.ports:
            number = count[port.node] = count.get(port.node, -1) + 1
            names[port] = f"{port.node}-eth{number}"
        return names

    def _build(self) -> None:
        names = [WIRES, *dict.fromkeys(place.node for place in (*self.ports, *self.cards))]
        # A host takes 70 ms to start under emulation: start them at once.
        with ThreadPoolExecutor(len(names) + 1) as pool:
            loading = pool.submit(load_modules, "veth", "bridge", "sch_netem", *self.modules)
            list(pool.map(self._add, names))
            loading.result()
            list(pool.map(lambda card: card.attach(self[card.node]), self.cards))
        for name, node in self.nodes.items():
            node.sysctl(PINNED if name == WIRES else self.pinned)
        wires = self[WIRES]
        wires.on("ip", "-batch", "-", stdin=self._wiring())
        at_once(
            [
                (wires, ("tc", "-batch", "-"), self._delays()),
                *(
                    (self[port.node], ("ethtool", "-K", interface, *OFFLOADS_OFF), "")
                    for port, interface in self._interfaces().items()
                ),
                *((self[name], ("ip", "-batch", "-"), self._addressing(name)) for name in names[1:]),
            ]
        )

    def _add(self, name: str) -> None:
        """Into `nodes` as soon as it is made, so that `close` finds each that was made."""
        self.nodes[name] = Node(name)

    def _wiring(self) -> str:
        """Input of `ip -batch` in the wires' namespace: bridges, and a veth pair for each port."""
        lines = [f"link add {wire.name} mtu {wire.mtu} up type bridge" for wire in self._wires()]
        for port, interface in self._interfaces().items():
            mtu = port.wire.mtu
            lines += [
                f"link add {interface} mtu {mtu} type veth peer name {interface} mtu {mtu} netns {self[port.node].pid}",
                f"link set {interface} master {port.wire.name} up",
            ]
        return "\n".join(lines)

    def _delays(self) -> str:
        """Input of `tc -batch` in the wires' namespace: what leaves a bridge waits."""
        return "\n".join(
            f"qdisc add dev {interface} root netem delay {port.wire.delay_ms}ms"
            for port, interface in self._interfaces().items()
            if port.wire.delay_ms
        )

    def _addressing(self, name: str) -> str:
        """Input of `ip -batch` on a host."""
        lines = []
        for port, interface in self._interfaces().items():
            if port.node == name:
                lines += [f"address add {address} dev {interface}" for address in port.addresses]
                lines.append(f"link set {interface} up")
        for card in self.cards:
            if card.node == name:
                lines += [f"address add {address} dev {card.interface}" for address in card.addresses]
                lines.append(f"link set {card.interface} up")
        return "\n".join([*lines, "link set lo up"])
