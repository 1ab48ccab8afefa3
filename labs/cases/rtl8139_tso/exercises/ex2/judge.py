"""Is the card left nothing to cut, and are its other offloads on? What the evidence of an answer to exercise 2 is held
to."""

from dataclasses import dataclass

from core.judge.evidence import Evidence
from core.judge.verdict import Verdict
from core.serialization import Damaged
from labs.cases.rtl8139_tso.fault import begun, ends, fits, rates
from labs.cases.rtl8139_tso.judge import FIXED_RATIO, HELD_UP_MS
from labs.cases.rtl8139_tso.names import SMALL_MSS
from labs.cases.rtl8139_tso.observed import Download
from labs.judge.judging import Judge, abstain, require_no_stall, there

# What `ethtool -k` lists that may be off after the answer: the card's segmentation, and what the kernel does itself
# (NETIF_F_SOFT_FEATURES in include/linux/netdev_features.h, and NETIF_F_NOCACHE_COPY).
SEGMENTATION = ("tcp-segmentation-offload", "tx-tcp-segmentation", "tx-tcp-mangleid-segmentation")
THE_KERNELS = ("generic-segmentation-offload", "generic-receive-offload", "tx-nocache-copy")


@dataclass
class Offload:
    """A download before the answer and one after it, the offloads of the server's card that were on and are off, and a
    download by another reader, with a small MSS and without timestamps, and by one with the smallest MSS and with them,
    which what was kept earlier does not say."""

    broken: Download | None = None
    fixed: Download | None = None
    lost: list[str] | None = None
    other: Download | None = None
    smallest: Download | None = None

    @property
    def whole(self) -> bool:
        """Whether every part of what was to be seen is there."""
        return None not in (self.broken, self.fixed, self.lost, self.other)


def judge(evidence: Evidence, verdict: Verdict) -> None:
    """Exercise 2: the card is handed nothing that it has to cut, and keeps its other offloads."""
    seen: Offload = begun(evidence, verdict)
    if seen.other:
        if seen.other.mss not in SMALL_MSS or seen.other.timestamps:
            raise Damaged("expected another reader, with a small MSS and without timestamps")
        require_no_stall(HELD_UP_MS, seen.other)
        fits(verdict, seen.other, "-other")
    if seen.smallest:
        if seen.smallest.mss != min(SMALL_MSS):
            raise Damaged(f"expected a reader with an MSS of {min(SMALL_MSS)}, found {seen.smallest.mss}")
        require_no_stall(HELD_UP_MS, seen.smallest)
        fits(verdict, seen.smallest, "-smallest")
    if seen.fixed:
        require_no_stall(HELD_UP_MS, seen.fixed)
        fits(verdict, seen.fixed)
        fast(verdict, there(seen.broken), seen.fixed)
    if seen.lost is not None:
        lost = sorted({*seen.lost} - {*SEGMENTATION, *THE_KERNELS})
        verdict.expect(
            "other-offloads-on",
            not lost,
            "the card keeps its other offloads",
            f"more is off than needed: {', '.join(lost)}, the card's own",
        )
    ends(evidence, verdict)
    if seen.fixed:
        abstain(verdict, [unlike(there(seen.broken), seen.fixed)])


def fast(verdict: Verdict, broken: Download, seen: Download) -> None:
    """The rate, as a ratio; no check if only a busy machine can have made it what it is."""
    if unlike(broken, seen):
        return
    found = f"the download makes {rates(broken, seen)}"
    passed = seen.rate_kb_s >= FIXED_RATIO * broken.rate_kb_s
    verdict.expect("fast", passed, found, found, expected=f"{FIXED_RATIO} times that")


def unlike(broken: Download, seen: Download) -> str:
    """Say that the rate is neither the broken one, which TCP's timers set, nor a fixed one, which the processor sets,
    though nothing was dropped or sent again that would slow the download down; empty if that is not so."""
    if (
        seen.router("FragFails")
        or seen.sent_again
        or not broken.rate_kb_s < seen.rate_kb_s < FIXED_RATIO * broken.rate_kb_s
    ):
        return ""
    return f"the download made {rates(broken, seen)}, though nothing was dropped or sent again"


JUDGE = Judge(Offload, judge)
