"""Did the card cut segments that nobody asked for, and is that what made the download slow?

First the mechanism, from the capture at the far end of the server's cable and the router's counters.
Then rates, as ratios within one run: the report's were 98.8 KB/s and more than a hundred times that.
"""

from __future__ import annotations

from labs.cases.rtl8139_tso.network import NARROW_MTU, WIDE_MTU
from labs.cases.rtl8139_tso.observed import OPTIONS_BYTES, Download
from labs.check import Check

HEADERS_BYTES = 40 + OPTIONS_BYTES  # of IPv4 and TCP
CUT_BYTES = WIDE_MTU - HEADERS_BYTES  # what the card of 2006 puts in a segment
FIXES = ("tso_off", "mended", "beside")
# The broken rate is bound by timers, a fixed one by the processor: 33 times as fast where it was recorded, a quarter
# of that on an emulated machine four times slower. A state that fixes nothing is about as slow as the broken one.
FIXED_RATIO = 4
# The lock leaves the wrong segments as they are and has the router cut most of them in two, and the receiver
# put them together again: more work than a fix, and on an emulated machine that shows.
LOCK_RATIO = 3


def judge(seen: dict[str, Download]) -> list[Check]:
    """All claims on downloads in the states of `remedies.STATES`, the mechanism first."""
    broken = seen["as_it_is"]
    return [
        *mechanism(broken),
        *deaf_or_not(seen),
        *cut_at_the_router(seen["mtu_lock"]),
        *[check for key in FIXES for check in fixed(broken, seen[key])],
        ratio(broken, seen["mtu_lock"], LOCK_RATIO),
    ]


def mechanism(broken: Download) -> list[Check]:
    """What must be so of the broken card, whatever the clock says."""
    drops, icmps = broken.router("FragFails"), len(broken.frag_needed)
    mtus = sorted({packet.next_hop_mtu for packet in broken.frag_needed})
    return [
        Check(
            broken.largest_bytes == CUT_BYTES > broken.mss,
            f"{broken.called}: {broken.mss} bytes are agreed on, the largest segment on the wire has "
            f"{broken.largest_bytes}",
        ),
        Check(
            broken.above_mss == broken.too_long > 0 and not broken.without_df,
            f"{broken.called}: {broken.too_long} packets are longer than {NARROW_MTU}, all with DF",
        ),
        Check(
            drops == broken.too_long and drops >= icmps > 0 and mtus == [NARROW_MTU],
            f"{broken.called}: the router drops {drops} and says so in {icmps} ICMPs; MTUs named: {mtus}",
        ),
        Check(broken.sent_again >= drops, f"{broken.called}: {broken.sent_again} segments are sent again"),
    ]


def deaf_or_not(seen: dict[str, Download]) -> list[Check]:
    """Whether the server hears the router or not: it changes nothing on the wire, and neither does a route's MTU."""
    checks = [Check(seen["as_it_is"].heard == 0, f"as it is: {seen['as_it_is'].heard} ICMPs pass the firewall")]
    for key in ("opened", "mtu"):
        state = seen[key]
        checks.append(
            Check(
                state.heard == len(state.frag_needed) > 0 and state.largest_bytes == CUT_BYTES,
                f"{state.called}: {state.heard} ICMPs are heard, and the largest segment still has "
                f"{state.largest_bytes} bytes",
            )
        )
    return checks


def cut_at_the_router(locked: Download) -> list[Check]:
    """With a locked MTU the segments are as wrong as before, and pass."""
    cut, pieces = locked.router("FragOKs"), locked.router("FragCreates")
    return [
        Check(
            locked.largest_bytes == CUT_BYTES and locked.without_df == len(locked.data),
            f"{locked.called}: {locked.largest_bytes} bytes as before; {locked.without_df} of "
            f"{len(locked.data)} packets are without DF",
        ),
        Check(
            locked.router("FragFails") == 0 and pieces == 2 * cut > 0,
            f"{locked.called}: the router drops none, and cuts {cut} into {pieces}",
        ),
    ]


def fixed(broken: Download, state: Download) -> list[Check]:
    """A control: the effect is absent, and the rate is back."""
    cut = state.router("FragOKs") + state.router("FragFails")
    return [
        Check(
            state.above_mss == 0 and cut == 0,
            f"{state.called}: the largest segment has {state.largest_bytes} bytes; the router has to cut or drop {cut}",
        ),
        ratio(broken, state, FIXED_RATIO),
    ]


def ratio(broken: Download, state: Download, least: int) -> Check:
    """How many times as fast."""
    times = state.rate_kb_s / broken.rate_kb_s
    return Check(times >= least, f"{state.called}: {times:.0f} times as fast as broken, expected {least} at least")
