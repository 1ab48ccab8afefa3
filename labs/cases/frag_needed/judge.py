"""Did the stall happen, and by the mechanism the chapter tells?

First the mechanism, in every round: counters, sizes, an order of events. Then a ratio of medians to the control of the
same run. Milliseconds alone prove nothing on a busy machine.
"""

from collections.abc import Sequence
from pathlib import Path

from labs.cases.frag_needed.names import TIMER_FLOOR_MS, TUNNEL_MTU
from labs.cases.frag_needed.observed import Exchange, Observed
from labs.claims import Claim
from labs.measure.bounds import bounds
from labs.measure.rounds import Rounds

ROUNDS, NEEDED = 3, 2  # of the fault, and as many of the control; how many of them have to have been measured
BOUNDS = bounds(Path(__file__).parent)
RATIO, HELD_UP_MS = BOUNDS["ratio"], BOUNDS["held_up_ms"]
IDLE_MS = TIMER_FLOOR_MS / 2  # that the processor has at least while somebody waits for a timer; our clock takes some
LEAST_STALL = 0.75  # of a stall beside it: a machine that makes one longer than the timer does so to the other


def judge(broken: dict[str, Rounds[Observed]], control: dict[str, Rounds[Observed]]) -> list[Claim]:
    """All claims on `direct` and `sidecar` runs, broken and control, the mechanism first."""
    claims = []
    for way, rounds in broken.items():
        claims += rounds.in_each(lambda seen: [Claim(holds, f"{way}: {what}") for holds, what in mechanism(seen)])
    for way, rounds in control.items():
        icmps = [asked_smaller(seen) for seen in rounds.measured]
        claims.append(
            Claim(not any(icmps), f"{way}, control: {sum(icmps)} ICMPs in {len(icmps)} rounds, expected none")
        )
    for way in broken:
        ratio = slower(broken[way], control[way])
        claims.append(
            Claim(
                ratio >= RATIO, f"{way}: B waits {ratio:.1f} times as long as the control's, expected {RATIO} at least"
            )
        )
    return claims


def slower(stalled: Rounds[Observed], other: Rounds[Observed]) -> float:
    """How many times as long B waits, by the medians of the rounds."""
    return stalled.median(b_ms) / other.median(b_ms)


def b_ms(seen: Observed) -> float:
    """How long B waited."""
    return seen["B"].waited_ms


def quick(exchange: Exchange, stalled_ms: float, ratio: float) -> bool:
    """Whether an exchange did not stall: it was `ratio` times shorter than the stall beside which it is judged, or the
    processor was at work all the time, which it is not while TCP waits for its timer. (On a slow machine, 279 ms were
    seen of an exchange that has 32 on a quiet one.)"""
    return exchange.waited_ms * ratio <= stalled_ms or (exchange.idle_ms is not None and exchange.idle_ms < IDLE_MS)


def slowest_of(exchanges: Sequence[Exchange], stalled_ms: float, ratio: float) -> Exchange:
    """The one that took longest, of those that were not `quick` if there are any."""
    return max(exchanges, key=lambda one: (not quick(one, stalled_ms, ratio), one.waited_ms))


def neither(exchange: Exchange, stalled_ms: float, ratio: float) -> str:
    """Why nobody can tell whether an exchange stalled, or nothing: it is not `quick`, and too short for TCP's timer,
    which is what ends a stall. So long an exchange may take where a machine is slow."""
    least_ms = max(TIMER_FLOOR_MS, LEAST_STALL * stalled_ms)
    if quick(exchange, stalled_ms, ratio) or exchange.waited_ms >= least_ms:
        return ""
    return (
        f"the machine was too slow: {exchange.name} waited {exchange.waited_ms:.0f} ms, which is not quick beside "
        f"{stalled_ms:.0f} ms, and no stall, which takes {least_ms:.0f} ms at least here"
    )


def asked_smaller(seen: Observed) -> int:
    """How many ICMPs asked for smaller packets, whoever sent them."""
    return len(seen.icmp_to_self()) + len(seen.icmp_from_balancer())


def mechanism(seen: Observed) -> list[tuple[bool, str]]:
    """What must be so whatever the clock says, each with its figures."""
    from_balancer, to_self = seen.icmp_from_balancer("A"), seen.icmp_to_self("B")
    mtus = sorted({packet.next_hop_mtu for packet in from_balancer + to_self}, key=lambda mtu: mtu or 0)
    refused = {packet.seq for packet in seen.sent("A") if packet.length_bytes > TUNNEL_MTU}
    # A loss probe (RFC 8985, 7) sends the last one again, which may be short; on a slow machine, before the ICMP.
    again = [packet for packet in seen.sent("A") if packet.retransmission and packet.seq in refused]
    at_once = bool(from_balancer and again) and again[0].time_s > from_balancer[0].time_s
    counted = seen.counters.get("IcmpMsgOutType3", 0)
    first = seen.sent("B")[0] if seen.sent("B") else None
    held_back = first is not None and bool(to_self) and to_self[-1].time_s < first.time_s
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
