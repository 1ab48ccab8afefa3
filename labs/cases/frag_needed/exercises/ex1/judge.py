"""Is the stall cured at the client? Judged by cure/judge.py, as in exercises 1 to 3."""

from core.judge.evidence import Evidence
from core.judge.verdict import Verdict
from labs.cases.frag_needed.cure.evidence import Cure
from labs.cases.frag_needed.cure.judge import b_after_the_answer, judge
from labs.judge.judging import Judge, nothing_left_running

LEAST_BYTES = 1400  # of a full segment, as the task says


def judge_what_stays(evidence: Evidence, verdict: Verdict) -> None:
    """Exercise 1, whose answer has done its work when it ends."""
    judge(evidence, verdict, LEAST_BYTES)
    nothing_left_running(verdict, evidence)


JUDGE = Judge(Cure, judge_what_stays, b_after_the_answer)
