"""Is the stall cured at the client? Judged by cure/judge.py, as in exercises 1 to 3."""

from functools import partial

from labs.cases.frag_needed.cure.evidence import Cure
from labs.cases.frag_needed.cure.judge import b_after_the_answer, judge
from labs.judge.judging import Judge

LEAST_BYTES = 1400  # of a full segment, as the task says

JUDGE = Judge(Cure, partial(judge, least_bytes=LEAST_BYTES), b_after_the_answer)
