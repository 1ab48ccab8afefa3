"""Is the firewall opened for what it should let in, and for nothing else? And what does that fix?

What the evidence of an answer to exercise 1 is held to.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from labs.cases.rtl8139_tso.cured import begun, ends
from labs.cases.rtl8139_tso.judge import BOUNDS, HELD_UP_MS
from labs.cases.rtl8139_tso.names import NARROW_MTU
from labs.cases.rtl8139_tso.observed import Download
from labs.judge.evidence import Evidence, Settings
from labs.judge.judging import held_still
from labs.judge.verdict import Verdict

OTHER_PORTS = (22, 443, 7001)  # where nothing listens; what a firewall lets in there, the kernel answers and counts
OTHER_ICMP = (4, 5, 9, 11, 12, 13, 17)  # types of RFC 792 and 950 that a host may get, but for 3 and ping's
WORDS = ("slow", "fast")
FASTER = BOUNDS["fast_ratio"]  # than before is no longer "slow"


@dataclass
class Firewall:
    """What is seen of an answer, in this order: a download before it and one after it, the path MTU that the server has
    learnt then (0 if none), which of its counters moved while others tried what was shut, and what has changed of its
    settings beside the firewall's rules."""

    broken: Download | None = None
    opened: Download | None = None
    learnt_mtu: int | None = None
    knocked: dict[str, int] | None = None
    server: Settings | None = None

    @property
    def whole(self) -> bool:
        """Whether all of it is there; each who knocked has sent a ping after it."""
        return None not in (self.broken, self.opened, self.learnt_mtu, self.server) and "IcmpMsgInType8" in (
            self.knocked or {}
        )


def judge_firewall(evidence: Evidence, verdict: Verdict) -> None:
    """Exercise 1: what the router says is heard, nothing else comes in, and the reader said what follows."""
    seen: Firewall = begun(evidence, verdict)
    if seen.opened:
        held_still(HELD_UP_MS, seen.opened)
    if seen.learnt_mtu is not None:
        heard(verdict, seen.opened, seen.learnt_mtu)
    if seen.knocked is not None:
        closed(verdict, seen.knocked)
    if seen.server:
        change = seen.server.change
        verdict.expect(
            change is None and seen.opened.above_mss > 0,
            "only the firewall was changed",
            f"more than the firewall was changed: {change or 'the segments are smaller'}",
        )
        predicted(verdict, evidence.answer, seen.broken, seen.opened)
    ends(evidence, verdict)


def heard(verdict: Verdict, seen: Download, learnt_mtu: int) -> None:
    """The ICMPs pass, and the kernel has learnt the MTU that they name."""
    came = len(seen.frag_needed)
    verdict.measured.update(icmps=came, heard=seen.heard)
    verdict.expect(
        seen.heard == came > 0,
        f"all {came} ICMPs pass the firewall",
        f'{seen.heard} of {came} ICMPs "fragmentation needed" pass the firewall',
    )
    verdict.expect(
        learnt_mtu == NARROW_MTU,
        f"the server has learnt {NARROW_MTU}",
        f"the server has learnt {learnt_mtu or 'no MTU'}, expected {NARROW_MTU}",
    )


def closed(verdict: Verdict, knocked: dict[str, int]) -> None:
    """What was shut is still shut, to the client and to the router."""
    icmp = [str(kind) for kind in OTHER_ICMP if knocked.get(f"IcmpMsgInType{kind}")]
    verdict.expect(not icmp, "other ICMP stays out", f"the firewall lets in other ICMP too (type {', '.join(icmp)})")
    ports = " or ".join(map(str, OTHER_PORTS))
    for protocol, counter in (("TCP", "TcpOutRsts"), ("UDP", "UdpNoPorts")):
        verdict.expect(
            not knocked.get(counter),
            f"other ports stay shut to {protocol}",
            f"the firewall lets in {protocol} to port {ports}, where nothing serves",
        )


def predicted(verdict: Verdict, answer: str, broken: Download, seen: Download) -> None:
    """The last line of the answer: DOWNLOAD=slow or DOWNLOAD=fast."""
    said = re.findall(r"^DOWNLOAD=(\w*)", answer, re.MULTILINE)
    was = "fast" if seen.rate_kb_s >= FASTER * broken.rate_kb_s else "slow"
    figures = f"{seen.rate_kb_s:.0f} KB/s, before {broken.rate_kb_s:.0f}"
    verdict.measured.update(rate_kb_s=round(seen.rate_kb_s, 1), before_kb_s=round(broken.rate_kb_s, 1))
    if not said or said[-1] not in WORDS:
        verdict.expect(False, "", "the answer does not say what it expects: DOWNLOAD=slow or DOWNLOAD=fast")
    else:
        verdict.expect(
            said[-1] == was, f"expected {was}, and it is: {figures}", f"expected {said[-1]}, and it is {was}: {figures}"
        )
