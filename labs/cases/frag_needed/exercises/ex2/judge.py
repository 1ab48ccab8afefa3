"""Is the stall cured at the balancer? Judged by cure/judge.py, as in exercises 1 to 3."""

from core.judge.evidence import Evidence
from core.judge.verdict import Verdict
from labs.cases.frag_needed.cure.evidence import Cure, ForAnother
from labs.cases.frag_needed.cure.judge import b_after_the_answer, judge
from labs.judge.judging import Judge, nothing_left_running

FOR_ANOTHER = ForAnother.AS_FAST


def judge_what_stays(evidence: Evidence, verdict: Verdict) -> None:
    """Exercise 2, whose answer has done its work when it ends."""
    judge(evidence, verdict, for_another=FOR_ANOTHER)
    nothing_left_running(verdict, evidence)


JUDGE = Judge(Cure, judge_what_stays, b_after_the_answer)
