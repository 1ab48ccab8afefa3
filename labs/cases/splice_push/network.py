"""Who is in the report? Three machines in a row.

    client 10.0.1.1 --front-- 10.0.1.2 proxy 10.0.2.2 --back-- 10.0.2.3 server

HAProxy on the proxy forwards by splice(2) too. Without it, the client is started in the middle, or on
the server itself, where everything goes over `lo`.
"""

import sys
from collections.abc import Sequence
from pathlib import Path

from labs.net.topology import Service, Topo, Topology

PROXY, SERVER, LOOPBACK = "10.0.1.2", "10.0.2.3", "127.0.0.1"
PORT, PIPE_PORT, PROXY_PORT = 8000, 8001, 8080
PROXIED = range(20000, 20100)  # HAProxy's own ports towards the server, so that its connections are known
HAPROXY = f"""
global
    user haproxy
    nbthread 1
    httpclient.ssl.verify none  # else HAProxy reads every root certificate of the system, for a second
defaults
    mode http
    option splice-response
    timeout connect 30s
    timeout client 30s
    timeout server 30s
listen proxy
    bind {PROXY}:{PROXY_PORT}
    server origin {SERVER}:{PORT} source 10.0.2.2:{PROXIED[0]}-{PROXIED[-1]}
"""
# pv copies its input to the connection with splice(2), asking for 128 KiB each time; what feeds it keeps
# its end of the pipe open for a while, as a program does that has more to say later.
PIPE_BYTES, PIPE_OPEN_S = 20_000, 3
PIPE = f"(head -c {PIPE_BYTES} /dev/zero; sleep {PIPE_OPEN_S}) | exec pv -q\n"


class Hosts(Topo):
    """Three machines in a row; there is no route past the proxy. `Network` adds the server, pv and HAProxy."""

    def build(self) -> None:
        front, back = self.addSwitch("front", dpid="1"), self.addSwitch("back", dpid="2")
        self.addLink(self.addHost("client", ip="10.0.1.1/24"), front)
        self.addLink(self.addHost("proxy", ip=f"{PROXY}/24"), front)
        self.addLink("proxy", back, params1={"ip": "10.0.2.2/24"})
        self.addLink(self.addHost("server", ip=f"{SERVER}/24"), back)


topos = {"splice-push": Hosts}  # for mn --custom, see labs/net/topology.py


class Network(Topology):
    """The report's machines, serving. `client`, `proxy` and `server` are its nodes."""

    topo = Hosts

    def configure(self) -> None:
        """Server, pv behind socat, and proxy; returns when all of them listen."""
        file = self.folder / "haproxy.cfg"
        file.write_text(HAPROXY)
        script = self.folder / "pipe.sh"
        script.write_text(PIPE)
        # nofork: the connection itself is the script's output, and socat is out of the way.
        pipe = "socat", f"TCP-LISTEN:{PIPE_PORT},fork,reuseaddr", f"EXEC:sh {script},nofork"
        for service in [
            self.serving(PORT),
            self.serve(self.server, PIPE_PORT, *pipe),
            self.serve(self.proxy, PROXY_PORT, "haproxy", "-db", "-f", f"{file}"),
        ]:
            service.wait()

    def serving(self, port: int, *arguments: str, under: Sequence[str] = ()) -> Service:
        """server.py on the server, on this port, see there for its arguments; `under` another program."""
        program = Path(__file__).with_name("server.py")
        return self.serve(self.server, port, *under, sys.executable, "-I", "-S", f"{program}", f"{port}", *arguments)
