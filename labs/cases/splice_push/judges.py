"""Who judges the evidence of which exercise of this chapter?"""

from labs.cases.splice_push.condition import Fates, judge_condition
from labs.cases.splice_push.reported import Unpushed, judge_report
from labs.judge.judging import Judge

JUDGES = {"3": Judge(Fates, judge_condition), "5": Judge(Unpushed, judge_report)}
