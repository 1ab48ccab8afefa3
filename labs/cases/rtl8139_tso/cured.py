"""Is the fault fixed, or only hidden? What the evidence of an answer to exercise 2 is held to, and what this chapter's
other judges share.

The guest has one broken card, so one network shows first what is to be fixed, and then what the answer made of it.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from core.judge.evidence import Evidence
from core.judge.verdict import Verdict
from core.plain import Damaged
from labs.cases.rtl8139_tso.judge import FIXED_RATIO, HELD_UP_MS, mechanism
from labs.cases.rtl8139_tso.names import HOSTS, SMALL_MSS
from labs.cases.rtl8139_tso.observed import Download
from labs.errors import CannotTry
from labs.judge.judging import answered, held_still, others_left_alone, ran, script_in, there, whole_in

# What `ethtool -k` lists that may be off after the answer: the card's segmentation, and what the kernel does itself
# (NETIF_F_SOFT_FEATURES in include/linux/netdev_features.h, and NETIF_F_NOCACHE_COPY).
SEGMENTATION = ("tcp-segmentation-offload", "tx-tcp-segmentation", "tx-tcp-mangleid-segmentation")
THE_KERNELS = ("generic-segmentation-offload", "generic-receive-offload", "tx-nocache-copy")
FULL_SHARE = 0.75  # of all segments, that carry what the MSS allows: smaller ones cost everybody


@dataclass
class Offload:
    """A download before the answer and one after it, the offloads of the server's card that were on and are off, and a
    download by another reader, with a small MSS and without timestamps."""

    broken: Download | None = None
    fixed: Download | None = None
    lost: list[str] | None = None
    other: Download | None = None

    @property
    def whole(self) -> bool:
        """Whether all of it is there."""
        return None not in (self.broken, self.fixed, self.lost, self.other)


def judge_offload(evidence: Evidence, verdict: Verdict) -> None:
    """Exercise 2: the card is handed nothing that it has to cut, and keeps its other offloads."""
    seen: Offload = begun(evidence, verdict)
    if seen.other:
        if seen.other.mss not in SMALL_MSS or seen.other.timestamps:
            raise Damaged("expected another reader, with a small MSS and without timestamps")
        held_still(HELD_UP_MS, seen.other)
        fits(verdict, seen.other)
    if seen.fixed:
        held_still(HELD_UP_MS, seen.fixed)
        fits(verdict, seen.fixed)
        fast(verdict, there(seen.broken), seen.fixed)
    if seen.lost is not None:
        lost = sorted({*seen.lost} - {*SEGMENTATION, *THE_KERNELS})
        verdict.expect(
            not lost, "the card keeps its other offloads", f"more is off than needed: {', '.join(lost)}, the card's own"
        )
    ends(evidence, verdict)


def begun(evidence: Evidence, verdict: Verdict) -> Any:
    """What was seen; the script ran, and the server as it was shows what the answer is to fix."""
    ran(verdict, script_in(evidence))
    seen = whole_in(evidence)
    shows_the_fault(seen.broken)
    return seen


def shows_the_fault(broken: Download) -> None:
    """Or nothing can be compared."""
    held_still(HELD_UP_MS, broken)
    if not all(check.held for check in mechanism(broken)):
        raise CannotTry("the untouched server shows no fault, so nothing can be compared", "./lab run rtl8139-tso")


def ends(evidence: Evidence, verdict: Verdict) -> None:
    """Each request was answered, and the other hosts are as they were."""
    answered(verdict, evidence.unanswered)
    others_left_alone(verdict, evidence, HOSTS)


def fits(verdict: Verdict, seen: Download) -> None:
    """Segments as the handshake allows, as large as it allows, and none cut or dropped on the way."""
    verdict.measured.update(seen.to_json())
    verdict.expect(
        seen.above_mss == 0,
        f"the largest segment on the wire has {seen.largest_bytes} bytes",
        f"{seen.above_mss} segments are larger than the MSS of {seen.mss}; the largest on the wire has "
        f"{seen.largest_bytes} bytes",
    )
    cut, dropped = seen.router("FragOKs"), seen.router("FragFails")
    verdict.expect(
        cut == 0,
        "the router cuts none",
        f"the router cuts {cut} packets: they are still too large, which is hidden now",
    )
    verdict.expect(dropped == 0, "and drops none", f"the router drops {dropped} packets that are too large")
    full, (common, _) = seen.full_bytes, seen.sizes().most_common(1)[0]
    share = seen.full_share  # a short one ends each write of nginx's
    verdict.measured.update(full_share=round(share, 2))
    verdict.expect(
        share >= FULL_SHARE,
        f"{share:.0%} of the segments are full, with {full} bytes",
        f"{share:.0%} of the segments are full, expected {FULL_SHARE:.0%} at least: the MSS allows {full} "
        f"bytes, and most have {common}",
    )
    verdict.expect(
        seen.without_df == 0,
        "every packet says DF, as before",
        f"{seen.without_df} packets may be fragmented (no DF), expected none",
    )


def fast(verdict: Verdict, broken: Download, seen: Download) -> None:
    """The rate, as a ratio."""
    verdict.expect(
        seen.rate_kb_s >= FIXED_RATIO * broken.rate_kb_s,
        f"{seen.rate_kb_s:.0f} KB/s where it was {broken.rate_kb_s:.0f}",
        f"{seen.rate_kb_s:.0f} KB/s where it was {broken.rate_kb_s:.0f}, expected {FIXED_RATIO} times that",
    )
