"""Does the fixed card cut to the size that it is asked for? Judged as the chosen one of exercise 4, by card/judge.py;
and it is still the card that cuts."""

from core.judge.check import FOUND
from core.judge.evidence import Evidence
from core.judge.verdict import Verdict
from labs.cases.rtl8139_tso.card.judge import CardDownloads, abstain_where_uneven, cut_to_size, which
from labs.judge.judging import Judge


def judge(evidence: Evidence, verdict: Verdict) -> None:
    """The card of 2006, fixed by the answer, and it is the card that cuts; the one fixed by others is its
    control."""
    cut = cut_to_size(evidence, verdict, "mended")
    for number, seen in which(cut):
        verdict.measured[f"handed_{seen.mss}"] = seen.handed
        verdict.expect(
            f"card-cuts{number}",
            seen.handed < len(seen.data),
            f"{seen.called}: the card still cuts: {seen.handed} packets became {len(seen.data)}",
            f"{seen.called}: the card was handed {seen.handed} packets for {len(seen.data)} segments: it cuts no more",
            expected="fewer packets than segments",
            says=FOUND,
        )
    abstain_where_uneven(verdict, cut)


JUDGE = Judge(CardDownloads, judge)
