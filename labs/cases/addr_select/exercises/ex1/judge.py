"""Does a packet cost the same again, by the report's setting? Judged as in exercises 1 and 2, by cure/judge.py."""

from labs.cases.addr_select.cure.judge import Cure, judge
from labs.judge.judging import Judge

JUDGE = Judge(Cure, judge)
