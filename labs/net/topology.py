"""Which hosts are there, and how are they wired? As Mininet's `Topo` says, and all is removed at the end.

Every host is a Mininet `Host`, a process in a network namespace of its own. So is the one that holds
the wires: the bridges and their ends of the links live there and not in the guest's own namespace, which makes
everything end with its processes, and lets any number of topologies stand side by side. Mininet would start a
process or two for each bridge, interface and address; here they are made in batches, in a tenth of the time.
"""

from __future__ import annotations

import contextlib
import os
import secrets
import subprocess
import tempfile
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Self, cast

from mininet.net import Mininet
from mininet.topo import Topo
from mininet.util import numCores

from core.protocol import NETWORK
from labs.measure.timing import timed
from labs.net.card import Card
from labs.net.node import CommandFailed, Node, NotReady, Service, at_once, finish, load_modules
from labs.net.wired import Bridge, Interface, Veth

if TYPE_CHECKING:
    from core.draw import topology_svg

__all__ = ["Card", "CommandFailed", "Node", "NotReady", "Service", "Topo", "Topology", "at_once", "finish"]

# Mininet() would raise system-wide limits, tcp_rmem and tcp_wmem among them (mininet.util,
# fixLimits()), and so change what a later lab measures. And it would have grep count the processors.
Mininet.inited = True
numCores.ncores = os.cpu_count()

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
# A wire carries packets of at most its MTU. Without this a veth passes on what TCP hands it, up to
# 64 KB in one piece, and nobody on the way sees a packet as it would be on an Ethernet.
OFFLOADS_OFF = ("tso", "off", "gso", "off", "gro", "off")


