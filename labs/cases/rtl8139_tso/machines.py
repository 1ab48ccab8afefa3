"""Does the server's card, chosen or fixed, cut to the size that it is asked for? What exercises 4 and 5 are held to.

The answer has made another machine of this guest before the judge comes: it never looks at the answer,
only at what the card does. Asked twice, with two MSS, so that a card with one fixed size fails.
"""

from __future__ import annotations

from labs.cases.rtl8139_tso.curing import answered, fits
from labs.cases.rtl8139_tso.judge import BOUNDS
from labs.cases.rtl8139_tso.names import CLAMPED_MSS
from labs.cases.rtl8139_tso.network import OtherCard
from labs.cases.rtl8139_tso.observed import Download
from labs.cases.rtl8139_tso.workload import download, intact
from labs.judge.exercise import Exercise
from labs.judge.verdict import Verdict
from labs.take.script import expecting_answers, undisturbed

SECOND_MSS = 1000
SLOWER = BOUNDS["slower_ratio"]


def judge_profile(exercise: Exercise, answer: str, verdict: Verdict) -> None:
    """Exercise 4: a machine whose server has a card that cuts to the size asked for."""
    undisturbed(verdict, lambda: asked_twice(verdict, "beside"))


def judge_device(exercise: Exercise, answer: str, verdict: Verdict) -> None:
    """Exercise 5: the card of 2006, fixed by the answer; the one fixed by others is its control."""
    undisturbed(verdict, lambda: cuts(verdict))


def cuts(verdict: Verdict) -> None:
    """To the size asked for, as any right card, and it is the card that does."""
    for seen in asked_twice(verdict, "mended"):
        handed = seen.card_counters.get("tx_packets", 0)
        verdict.measured[f"handed_{seen.mss}"] = handed
        verdict.expect(
            handed < len(seen.data),
            f"the card still cuts: {handed} packets became {len(seen.data)}",
            f"the card was handed {handed} packets for {len(seen.data)} segments: it cuts no more",
        )


def asked_twice(verdict: Verdict, control: str) -> list[Download]:
    """Downloads with both MSS, each held to it; the last against another server's rate."""
    found = []
    with OtherCard() as net, expecting_answers(verdict):
        for mss in (CLAMPED_MSS, SECOND_MSS):
            net.clamp(mss)
            found.append(answered(download(net, called=f"MSS {mss}")))
            fits(verdict, found[-1])
        net.clamp(CLAMPED_MSS)
        verdict.expect(intact(net), "the file arrives byte for byte", "the file that arrives is not the one served")
        other = answered(download(net, control))
        rate, expected = found[0].rate_kb_s, other.rate_kb_s / SLOWER
        verdict.measured.update(rate_kb_s=round(rate, 1), control_kb_s=round(other.rate_kb_s, 1))
        verdict.expect(
            rate >= expected,
            f"{rate:.0f} KB/s; {control} gives {other.rate_kb_s:.0f}",
            f"{rate:.0f} KB/s, expected a {SLOWER:g}th of the {other.rate_kb_s:.0f} that {control} gives",
        )
    return found
