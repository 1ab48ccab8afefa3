"""Who is in the report? A client with its sidecar, a balancer, and a server that answers past it.

    client 10.0.0.1 ---- lan ---- balancer 10.0.0.5 (VIP 10.0.0.2, IPVS)
                          |
                       server 10.0.0.6 (VIP 10.0.0.2 on tunl0, nginx)

The client sends to the VIP; the balancer puts each packet in another (IPIP, 20 bytes more) for the
server; the server takes it out and answers the client itself.
"""

import contextlib
import select
import ssl
from collections.abc import Iterator
from functools import cached_property

from core.waiting import poll
from labs.cases.frag_needed.names import BALANCER, CLIENT, ECHO_PORT, SERVER, SIDECAR_PORT, TLS_PORT, TUNNEL_MTU, VIP
from labs.net.sockets import ESTABLISHED
from labs.net.topology import NotReady, Service, Topo, Topology, at_once

SIDECAR_USER = "haproxy"
# Of the guest alone, made with its image (vm-image/customize.sh).
CERTIFICATE, KEY = "/etc/ssl/lab.pem", "/etc/ssl/lab.key"
IPVS = "".join(
    f"-A -t {VIP}:{port} -s rr\n-a -t {VIP}:{port} -r {SERVER} {{method}}\n" for port in (TLS_PORT, ECHO_PORT)
)
END = b"served\n"  # of whatever nginx answers
SERVED_BYTES = (20_000, 200_000)  # of the files that it has, each named by its size
TUNNEL, ROUTE = "-i", "-g"  # how IPVS forwards: in another packet, or by the server's MAC address alone
# Its own connections must not come back to it, so the sidecar's user is exempt.
REDIRECT = f"""*nat
-A OUTPUT -p tcp --dport {TLS_PORT} -m owner ! --uid-owner {SIDECAR_USER} -j REDIRECT --to-ports {SIDECAR_PORT}
COMMIT
"""
SIDECAR = f"""
global
    user {SIDECAR_USER}
    nbthread 1
    httpclient.ssl.verify none  # else HAProxy reads every root certificate of the system, for a second
defaults
    mode tcp
    timeout connect 30s
    timeout client 30s
    timeout server 30s
listen sidecar
    bind 127.0.0.1:{SIDECAR_PORT}
    server vip {VIP}:{TLS_PORT}
"""
NGINX = """
daemon off; master_process off; pid {folder}/nginx.pid; error_log stderr;
events {{ }}
http {{
    access_log off;
    client_body_temp_path {folder}/body; proxy_temp_path {folder}/proxy;
    fastcgi_temp_path {folder}/fastcgi; uwsgi_temp_path {folder}/uwsgi; scgi_temp_path {folder}/scgi;
    server {{
        listen 443 ssl;
        ssl_certificate {CERTIFICATE}; ssl_certificate_key {KEY};
        large_client_header_buffers 32 8k;
        location = / {{ return 200 "served\\n"; }}
        location / {{ root {folder}/served; }}
    }}
}}
"""


class Hosts(Topo):
    """Client, balancer and server on one bridge. `Network` adds the VIP, IPVS, its tunnel, the sidecar and services."""

    def build(self) -> None:
        # With no delay at all the balancer's ICMP is back before the client's system call has ended.
        lan, delay = self.addSwitch("lan", dpid="1"), {"delay": "2ms"}
        self.addLink(self.addHost("client", ip=f"{CLIENT}/24"), lan, params2=delay)
        self.addLink(self.addHost("balancer", ip=f"{BALANCER}/24"), lan, params1={"also": [f"{VIP}/32"]}, params2=delay)
        self.addLink(self.addHost("server", ip=f"{SERVER}/24"), lan, params2=delay)


topos = {"frag-needed": Hosts}  # for mn --custom, see labs/net/topology.py


