"""Is the stall cured at the client? Judged as in exercises 1 to 3, by cure/judge.py."""

from labs.cases.frag_needed.cure.evidence import Cure
from labs.cases.frag_needed.cure.judge import b_after_the_answer, judge
from labs.judge.judging import Judge

JUDGE = Judge(Cure, judge, b_after_the_answer)
