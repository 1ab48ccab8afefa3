"""Who is in the report? A node that announces its service addresses by BGP, and a peer one hop away.

    node 2001:db8:1::2 ---- rack ---- router 2001:db8:1::1, 2001:db8:2::1 ---- far ---- peer 2001:db8:2::2
      2001:db8:5::1 … on lo             learns one /128 a service address

The addresses are of the prefix kept for documentation (RFC 3849); the report's were the owner's own.
"""

import time
from pathlib import Path

from labs.cases.addr_select.addresses import assign
from labs.cases.addr_select.names import NODE, NODE_V4, PEER, PEER_V4, ROUTER, ROUTER_V4, UPLINK, service, service_v4
from labs.net.topology import PINNED, Node, NotReady, Service, Topo, Topology

BGP_PORT = 179
BIRD = """
log stderr {{ warning, error, fatal, bug }};
router id {router_id};
protocol device {{ scan time 3600; }}
{announcing}
protocol bgp neighbour {{
    local {own} as {own_as};
    neighbor {other} as {other_as};
    connect delay time 1;
    connect retry time 1;
    error wait time 1, 1;
    ipv6 {{ {policy} }};
}}
"""
# The node says which addresses its lo has; the router writes what it hears into its kernel. Without
# the larger buffer BIRD misses some of thousands of new addresses, until it looks again.
FROM_LO = """protocol direct { ipv6; interface "lo"; }
protocol kernel { netlink rx buffer 33554432; scan time 3600; ipv6 { import none; export none; }; }"""
TO_KERNEL = "protocol kernel { scan time 3600; ipv6 { import none; export where source = RTS_BGP; }; }"


class Hosts(Topo):
    """A node, a router and a peer. `Network` adds IPv6, which Mininet does not know, BGP, and the addresses on lo."""

    def build(self) -> None:
        rack, far = self.addSwitch("rack", dpid="1"), self.addSwitch("far", dpid="2")
        node = self.addHost("node", ip=f"{NODE_V4}/24", defaultRoute=f"via {ROUTER_V4}")
        router = self.addHost("router", ip=f"{ROUTER_V4}/24")
        peer = self.addHost("peer", ip=f"{PEER_V4}/24", defaultRoute="via 10.2.0.1")
        self.addLink(node, rack, params1={"also": [f"{NODE}/64"]})
        self.addLink(router, rack, params1={"also": [f"{ROUTER}/64"]})
        self.addLink(router, far, params1={"ip": "10.2.0.1/24", "also": ["2001:db8:2::1/64"]})
        self.addLink(peer, far, params1={"also": [f"{PEER}/64"]})


topos = {"addr-select": Hosts}  # for mn --custom, see labs/net/topology.py


class Network(Topology):
    """The report's hosts; `node`, `router` and `peer` are its nodes. BGP is up, with one address. Without
    `all_interfaces` the fault is not switched on: addresses of the outgoing interface alone are candidates, from the
    beginning."""

    topo = Hosts
    pinned = PINNED | {
        "net/ipv6/conf/all/disable_ipv6": "0",
        # Nobody else has these addresses: do not wait a second for an objection to each (RFC 4862, 5.4).
        "net/ipv6/conf/all/accept_dad": "0",
        "net/ipv6/conf/default/accept_dad": "0",
        "net/ipv6/conf/default/router_solicitations": "0",
        "net/ipv6/conf/default/accept_ra": "0",
        "net/ipv6/conf/default/use_oif_addrs_only": "0",
        "net/ipv6/conf/default/use_tempaddr": "0",
    }
    speaks_bgp = True

    def __init__(self, all_interfaces: bool = True) -> None:
        self.all_interfaces = all_interfaces
        super().__init__()

    def configure(self) -> None:
        """Routes and the BGP session; returns when the router has learnt the first service address."""
        self.announced = self.announced_v4 = 0
        self.router.sysctl({"net/ipv6/conf/all/forwarding": "1", "net/ipv4/ip_forward": "1"})
        self.node.on(f"ip route add default via {ROUTER}")
        self.peer.on("ip route add default via 2001:db8:2::1")
        self.only_outgoing(not self.all_interfaces)
        if self.speaks_bgp:
            self._start_bgp()
        self.announce(1)
        self.learnt()

    def _start_bgp(self) -> None:
        self._start_bird(
            self.router,
            own=ROUTER,
            own_as=65000,
            other=NODE,
            other_as=65001,
            announcing=TO_KERNEL,
            policy="import all; export none;",
            router_id=ROUTER_V4,
        ).wait()
        self._start_bird(
            self.node,
            own=NODE,
            own_as=65001,
            other=ROUTER,
            other_as=65000,
            announcing=FROM_LO,
            policy="import none; export where source = RTS_DEVICE;",
            router_id=NODE_V4,
        )

    def announce(self, count: int) -> None:
        """Give the node the service addresses 1 to `count`, if it has not got them; none is taken away.

        (Taking one away makes the kernel look through all routes for it, see rt6_remove_prefsrc()
        in net/ipv6/route.c: with thousands of addresses that takes minutes.)
        """
        assign(self.node, [service(number) for number in range(self.announced + 1, count + 1)], "lo")
        self.announced = max(self.announced, count)

    def announce_v4(self, count: int) -> None:
        """Put so many IPv4 addresses (/32) on the node's lo; nobody announces them."""
        self.node.on(
            "ip",
            "-force",
            "-batch",
            "-",
            stdin="".join(
                f"address add {service_v4(number)}/32 dev lo\n" for number in range(self.announced_v4 + 1, count + 1)
            ),
        )
        self.announced_v4 = max(self.announced_v4, count)

    def only_outgoing(self, only: bool) -> None:
        """The setting that helped: only addresses of the outgoing interface are candidates."""
        self.node.sysctl({f"net/ipv6/conf/{UPLINK}/use_oif_addrs_only": str(int(only))})

    def learnt(self, deadline_s: float = 240) -> int:
        """Waits until the router's kernel has a route to every service address; how many that are."""
        if not self.speaks_bgp:
            return 0
        until = time.monotonic() + deadline_s
        while (count := self.learnt_now()) < self.announced:
            if time.monotonic() > until:
                raise NotReady(
                    f"expected the router to learn {self.announced} service addresses by BGP, "
                    f"found {count}; BIRD said:\n" + "".join(service.log.read_text() for service in self.services)
                )
            # Polling a state; a look at thousands of routes takes a while, which BIRD needs for itself.
            time.sleep(0.02 + count / 8192)
        return count

    def learnt_now(self) -> int:
        """Host routes through the node in the router's table (/proc/net/ipv6_route, net/ipv6/route.c)."""
        prefix = "20010db80005" + "0" * 12
        table = Path(f"/proc/{self.router.pid}/net/ipv6_route").read_text()
        return sum(line.startswith(prefix) for line in table.splitlines())

    def _start_bird(self, host: Node, **words) -> Service:
        config = self.folder / f"{host.name}-bird.conf"
        config.write_text(BIRD.format(**words))
        return self.serve(host, BGP_PORT, "bird", "-f", "-c", f"{config}", "-s", f"{self.folder}/{host.name}.ctl")


class Silent(Network):
    """The network's hosts without BGP, where only the node's own kernel is asked something."""

    speaks_bgp = False
