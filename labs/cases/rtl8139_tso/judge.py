"""Did the card cut segments that nobody asked for, and is that what made the download slow?

First the mechanism, in every round: from the capture at the far end of the server's cable and the router's counters.
Then rates, as ratios of medians within one run: the report's were 98.8 KB/s and more than a hundred times that.
"""

import math
from pathlib import Path

from labs.cases.rtl8139_tso.names import NARROW_MTU, WIDE_MTU
from labs.cases.rtl8139_tso.observed import OPTIONS_BYTES, Download
from labs.claims import Claim
from labs.measure.bounds import bounds
from labs.measure.rounds import Rounds

HEADERS_BYTES = 40 + OPTIONS_BYTES  # of IPv4 and TCP
CUT_BYTES = WIDE_MTU - HEADERS_BYTES  # what the card of 2006 puts in a segment
FIXES = ("tso_off", "mended", "beside")
ROUNDS, NEEDED = 3, 2  # of each state, and how many of them have to have been measured
BOUNDS = bounds(Path(__file__).parent)
FIXED_RATIO, LOCK_RATIO, HELD_UP_MS = BOUNDS["fixed_ratio"], BOUNDS["lock_ratio"], BOUNDS["held_up_ms"]


def judge(seen: dict[str, Rounds[Download]]) -> list[Claim]:
    """All claims on downloads in the states of `remedies.STATES`, the mechanism first."""
    broken, locked = seen["as_it_is"], seen["mtu_lock"]
    return [
        *broken.in_each(mechanism),
        *broken.in_each(deaf),
        *(claim for key in ("opened", "mtu") for claim in seen[key].in_each(hearing)),
        *locked.in_each(cut_at_the_router),
        *(
            claim
            for key in FIXES
            for claim in (*seen[key].in_each(nothing_to_cut), ratio(broken, seen[key], FIXED_RATIO))
        ),
        ratio(broken, locked, LOCK_RATIO),
    ]


def mechanism(broken: Download) -> list[Claim]:
    """What must be so of the broken card, whatever the clock says."""
    drops, icmps = broken.router("FragFails"), len(broken.frag_needed)
    mtus = sorted({packet.next_hop_mtu for packet in broken.frag_needed}, key=lambda mtu: mtu or 0)
    return [
        Claim(
            broken.largest_bytes == CUT_BYTES > broken.mss,
            f"{broken.called}: {broken.mss} bytes are agreed on, the largest segment on the wire has "
            f"{broken.largest_bytes}",
        ),
        Claim(
            broken.above_mss == broken.too_long > 0 and not broken.without_df,
            f"{broken.called}: {broken.too_long} packets are longer than {NARROW_MTU}, all with DF",
        ),
        Claim(
            drops == broken.too_long and drops >= icmps > 0 and mtus == [NARROW_MTU],
            f"{broken.called}: the router drops {drops} and says so in {icmps} ICMPs; MTUs named: {mtus}",
        ),
        Claim(broken.sent_again >= drops, f"{broken.called}: {broken.sent_again} segments are sent again"),
    ]


def deaf(broken: Download) -> list[Claim]:
    """The server does not hear the router."""
    return [Claim(broken.heard == 0, f"{broken.called}: {broken.heard} ICMPs pass the firewall")]


def hearing(state: Download) -> list[Claim]:
    """Claims that the server hears the router, which changes nothing on the wire; neither does a route's MTU."""
    return [
        Claim(
            state.heard == len(state.frag_needed) > 0 and state.largest_bytes == CUT_BYTES,
            f"{state.called}: {state.heard} ICMPs are heard, and the largest segment still has "
            f"{state.largest_bytes} bytes",
        )
    ]


def cut_at_the_router(locked: Download) -> list[Claim]:
    """Claims that with a locked MTU the segments are as wrong as before, and pass."""
    cut, pieces = locked.router("FragOKs"), locked.router("FragCreates")
    return [
        Claim(
            locked.largest_bytes == CUT_BYTES and locked.without_df == len(locked.data),
            f"{locked.called}: {locked.largest_bytes} bytes as before; {locked.without_df} of "
            f"{len(locked.data)} packets are without DF",
        ),
        Claim(
            locked.router("FragFails") == 0 and pieces == 2 * cut > 0,
            f"{locked.called}: the router drops none, and cuts {cut} into {pieces}",
        ),
    ]


def nothing_to_cut(state: Download) -> list[Claim]:
    """A control: the effect is absent."""
    cut = state.router("FragOKs") + state.router("FragFails")
    return [
        Claim(
            state.above_mss == 0 and cut == 0 and bool(state.data),
            f"{state.called}: the largest segment has {state.largest_bytes} bytes; the router has to cut or drop {cut}",
        )
    ]


def rate(seen: Download) -> float:
    """The rate in KB/s, of which medians are taken."""
    return seen.rate_kb_s


def faster(broken: Rounds[Download], state: Rounds[Download]) -> float:
    """How many times as fast as the broken one; infinitely, if nothing came from that one."""
    was, now = broken.median(rate), state.median(rate)
    return now / was if was else math.inf


def too_slow_to_tell(seen: dict[str, Rounds[Download]]) -> str:
    """Say which rate is neither the broken one, which TCP's timers set, nor a fixed one, though nothing was dropped or
    sent again: then the machine slowed these downloads down. Empty if there is none, or if the broken card shows no
    fault."""
    broken = seen["as_it_is"]
    if not all(claim.holds for claim in broken.in_each(mechanism)):
        return ""
    for key, least in (*((key, FIXED_RATIO) for key in FIXES), ("mtu_lock", LOCK_RATIO)):
        state, times = seen[key], faster(broken, seen[key])
        if 1 < times < least and not any(one.router("FragFails") or one.sent_again for one in state.measured):
            return (
                f"{state.every[0].called}: the processor was busy: {times:.1f} times as fast as broken, expected "
                f"{least} at least, though nothing was dropped or sent again"
            )
    return ""


def ratio(broken: Rounds[Download], state: Rounds[Download], least: float) -> Claim:
    """How many times as fast, as a claim."""
    times = faster(broken, state)
    called = state.every[0].called
    return Claim(times >= least, f"{called}: {times:.0f} times as fast as broken, expected {least} at least")
