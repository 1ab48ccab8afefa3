"""On which network does `./lab shell rtl8139-tso` open, and what do its two commands do?"""

import contextlib
from collections.abc import Iterator

from labs.cases.rtl8139_tso.network import FILE, SERVERS, Network
from labs.cases.rtl8139_tso.remedies import route, without_tso
from labs.shell import Session


@contextlib.contextmanager
def session() -> Iterator[Session]:
    """The network, and its two states."""
    with Network() as net:
        yield Session(
            net,
            fault=lambda: route(net, ""),
            health=lambda: without_tso(net),
            fault_does="the server's card of 2006 is handed packets that it has to cut, and cuts them too large",
            health_does="TSO is off at the server: its card is handed single segments",
            tries=(
                "router nstat -n",  # from here on it counts
                f"client curl -so /dev/null -w '%{{time_total}} s\\n' http://{SERVERS['server']}/{FILE}",
                "router nstat -z IpFragFails",
            ),
        )
