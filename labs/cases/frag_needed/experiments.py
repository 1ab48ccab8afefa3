"""Why is a second run fast, and what happens when the learnt MTU expires?"""

import time
from dataclasses import dataclass
from pathlib import Path

from labs.cases.frag_needed.names import VIP
from labs.cases.frag_needed.network import Network
from labs.cases.frag_needed.observed import Observed
from labs.cases.frag_needed.workload import Direct, Watch, direct
from labs.table import Table
from labs.trace.tracer import Event, Tracer

PROGRAM = Path(__file__).with_name("memory.bpf.c")
# In the order of the program's `enum probe`.
PROBES = {
    "on_next_hop_exception": ["update_or_create_fnhe", "__ip_rt_update_pmtu"],
    "on_current_mss": ["tcp_current_mss"],
    "on_sync_mss": ["tcp_sync_mss"],
}
# include/net/dst.h; a route is looked up anew if it is any but the first (ipv4_dst_check()).
OBSOLETE = {-1: "valid (DST_OBSOLETE_FORCE_CHK)", -2: "stale (DST_OBSOLETE_KILL)", 2: "dead (DST_OBSOLETE_DEAD)"}


@dataclass(frozen=True)
class Try:
    """One pair of connections in a network that has a past.

    `route` and `route_mtu` are the state, when B wrote, of the route that B had kept: whether it
    was stale, and the MTU learnt for it (0 if none). `told_by` is who gave B the smaller MTU:
    tcp_current_mss() before the segment is cut, or tcp_v4_mtu_reduced() after it was refused.
    """

    after: str
    seen: Observed
    route: str
    route_mtu: int
    told_by: str

    def to_json(self) -> dict:
        return {
            "after": self.after,
            "route": self.route,
            "route_mtu": self.route_mtu,
            "told_by": self.told_by,
            **self.seen.to_json(),
        }


def memory_tracer() -> Tracer:
    """The tracer of `memory.bpf.c`, not yet attached."""
    return Tracer(PROGRAM, PROBES)


def again(net: Network) -> Table:
    """Run the same pair four times: at first, after nothing, after a flush, after a new route."""
    tries = [tried(net, "new namespaces"), tried(net, "nothing")]
    net.client.on("ip route flush cache")
    tries.append(tried(net, "ip route flush cache"))
    net.forget()
    tries.append(tried(net, "the route made anew"))
    heads = [
        ("after", "<22"),
        ("A, ms", ">7"),
        ("B, ms", ">8"),
        ("to self", ">9"),
        ("  B's route", "<10"),
        (" its MTU", ">8"),
        ("  told by", "<12"),
    ]
    return Table(
        tries,
        heads,
        lambda one: (
            one.after,
            f"{one.seen['A'].waited_ms:.1f}",
            f"{one.seen['B'].waited_ms:.1f}",
            len(one.seen.icmp_to_self()),
            "  " + one.route.split()[0],
            one.route_mtu,
            "  " + one.told_by,
        ),
    )


def tried(net: Network, after: str) -> Try:
    """One pair, under the tracer."""
    with memory_tracer() as tracer:
        tracer.watch("route", 0)
        seen = direct(net, "AB", tracer)
    asked = _asked(tracer.events)
    told = next((event for event in asked if event.function == "tcp_sync_mss"), None)
    kept = next(event for event in asked if event.function == "tcp_current_mss")
    return Try(
        after, seen, OBSOLETE.get(kept.value, str(kept.value)), kept.detail, _teller(told) if told else "its start"
    )


def _asked(events: list[Event]) -> list[Event]:
    """B's events from its question on: connecting goes by another way than writev()."""
    start = next(number for number, event in enumerate(events) if event.connection == "B" and event.under("do_writev"))
    return [event for event in events[start:] if event.connection == "B"]


def _teller(event: Event) -> str:
    """The caller of tcp_sync_mss(), as a reader knows it."""
    # tcp_v4_mtu_reduced() has it from tcp_release_cb() or from tcp_v4_err().
    late = {"tcp_v4_mtu_reduced", "tcp_release_cb", "tcp_v4_err"} & set(event.functions[1:4])
    return "the ICMP" if late else "its route"


class Expiry(Table):
    """Exchanges as rows, and what was seen of all of them."""

    seen: Observed


def expiry(net: Network, expires_s: int = 2) -> Expiry:
    """Two connections outlive the learnt MTU twice. Rows are exchanges; `before` has the old MSS.

    After the first expiry nobody has looked the route up; after the second somebody has.
    """
    net.client.sysctl({"net/ipv4/route/mtu_expires": str(expires_s)})
    with Watch(net) as watch:
        watch.open(Direct, "A", "B")
        for past in ("at first", "expired", "expired, looked up", "after that"):
            if past.startswith("expired"):
                time.sleep(expires_s + 0.5)  # the thing under test is a time
            if past == "expired, looked up":
                net.client.on(f"ip route get {VIP}")
            for name in "AB":
                watch.ask(name, f"{name} {past}")
    seen = watch.seen
    heads = [
        ("exchange", "<22"),
        ("MSS before", ">11"),
        ("MSS after", ">11"),
        ("waited, ms", ">12"),
        ("from balancer", ">15"),
        ("to self", ">9"),
    ]
    table = Expiry(
        seen.exchanges,
        heads,
        lambda one: (
            one.name,
            one.before.snd_mss,
            one.info.snd_mss,
            f"{one.waited_ms:.1f}",
            len(seen.icmp_from_balancer(one.name)),
            len(seen.icmp_to_self(one.name)),
        ),
    )
    table.seen = seen
    return table
