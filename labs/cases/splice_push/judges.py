"""Who judges the evidence of which exercise of this chapter?"""

from labs.cases.splice_push.condition import Fates, judge_condition
from labs.cases.splice_push.repaired import Repaired, judge_livepatch
from labs.cases.splice_push.reported import Unpushed, judge_report
from labs.cases.splice_push.served import Served, judge_cost, judge_exact
from labs.judge.judging import Judge

JUDGES = {
    "1": Judge(Served, judge_exact),
    "2": Judge(Served, judge_cost),
    "3": Judge(Fates, judge_condition),
    "4": Judge(Repaired, judge_livepatch),
    "5": Judge(Unpushed, judge_report),
}
