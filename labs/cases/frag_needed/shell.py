"""On which network does `./lab shell frag-needed` open, and what do its two commands do?"""

from __future__ import annotations

import contextlib
from collections.abc import Iterator

from labs.cases.frag_needed.network import ECHO_PORT, VIP, Network
from labs.shell import Session


@contextlib.contextmanager
def session() -> Iterator[Session]:
    """The network, and its two states."""
    with Network() as net:
        yield Session(
            net,
            fault=lambda: contextlib.nullcontext(net.forget()),
            health=net.told,
            fault_does="the client knows nothing of the tunnel, and sends packets that do not fit into it",
            health_does="a route tells the client of the tunnel's MTU beforehand",
            tries=(
                f"client head -c 3000 /dev/zero | socat -t 1 - TCP:{VIP}:{ECHO_PORT} | wc -c",
                f"client ip route get {VIP}",
            ),
        )
