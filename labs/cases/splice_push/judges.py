"""Who judges the evidence of which exercise of this chapter?"""

from labs.cases.splice_push.condition import Fates, judge_condition
from labs.judge.judging import Judge

JUDGES = {"3": Judge(Fates, judge_condition)}
