"""Did the stall happen, and by the mechanism the chapter tells?

First the mechanism: counters, sizes, an order of events. Then a ratio to the control of the same
run. Milliseconds alone prove nothing on a busy machine.
"""

from __future__ import annotations

from labs.cases.frag_needed.observed import Observed
from labs.check import Check

TUNNEL_MTU = 1480  # 1500 less the outer IPv4 header that IPVS puts before each packet
ROUNDS = 3  # of what should be fast: an emulated machine may stand still for one of them
RATIO = 2  # B's wait is the retransmission timeout, at least 200 ms; an undisturbed one takes 5 to 80, by the machine


def judge(broken: dict[str, Observed], control: dict[str, Observed]) -> list[Check]:
    """All claims on `direct` and `sidecar` runs, broken and control, the mechanism first."""
    checks = []
    for way, seen in broken.items():
        checks += [Check(held, f"{way}: {what}") for held, what in mechanism(seen)]
    for way, seen in control.items():
        icmps = asked_smaller(seen)
        checks.append(Check(icmps == 0, f"{way}, control: {icmps} ICMPs, expected none"))
    for way, seen in broken.items():
        ratio = seen["B"].waited_ms / control[way]["B"].waited_ms
        checks.append(
            Check(
                ratio >= RATIO, f"{way}: B waits {ratio:.1f} times as long as the control's, expected {RATIO} at least"
            )
        )
    return checks


def asked_smaller(seen: Observed) -> int:
    """How many ICMPs asked for smaller packets, whoever sent them."""
    return len(seen.icmp_to_self()) + len(seen.icmp_from_balancer())


def fast(seen: Observed, stalled: Observed) -> bool:
    """Whether B waits RATIO times less than a stalled one."""
    return seen["B"].waited_ms * RATIO <= stalled["B"].waited_ms


def mechanism(seen: Observed) -> list[tuple[bool, str]]:
    """What must be so whatever the clock says, each with its figures."""
    from_balancer, to_self = seen.icmp_from_balancer("A"), seen.icmp_to_self("B")
    mtus = sorted({packet.next_hop_mtu for packet in from_balancer + to_self})
    again = [packet for packet in seen.sent("A") if packet.retransmission]
    at_once = bool(from_balancer and again) and again[0].time_s > from_balancer[0].time_s
    counted = seen.counters.get("IcmpMsgOutType3", 0)
    first = seen.sent("B")[0] if seen.sent("B") else None
    held_back = bool(to_self and first) and to_self[-1].time_s < first.time_s
    said = [
        (
            bool(from_balancer) and mtus == [TUNNEL_MTU],
            f"A meets {len(from_balancer)} ICMPs from the balancer; MTUs named: {mtus}",
        ),
        (at_once and not seen.icmp_to_self("A"), "A's segment is sent again right after it"),
        (
            held_back and not seen.icmp_from_balancer("B"),
            f"B meets {len(to_self)} ICMPs from the client itself, before any data of B leaves",
        ),
        (counted == len(seen.icmp_to_self()) > 0, f"the client's counter of sent ICMPs agrees: {counted}"),
        (
            first is not None and first.length_bytes <= TUNNEL_MTU,
            f"B's first packet to leave has {first.length_bytes if first else 0} bytes",
        ),
    ]
    info = seen["B"].info
    if info:
        said.append(
            (
                info.unacked == 0 and info.notsent_bytes == seen["B"].sent_bytes,
                f"when B's call returns, {info.unacked} segments are in flight and {info.notsent_bytes} bytes wait",
            )
        )
    return said
