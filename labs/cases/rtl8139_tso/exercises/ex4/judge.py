"""Does the card that was chosen cut to the size that it is asked for? Judged as the fixed one of exercise 5, by
card/judge.py, and beside another kind of card."""

from core.judge.evidence import Evidence
from core.judge.verdict import Verdict
from labs.cases.rtl8139_tso.card.judge import CardDownloads, abstain_where_uneven, cut_to_size
from labs.judge.judging import Judge


def judge(evidence: Evidence, verdict: Verdict) -> None:
    """A machine whose server has a card that cuts to the size asked for."""
    seen = cut_to_size(evidence, verdict, "beside")
    abstain_where_uneven(verdict, seen)


JUDGE = Judge(CardDownloads, judge)