class Network(Topology):
    """The report's hosts, set up and serving. `client`, `balancer` and `server` are its nodes. Without the `tunnel` the
    fault is not switched on: packets go the same way, and none is too large."""

    topo = Hosts
    modules = ("ipip", "ip_vs", "ip_vs_rr", "iptable_nat", "xt_REDIRECT", "xt_owner")

    def __init__(self, tunnel: bool = True) -> None:
        self.method = TUNNEL if tunnel else ROUTE
        super().__init__()

    def configure(self) -> None:
        """Balancer, sidecar and servers; returns when all of them listen."""
        services = [self._start_sidecar(), self._start_echo(), self._start_nginx()]
        # A VIP on two hosts: the server must neither answer ARP for it nor speak in its name, and
        # what comes out of the tunnel has come in by the wire, so the reverse path never matches.
        self.server.sysctl(
            {
                "net/ipv4/conf/all/arp_ignore": "1",
                "net/ipv4/conf/all/arp_announce": "2",
                "net/ipv4/conf/all/rp_filter": "0",
                "net/ipv4/conf/tunl0/rp_filter": "0",
            }
        )
        at_once(
            [
                (self.server, ("ip", "-batch", "-"), f"link set tunl0 up\naddress add {VIP}/32 dev tunl0"),
                (self.balancer, ("ipvsadm", "-R"), IPVS.format(method=self.method)),
                (self.client, ("iptables-legacy-restore",), REDIRECT),
            ]
        )
        for service in services:
            service.wait()

    def without_tunnel(self) -> None:
        """Have IPVS forward by the server's MAC address from now on: the fault is off, see ROUTE."""
        self.method = ROUTE
        edits = "".join(f"-e -t {VIP}:{port} -r {SERVER} {ROUTE}\n" for port in (TLS_PORT, ECHO_PORT))
        self.balancer.on("ipvsadm", "-R", stdin=edits)

    def _start_sidecar(self) -> Service:
        file = self.folder / "haproxy.cfg"
        file.write_text(SIDECAR)
        return self.serve(self.client, SIDECAR_PORT, "haproxy", "-db", "-f", f"{file}")

    def _start_echo(self) -> Service:
        """Sends back what it gets, at once; Nagle's algorithm would hold back the second of two answers.

        In pieces of PIPE_BUF bytes: a pipe that says it is ready takes so many without waiting, so
        the process that is also to empty it never holds itself up.
        """
        listen = f"TCP4-LISTEN:{ECHO_PORT},fork,backlog=64,nodelay"
        return self.serve(self.server, ECHO_PORT, "socat", "-b", f"{select.PIPE_BUF}", listen, "PIPE")

    def _start_nginx(self) -> Service:
        file, served = self.folder / "nginx.conf", self.folder / "served"
        served.mkdir()
        for size in SERVED_BYTES:
            (served / f"{size}").write_bytes(b"." * (size - len(END)) + END)
        file.write_text(NGINX.format(folder=self.folder, CERTIFICATE=CERTIFICATE, KEY=KEY))
        return self.serve(self.server, TLS_PORT, "nginx", "-c", f"{file}", "-p", f"{self.folder}")

    def forget(self) -> None:
        """Makes the client forget the path MTUs that it has learnt.

        They hang off the route's next hop (struct fib_nh_common, nhc_exceptions) and go with it.
        `ip route flush cache` would not do: it only empties them. Nor would `replace` alone: the same route has the
        same next hop. It is for who has deleted the route at the prompt.
        """
        route = f"10.0.0.0/24 dev client-eth0 src {CLIENT}"
        steps = f"route replace {route}\nroute delete {route}\nroute add {route}\n"
        self.client.on("ip", "-batch", "-", stdin=steps)

    @contextlib.contextmanager
    def with_route(self) -> Iterator[None]:
        """Give the client, for the length of the block, a route with the tunnel's MTU: the control."""
        try:
            self.client.on(f"ip route replace {VIP} dev client-eth0 mtu {TUNNEL_MTU}")
            yield
        finally:
            self.client.on(f"ip route flush exact {VIP}")  # no error where it is gone already

    def settle(self, deadline_s: float = 30) -> None:
        """Returns once the client has acknowledged all that the server has sent.

        An acknowledgment still owed would go with B's segment and be lost with it, and the server's
        retransmission could then end B's wait before the client's own timer does.
        """
        if not poll(lambda: not any(self._unacknowledged()), deadline_s):
            raise NotReady(
                "expected the client to acknowledge all that the server sent; "
                f"still open, in bytes: {self._unacknowledged()}"
            )

    def _unacknowledged(self) -> list[int]:
        """Bytes in the send queue of each of the server's connections."""
        return [one.queued_bytes for one in self.server.sockets() if one.state == ESTABLISHED]

    @cached_property
    def tls(self) -> ssl.SSLContext:
        """A TLS context for clients that trust the server's certificate and nothing else."""
        return self._trusting_the_server()

    @cached_property
    def tls_in_bulk(self) -> ssl.SSLContext:
        """The same with a cipher that needs no instructions of the processor's own, because an emulated one lacks those
        for AES, and much data would take three times as long."""
        context = self._trusting_the_server()
        context.set_ciphers("ECDHE-ECDSA-CHACHA20-POLY1305")
        return context

    def _trusting_the_server(self) -> ssl.SSLContext:
        context = ssl.create_default_context(cafile=CERTIFICATE)
        context.check_hostname = False
        return context
