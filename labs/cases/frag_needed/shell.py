"""On which network does `./lab shell frag-needed` open, and what do its two commands do?"""

import contextlib
from collections.abc import Iterator

from labs.cases.frag_needed.names import ECHO_PORT, VIP
from labs.cases.frag_needed.network import Network
from labs.shell import Session

# A question is one write, which fills a segment by the first MSS of a connection; the answer is its echo.
ASK = "head -c 1448 /dev/zero >&$it; head -c 1448 <&$it | wc -c"
# Both are open before either asks; the host's bash keeps them from one line to the next.
OPEN = f"client TIMEFORMAT='%R s'; exec 8<>/dev/tcp/{VIP}/{ECHO_PORT} 9<>/dev/tcp/{VIP}/{ECHO_PORT}"
TIMED = f"client nstat -n; for it in 8 9; do time ({ASK}); done; nstat -z IpFragFails"
LEARNT = f"client ip route get {VIP}"
# What is typed for the recording of the toolbox.
TYPED = ("net", "client ping -c 1 server", "fault_on", OPEN, LEARNT, TIMED, LEARNT, "fault_off", OPEN, TIMED)


@contextlib.contextmanager
def session() -> Iterator[Session]:
    """The network, and its two states."""
    with Network() as net:
        yield on(net)


def on(net: Network) -> Session:
    """The same on a network that is up."""
    return Session(
        net,
        fault=lambda: contextlib.nullcontext(net.forget()),
        health=net.with_route,
        fault_does="the client knows nothing of the tunnel: of two open connections, the second to ask has to wait",
        health_does="a route tells the client of the tunnel's MTU beforehand",
        tries=(OPEN, TIMED, LEARNT),
    )
