"""Is the stall cured at the balancer? Judged by cure/judge.py, as in exercises 1 to 3."""

from functools import partial

from labs.cases.frag_needed.cure.evidence import Cure, ForAnother
from labs.cases.frag_needed.cure.judge import b_after_the_answer, judge
from labs.judge.judging import Judge

FOR_ANOTHER = ForAnother.AS_FAST

JUDGE = Judge(Cure, partial(judge, for_another=FOR_ANOTHER), b_after_the_answer)
