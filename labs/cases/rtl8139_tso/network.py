"""Who is in the report? A web server behind an emulated card, and readers behind a narrow link.

    server  10.8.1.2 --[rtl8139 of 2006]--+
    mended  10.8.2.2 --[rtl8139]----------+-- router --narrow, MTU 1420-- home -- client 10.8.9.2
    beside  10.8.3.2 --[virtio]-----------+

Each of the three runs the same web server and the same firewall. `router` is the report's router at
the hoster: whole packets come in, and it clamps the MSS for those who go through the tunnel; `home` is
the first router of the reader. What is in brackets are cards of the guest, wired inside QEMU.
"""

import contextlib
import random
from collections.abc import Sequence

from core.waiting import poll
from labs.cases.rtl8139_tso.names import CLAMPED_MSS, CLIENT, NARROW_MTU, SERVERS
from labs.net.card import mac
from labs.net.sockets import LISTEN, TIME_WAIT, Socket
from labs.net.topology import Card, CommandFailed, NotReady, Service, Topo, Topology, at_once

PORT = 80
DRIVERS = {"server": "8139cp", "mended": "8139cp", "beside": "virtio_net"}
FILE = "file"
FILE_BYTES = 1_000_000
PATIENCE_S = 5  # that a ping may take

# Cubic takes the jitter of an emulated machine for a queue that builds up, and leaves slow start before
# there is any speed to compare (hystart_update() in net/ipv4/tcp_cubic.c). Reno waits for a loss.
STEADY = {"net/ipv4/tcp_congestion_control": "reno"}

# What the report found: of ICMP, a host lets in what ping needs and nothing else.
FIREWALL = f"""*filter
:INPUT DROP
-A INPUT -i lo -j ACCEPT
-A INPUT -p tcp --dport {PORT} -j ACCEPT
-A INPUT -p icmp -m icmp --icmp-type echo-request -j ACCEPT
COMMIT
"""
CLAMP = """*mangle
-A FORWARD -p tcp --tcp-flags SYN,RST SYN -j TCPMSS --set-mss {mss}
COMMIT
"""
NGINX = """
daemon off; master_process off; pid {folder}/{name}.pid; error_log stderr;
events {{ }}
http {{
    access_log off; sendfile on;
    client_body_temp_path {folder}/body; proxy_temp_path {folder}/proxy;
    fastcgi_temp_path {folder}/fastcgi; uwsgi_temp_path {folder}/uwsgi; scgi_temp_path {folder}/scgi;
    server {{ listen {port}; root {folder}/www; }}
}}
"""


class Hosts(Topo):
    """The router, the reader's way to it, and three web servers that Mininet cannot wire: `Network` gives them, and the
    router, cards of the guest. It adds forwarding, firewalls, the clamp and nginx. Mininet itself knows no `mtu`."""

    def build(self) -> None:
        narrow, lan = self.addSwitch("narrow", dpid="1"), self.addSwitch("lan", dpid="2")
        # What a segment that is lost costs is counted in round trips, so a round trip has to cost something.
        slow = {"mtu": NARROW_MTU, "params2": {"delay": "10ms"}}
        self.addLink(self.addHost("router", ip="10.8.8.1/24"), narrow, **slow)
        self.addLink(self.addHost("home", ip="10.8.8.2/24", defaultRoute="via 10.8.8.1"), narrow, **slow)
        self.addLink("home", lan, params1={"ip": "10.8.9.1/24"})
        self.addLink(self.addHost("client", ip=f"{CLIENT}/24", defaultRoute="via 10.8.9.1"), lan)
        for name in SERVERS:
            self.addHost(name, defaultRoute=f"via {_gateway(name)}")


topos = {"rtl8139-tso": Hosts}  # for mn --custom, see labs/net/topology.py


