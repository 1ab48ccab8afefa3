"""On which network does `./lab shell addr-select` open, and what do its two commands do?"""

import contextlib
from collections.abc import Iterator

from labs.cases.addr_select.network import PEER, Network
from labs.cases.addr_select.sweep import REPORTED
from labs.shell import Session

# How often a rule is asked of an address, by whom: the chapter's questions. bpftrace starts the ping when its probe is
# in place.
PROBE = "kprobe:ipv6_get_saddr_eval { @[comm] = count(); }"
QUESTIONS = f"node bpftrace -e '{PROBE}' -c '/usr/bin/ping -nq -c 3 -i 0.2 {PEER}'"


@contextlib.contextmanager
def session() -> Iterator[Session]:
    """The network, and its two states."""
    with Network(all_interfaces=False) as net:
        net.announce(REPORTED)
        yield Session(
            net,
            fault=lambda: contextlib.nullcontext(net.only_outgoing(False)),
            health=lambda: contextlib.nullcontext(net.only_outgoing(True)),
            fault_does=f"addresses of all interfaces are candidates, {REPORTED} on lo among them",
            health_does="only addresses of the outgoing interface are candidates (use_oif_addrs_only)",
            tries=("node ip -6 -o addr show scope global | wc -l", f"node ping -nq -c 5 -i 0.2 {PEER}", QUESTIONS),
        )