class Topology(Mininet):
    """Hosts and links for the length of a `with` block, or until `close()`. It is up when it is made, and a Mininet
    object: net["client"].cmd("ip route"), net.links, net.pingPair() and CLI(net) do what they do there.

    A case's topology names its `topo`, and sets its hosts up in `configure()`, where each is an attribute: self.client.
    In the topo every link goes from a host to a switch, and addLink() may say:

        mtu     bytes, 1500 unless it is said; the switch has it, too
        delay   "2ms", of what the switch sends there, so in `params2`: on the host it would come before its tcpdump
        ip      "10.0.0.1/24", in `params1`; a host's first interface has what addHost() says
        also    further addresses, in `params1`

    Stock Mininet builds a topo from the module's `topos`, without what its docstring says that the case adds:

        mn --custom labs/cases/frag_needed/network.py --topo frag-needed --switch lxbr --link tc

    It needs a number for each switch (`dpid`), and knows `delay` with --link tc only, `mtu` and `also` never.
    """

    topo: type[Topo] = Topo  # of an object, as in Mininet, the topo itself
    cards: Sequence[Card] = ()  # of the guest itself; only one topology at a time can have them
    modules: Sequence[str] = ()  # of the kernel, beside those of the wires
    pinned: Mapping[str, str] = PINNED  # of the hosts; a case that needs IPv6 or another default says so

    def __init__(self) -> None:
        super().__init__(self.topo(), switch=Bridge, host=Node, controller=None, link=Veth, intf=Interface, build=False)
        self.wires: Node | None = None
        self.services: list[Service] = []
        # Named before it is made: Ctrl-C may come between the two.
        self.folder = Path(tempfile.gettempdir()) / f"lab-{secrets.token_hex(4)}"
        try:
            self.folder.mkdir(mode=0o700)
            with timed(NETWORK):
                self._build()
                self.configure()
        except BaseException:  # Ctrl-C in the middle leaves nothing either
            self.close()
            raise

    def configure(self) -> None:
        """What a case adds: routes, rules, services."""

    def extend(self, topo: Topo) -> None:
        """Add the hosts that `topo` has beside ours, each with its link: quicker than a new network."""
        names = [name for name in topo.hosts(sort=False) if name not in self.by_name]
        self.topo = topo
        with timed(NETWORK):
            with ThreadPoolExecutor(len(names)) as pool:
                list(pool.map(self._add_host, names))
            self._join(names)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_) -> None:
        self.close()

    @property
    def by_name(self) -> dict[str, Node]:
        """The hosts by name, in the order of the topo."""
        return {host.name: host for host in self.hosts}

    def serve(self, node: Node, port: int, *command: str) -> Service:
        """Starts a program that will listen on `port`; `Service.wait` says when it does."""
        log = self.folder / f"{node.name}-{Path(command[0]).name}-{port}.log"
        with open(log, "w") as out:
            # A session of its own: Ctrl-C at Mininet's prompt is meant for what was typed there.
            process = node.start(
                *command, stdin=subprocess.DEVNULL, stdout=out, stderr=subprocess.STDOUT, start_new_session=True
            )
        service = Service(process, node, port, log)
        self.services.append(service)
        return service

    def describe(self) -> topology_svg.Described:
        """Hosts, addresses and wires as plain values, for a picture of the topology."""
        return {
            "segments": [
                {"name": bridge.name, "mtu": end.mtu, "delay_ms": end.delay_ms} for bridge, end in self._bridges()
            ],
            "ports": [
                {
                    "node": end.node.name,
                    "interface": end.name,
                    "segment": end.link.intf2.node.name,
                    "mtu": end.mtu,
                    "addresses": end.addresses,
                }
                for end in self._ends(self.links)
            ],
            "cards": [cast("topology_svg.Card", asdict(card)) for card in self.cards],
        }

    def close(self) -> None:
        """Ends every process on every host, then the hosts. Safe to call twice."""
        with timed(NETWORK):
            self._close()

    def stop(self) -> None:
        """Mininet's call, with which its scripts end: close()."""
        self.close()

    def _close(self) -> None:
        running = [node for node in (*self.hosts, self.wires) if node and node.shell]
        for node in running:
            node.end_processes()
        for service in self.services:
            service.process.kill()  # where somebody has ended its host by itself
            service.process.wait()
        for card in self.cards:
            for node in running:
                if node.name == card.node:
                    card.give_back(node)
        for node in (*self.switches, *running):
            node.terminate()
        for path in sorted(self.folder.rglob("*"), reverse=True):
            path.rmdir() if path.is_dir() else path.unlink()
        with contextlib.suppress(FileNotFoundError):
            self.folder.rmdir()
        self.services = []

    def _bridges(self) -> list[tuple[Bridge, Interface]]:
        """Each bridge with its end of its first link, which says what all have. Raises ValueError where they differ: a
        bridge has one MTU, and a picture one delay for each."""
        for bridge in self.switches:
            if not bridge.intfList():
                raise ValueError(f"expected a link at the switch {bridge}, found none")
            said = sorted({f"MTU {end.mtu}, delay {end.delay}" for end in bridge.intfList()})
            if len(said) > 1:
                raise ValueError(f"expected the same of all links at the switch {bridge}, found {'; '.join(said)}")
        return [(bridge, bridge.intfList()[0]) for bridge in self.switches]

    def _ends(self, links: Sequence[Veth]) -> list[Interface]:
        """The hosts' ends of these links."""
        return [link.intf1 for link in links]

    def _build(self) -> None:
        names = self.topo.hosts(sort=False)
        # A host takes 70 ms to start under emulation: start them at once.
        with ThreadPoolExecutor(len(names) + 2) as pool:
            loading = pool.submit(load_modules, "veth", "bridge", "sch_netem", *self.modules)
            list(pool.map(lambda start: start(), [self._add_wires, *(partial(self._add_host, name) for name in names)]))
            loading.result()
            list(pool.map(lambda card: card.attach(self[card.node]), self.cards))
        for name in self.topo.switches(sort=False):
            self.addSwitch(name, wires=self.wires, **self.topo.nodeInfo(name))
        wires = cast(Node, self.wires)  # made by now
        wires.sysctl(PINNED)
        self._join(names)

    def _join(self, names: Sequence[str]) -> None:
        """Wire hosts that have just been made, and set them up."""
        order = self.topo.hosts(sort=False)
        self.hosts.sort(key=lambda host: order.index(host.name))
        made = [bridge for bridge in self.switches if not bridge.intfList()]
        links = self._fill(names)
        hosts = [self[name] for name in names]
        for host in hosts:
            if hasattr(self, host.name):
                raise ValueError(f"a host may not be called {host.name!r}: that is an attribute of each network")
            setattr(self, host.name, host)
            host.sysctl(self.pinned)
        wires = cast(Node, self.wires)
        wires.on("ip", "-batch", "-", stdin=self._wiring(made, links))
        at_once(
            [
                (wires, ("tc", "-batch", "-"), self._delays(links)),
                *((end.node, ("ethtool", "-K", end.name, *OFFLOADS_OFF), "") for end in self._ends(links)),
                *((host, ("ip", "-batch", "-"), self._addressing(host)) for host in hosts),
            ]
        )

    def offloads_off(self, *hosts: str) -> None:
        """Have these hosts' wires cut nothing and put nothing together, as it is at first, whatever they are called by
        now."""
        for node in map(self.__getitem__, hosts):
            for line in node.on("ip", "-o", "link", "show", "type", "veth").splitlines():
                name = line.split()[1].split("@")[0].rstrip(":")
                node.on("ethtool", "-K", name, *OFFLOADS_OFF)

    # Each is where `close` finds it as soon as it is made.

    def _add_wires(self) -> None:
        self.wires = Node("wires")

    def _add_host(self, name: str) -> None:
        self.addHost(name, **{"ip": None} | self.topo.nodeInfo(name))

    def _fill(self, names: Sequence[str]) -> list[Veth]:
        """The links of these hosts as Mininet knows them, in their order, and the guest's cards that they have."""
        links = [options for *_, options in self.topo.links(withInfo=True) if options["node1"] in names]
        links.sort(key=lambda options: (names.index(options["node1"]), options["port1"]))
        made = [self.addLink(**options) for options in links]
        for card in self.cards:
            if card.node in names:
                ip, *also = card.addresses or (None,)
                Interface(card.interface, self[card.node], ip=ip, also=also, mtu=card.mtu)
        self.built = True
        return made

    def _wiring(self, bridges: Sequence[Bridge], links: Sequence[Veth]) -> str:
        """Input of `ip -batch` in the wires' namespace: these bridges, and a veth pair for each link."""
        lines = [
            f"link add {bridge} mtu {end.mtu} up type bridge" for bridge, end in self._bridges() if bridge in bridges
        ]
        for near, far in ((link.intf1, link.intf2) for link in links):
            lines += [
                f"link add {far} mtu {far.mtu} type veth peer name {near} mtu {near.mtu} netns {near.node.pid}",
                f"link set {far} master {far.node} up",
            ]
        return "\n".join(lines)

    def _delays(self, links: Sequence[Veth]) -> str:
        """Input of `tc -batch` in the wires' namespace: what leaves a bridge waits."""
        return "\n".join(
            f"qdisc add dev {link.intf2} root netem delay {link.intf2.delay}" for link in links if link.intf2.delay
        )

    def _addressing(self, host: Node) -> str:
        """Input of `ip -batch` on a host."""
        lines = []
        for interface in host.intfList():
            lines += [f"address add {address} dev {interface}" for address in interface.addresses]
            lines.append(f"link set {interface} up")
        if route := host.params.get("defaultRoute"):
            lines.append(f"route add default {route}")
        return "\n".join([*lines, "link set lo up"])