class Network(Topology):
    """The report's hosts, set up and serving. Without `tso` the fault is not switched on: the server's kernel hands its
    card nothing that it would have to cut."""

    topo, drivers, nginx = Hosts, DRIVERS, NGINX
    modules: tuple[str, ...] = ("8139cp", "virtio_net", "iptable_filter", "iptable_mangle", "xt_TCPMSS", "xt_length")

    def __init__(self, tso: bool = True) -> None:
        self.tso = "on" if tso else "off"
        self.cards = self._cards()  # now, and not when this is imported: only the chapter's own VM has them
        super().__init__()

    def _cards(self) -> tuple[Card, ...]:
        """Both cards of each of QEMU's hubs, by their names in the machine's profile. The router's hands on
        every frame as it came (no GRO), to be counted."""
        cards = []
        for name in SERVERS:
            near, far = mac(name), mac(f"router-{name}")
            offloads = ("sg", "on", "tx", "on", "tso", self.tso if name == "server" else "on")
            asked = offloads if self.drivers[name] == "8139cp" else ()
            cards += [
                Card(name, f"{name}-eth0", near, (f"{SERVERS[name]}/24",), self.drivers[name], asked),
                Card("router", f"to-{name}", far, (f"{_gateway(name)}/24",), "virtio_net", ("gro", "off")),
            ]
        return tuple(cards)

    def configure(self) -> None:
        """Routes, firewalls, the clamp and the web servers; returns when all of them listen."""
        self._file()
        services = [self._start_nginx(name) for name in SERVERS]
        for name in SERVERS:
            self[name].sysctl(STEADY)
        for node in (self.router, self.home):
            node.sysctl({"net/ipv4/ip_forward": "1"})
        at_once(
            [
                *((self[name], ("iptables-legacy-restore",), FIREWALL) for name in SERVERS),
                (self.router, ("ip", "-batch", "-"), "route add 10.8.9.0/24 via 10.8.8.2"),
                (self.router, ("iptables-legacy-restore",), CLAMP.format(mss=CLAMPED_MSS)),
            ]
        )
        for service in services:
            service.wait()

    def _file(self) -> None:
        """What is downloaded: noise, the same each time, so that bytes in the wrong place show."""
        (self.folder / "www").mkdir(mode=0o755)
        (self.folder / "www" / FILE).write_bytes(random.Random(2006).randbytes(FILE_BYTES))
        self.folder.chmod(0o755)  # nginx's worker is not root

    def _start_nginx(self, name: str) -> Service:
        file = self.folder / f"{name}.conf"
        file.write_text(self.nginx.format(folder=self.folder, name=name, port=PORT))
        return self.serve(self[name], PORT, "nginx", "-c", f"{file}", "-p", f"{self.folder}")

    def route(self, name: str, options: str = "") -> None:
        """Gives a server its way out anew: route("server", "mtu lock 1320").

        Made anew, and not changed: the path MTUs that it has learnt hang off the old one's next hop. (The `replace` is
        for who has deleted the old one at the prompt.)
        """
        way = f"default via {_gateway(name)}"
        steps = f"route replace {way}\nroute delete default\nroute add {way} {options}\n"
        self[name].on("ip", "-batch", "-", stdin=steps)

    def clamp(self, mss: int) -> None:
        """Has the router write this MSS, in bytes, into every SYN that it passes on."""
        self.router.on("iptables-legacy-restore", stdin=CLAMP.format(mss=mss))

    def settle(self, name: str, deadline_s: float = 30) -> None:
        """Returns once a server has let go of its connections and nothing is under way: a client that gives up leaves
        packets on their way, and a capture and counters have to end after the same one. What was under way has come
        before the first answer to a ping, and what that led to, the router's ICMP say, before the second. A server that
        answers none is judged elsewhere."""
        if not poll(lambda: not self._connection_states(name), deadline_s):
            raise NotReady(
                f"expected {name} to end its connections, found some in the states {self._connection_states(name)}"
            )
        for _ in range(2):
            with contextlib.suppress(CommandFailed):
                self.client.on("ping", "-n", "-c", "1", "-W", f"{PATIENCE_S}", SERVERS[name])

    def _connection_states(self, name: str) -> set[str]:
        """States of the connections to a server's port."""
        return self._states(self[name].sockets())

    def _states(self, sockets: Sequence[Socket]) -> set[str]:
        """The states of those that are connections to the web server."""
        return {one.state for one in sockets if one.local_port == PORT} - {LISTEN, TIME_WAIT}


class OtherCard(Network):
    """The network with whatever card the server has: the answer to an exercise chose or changed it."""

    modules = (*Network.modules, "e1000", "pcnet32", "ne2k-pci")
    drivers = DRIVERS | {"server": ""}


def _gateway(name: str) -> str:
    return f"{SERVERS[name].rpartition('.')[0]}.1"
