"""Does the kernel's own account agree with the wire? What the trace has to show."""

from labs.cases.rtl8139_tso.names import NARROW_MTU
from labs.claims import Claim


def claims(plain, locked) -> list[Claim]:
    """All claims on two `tracing.Watched` downloads."""
    return [
        *cut_elsewhere(plain),
        *never_lower(plain),
        heard_in_vain(plain),
        *dont_fragment(plain, locked),
        collisions(plain),
    ]


def cut_elsewhere(plain) -> list[Claim]:
    """The kernel asks for segments within the MSS, and the same bytes arrive in larger ones."""
    mss = plain.seen.mss
    asked = sorted({send.gso_size for send in plain.large})
    arrived = sorted({send.arrived[0] for send in plain.large if send.arrived})
    whole = all(sum(send.arrived) == send.payload_bytes for send in plain.sends)
    single = [send for send in plain.sends if not send.gso_size]
    return [
        Claim(
            bool(plain.large) and max(asked) <= mss < min(arrived, default=0) and whole,
            f"{len(plain.large)} large sends ask for segments of {asked}, MSS {mss}; of the same bytes the "
            f"first to arrive has {arrived}",
        ),
        Claim(
            bool(single) and all(send.arrived == send.asked for send in single),
            f"{len(single)} single segments arrive as they were handed over",
        ),
    ]


def never_lower(plain) -> list[Claim]:
    """What is sent again is cut by the same rule: a single segment arrives as asked, several in one packet do not."""
    again = [send for send in plain.sends if send.again]
    alone = [send.arrived for send in again if not send.gso_size]
    company = [send.arrived[0] for send in again if send.gso_size]
    largest = max((sizes[0] for sizes in alone), default=0)
    return [
        Claim(
            bool(alone) and largest <= plain.seen.mss and all(size > plain.seen.mss for size in company),
            f"sent again alone: {len(alone)}, {largest} bytes at most; in company: {len(company)}, "
            f"of sizes {sorted(set(company))}",
        )
    ]


def heard_in_vain(plain) -> Claim:
    """The first ICMP's MTU changes no segment size, so nothing is taken for lost; the rest change nothing."""
    icmps, reductions = plain.of("tcp_v4_err"), plain.mtu_reductions
    ends = plain.of("tcp_simple_retransmit")
    sizes = {(event.value, event.detail) for event in reductions}
    sent = [event for event in plain.of("tcp_retransmit_skb") if event.under("tcp_v4_err")]
    holds = (
        len(icmps) > 1
        and len(reductions) == len(ends) == 1
        and reductions[0].value == NARROW_MTU
        and not sent
        and reductions[0].detail == ends[0].detail
        and ends[0].value == 0
    )
    return Claim(
        holds,
        f"{len(icmps)} ICMPs are heard; {len(reductions)} of them changes the MTU, MTU and MSS before "
        f"{sorted(sizes)}, MSS after {[event.detail for event in ends]}; taken for lost: "
        f"{[event.value for event in ends]}",
    )


def dont_fragment(plain, locked) -> list[Claim]:
    """ip_dont_fragment(): the lock and nothing else differs."""
    said = []
    for watched, lock in ((plain, False), (locked, True)):
        ways = watched.by_lock_and_df
        said.append(
            Claim(
                set(ways) == {(lock, "WANT", not lock)},
                f"{watched.seen.called}: (MTU locked, pmtudisc, DF) of all packets: {dict(ways)}",
            )
        )
    return said


def collisions(plain) -> Claim:
    """A second witness inside the server: the driver's count of collisions that were none."""
    return Claim(
        plain.counted_collisions == plain.seen.collisions > 0,
        f"the driver counts {plain.seen.collisions} collisions; the sizes it was handed make "
        f"{plain.counted_collisions}",
    )
