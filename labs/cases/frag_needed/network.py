"""Who is in the story? A client with its sidecar, a balancer, and a server that answers past it.

    client 10.0.0.1 ---- lan ---- balancer 10.0.0.5 (VIP 10.0.0.2, IPVS)
                          |
                       server 10.0.0.6 (VIP 10.0.0.2 on tunl0, nginx)

The client sends to the VIP; the balancer puts each packet in another (IPIP, 20 bytes more) for the
server; the server takes it out and answers the client itself.
"""

from __future__ import annotations

import ssl
import subprocess
import sys
import time
from functools import cached_property
from pathlib import Path

from labs.topology import NotReady, Port, Segment, Service, Topology, at_once, finish

VIP = "10.0.0.2"
TLS_PORT, ECHO_PORT, SIDECAR_PORT = 443, 7000, 15001
SIDECAR_USER = "haproxy"
IPVS = "".join(f"-A -t {VIP}:{port} -s rr\n-a -t {VIP}:{port} -r 10.0.0.6 -i\n"
               for port in (TLS_PORT, ECHO_PORT))
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
        ssl_certificate {folder}/certificate.pem; ssl_certificate_key {folder}/key.pem;
        location / {{ return 200 "served\\n"; }}
    }}
}}
"""


class Network(Topology):
    """The story's hosts, set up and serving. `client`, `balancer` and `server` are its nodes."""

    modules = ("ipip", "ip_vs", "ip_vs_rr", "iptable_nat", "xt_REDIRECT", "xt_owner")
    # With no delay at all the balancer's ICMP is back before the client's system call has ended.
    lan = Segment("lan", delay_ms=2)
    ports = (Port("client", lan, ("10.0.0.1/24",)),
             Port("balancer", lan, ("10.0.0.5/24", f"{VIP}/32")),
             Port("server", lan, ("10.0.0.6/24",)))

    def configure(self) -> None:
        """Balancer, sidecar and servers; returns when all of them listen."""
        self.client, self.balancer, self.server = map(self.__getitem__, ("client", "balancer", "server"))
        key = self._start_key()
        services = [self._start_sidecar(), self._start_echo()]
        # A VIP on two hosts: the server must neither answer ARP for it nor speak in its name, and
        # what comes out of the tunnel has come in by the wire, so the reverse path never matches.
        self.server.sysctl({"net/ipv4/conf/all/arp_ignore": "1", "net/ipv4/conf/all/arp_announce": "2",
                            "net/ipv4/conf/all/rp_filter": "0", "net/ipv4/conf/tunl0/rp_filter": "0"})
        at_once([(self.server, ("ip", "-batch", "-"), f"link set tunl0 up\naddress add {VIP}/32 dev tunl0"),
                 (self.balancer, ("ipvsadm", "-R"), IPVS),
                 (self.client, ("iptables-legacy-restore",), REDIRECT)])
        finish(key)
        for service in [*services, self._start_nginx()]:
            service.wait()

    def _start_sidecar(self) -> Service:
        file = self.folder / "haproxy.cfg"
        file.write_text(SIDECAR)
        return self.serve(self.client, SIDECAR_PORT, "haproxy", "-db", "-f", f"{file}")

    def _start_echo(self) -> Service:
        program = Path(__file__).with_name("echo.py")
        return self.serve(self.server, ECHO_PORT, sys.executable, "-I", "-S", f"{program}", f"{ECHO_PORT}")

    def _start_nginx(self) -> Service:
        file = self.folder / "nginx.conf"
        file.write_text(NGINX.format(folder=self.folder))
        return self.serve(self.server, TLS_PORT, "nginx", "-c", f"{file}", "-p", f"{self.folder}")

    def _start_key(self) -> subprocess.Popen:
        """A certificate of this topology alone; on a curve, for RSA takes seconds under emulation."""
        return self.server.start("openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt",
                                 "ec_paramgen_curve:prime256v1", "-nodes", "-days", "2", "-subj", "/CN=vip",
                                 "-keyout", f"{self.folder}/key.pem", "-out", f"{self.certificate}")

    def forget(self) -> None:
        """Makes the client forget the path MTUs that it has learnt.

        They hang off the route's next hop (struct fib_nh_common, nhc_exceptions) and go with it.
        `ip route flush cache` would not do: it only empties them.
        """
        self.client.on("ip", "-batch", "-", stdin="route delete 10.0.0.0/24 dev client-eth0\n"
                       "route add 10.0.0.0/24 dev client-eth0 src 10.0.0.1\n")

    def settle(self, deadline_s: float = 30) -> None:
        """Returns once the client has acknowledged all that the server has sent.

        An acknowledgment still owed would go with B's segment and be lost with it, and the server's
        retransmission could then end B's wait before the client's own timer does.
        """
        until = time.monotonic() + deadline_s
        while any(self._unacknowledged()):
            if time.monotonic() > until:
                raise NotReady("expected the client to acknowledge all that the server sent; "
                               f"still open, in bytes: {self._unacknowledged()}")
            time.sleep(0.005)  # polling a state

    def _unacknowledged(self) -> list[int]:
        """Bytes in the send queue of each of the server's connections (/proc/net/tcp, tx_queue)."""
        rows = Path(f"/proc/{self.server.pid}/net/tcp").read_text().splitlines()[1:]
        return [int(row.split()[4].partition(":")[0], 16) for row in rows if row.split()[3] == "01"]

    @cached_property
    def tls(self) -> ssl.SSLContext:
        """For clients that trust this topology's certificate and nothing else."""
        context = ssl.create_default_context(cafile=self.certificate)
        context.check_hostname = False
        return context

    @property
    def certificate(self) -> Path:
        """What a TLS client may trust."""
        return self.folder / "certificate.pem"

