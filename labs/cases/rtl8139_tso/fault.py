"""Is the fault there at first, and is it gone, or only hidden? What all judges of this chapter ask.

The guest has one broken card, so one network shows first what is to be fixed, and then what the answer made of it.
"""

from typing import Any

from core.judge.check import FOUND
from core.judge.evidence import Evidence
from core.judge.verdict import Verdict
from labs.cases.rtl8139_tso.judge import HELD_UP_MS, mechanism
from labs.cases.rtl8139_tso.names import HOSTS
from labs.cases.rtl8139_tso.observed import Download
from labs.errors import FAULT, CannotTry
from labs.judge.judging import answered, complete_observation, judge_script, others_left_alone, require_no_stall

FULL_SHARE = 0.75  # of all segments, that carry what the MSS allows: smaller ones cost everybody


def begun(evidence: Evidence, verdict: Verdict) -> Any:
    """What was seen; the script ran, and the server as it was shows what the answer is to fix."""
    judge_script(verdict, evidence)
    seen = complete_observation(evidence)
    shows_the_fault(seen.broken)
    return seen


def shows_the_fault(broken: Download) -> None:
    """Check that the untouched server shows the fault, because else nothing can be compared."""
    require_no_stall(HELD_UP_MS, broken)
    if not all(claim.holds for claim in mechanism(broken)):
        reason = "the untouched server shows no fault, so nothing can be compared"
        raise CannotTry(reason, "./lab run rtl8139-tso", FAULT)


def ends(evidence: Evidence, verdict: Verdict) -> None:
    """Each request was answered, and the other hosts are as they were."""
    answered(verdict, evidence.unanswered)
    others_left_alone(verdict, evidence, HOSTS)


def fits(verdict: Verdict, seen: Download, which: str = "") -> None:
    """Segments as the handshake allows, as large as it allows, and none cut or dropped on the way. `which` ends the
    checks' ids where there are several downloads, and each sentence then begins with what its download is called."""
    of = f"{seen.called}: " if which else ""
    verdict.measured.update(seen.to_json())
    verdict.expect(
        f"within-mss{which}",
        seen.above_mss == 0,
        f"{of}the largest segment on the wire has {seen.largest_bytes} bytes",
        f"{of}{seen.above_mss} segments are larger than the MSS of {seen.mss}; the largest on the wire has "
        f"{seen.largest_bytes} bytes",
        expected=f"segments of {seen.mss} bytes at most",
        says=FOUND,
    )
    cut, dropped = seen.router("FragOKs"), seen.router("FragFails")
    verdict.expect(
        f"not-cut{which}",
        cut == 0,
        f"{of}the router cuts no packet",
        f"{of}the router cuts {cut} packets: they are still too large, which is hidden now",
    )
    verdict.expect(
        f"not-dropped{which}",
        dropped == 0,
        f"{of}the router drops no packet",
        f"{of}the router drops {dropped} packets that are too large",
    )
    full, (common, _) = seen.full_bytes, seen.sizes().most_common(1)[0]
    share = seen.full_share  # a short one ends each write of nginx's
    verdict.measured.update(full_share=round(share, 2))
    verdict.expect(
        f"full-segments{which}",
        share >= FULL_SHARE,
        f"{of}{share:.0%} of the segments are full, with {full} bytes",
        f"{of}{share:.0%} of the segments are full",
        expected=f"{FULL_SHARE:.0%} at least: the MSS allows {full} bytes, and most have {common}",
    )
    verdict.expect(
        f"df{which}",
        seen.without_df == 0,
        f"{of}every packet says DF, as before",
        f"{of}{seen.without_df} packets may be fragmented (no DF)",
        expected="none",
    )


def rates(broken: Download, seen: Download) -> str:
    """How fast a download is, and how fast the broken one was."""
    return f"{seen.rate_kb_s:.0f} KB/s, before {broken.rate_kb_s:.0f}"
