"""Who judges which exercise of this chapter?"""

from labs.cases.splice_push.bisecting import judge_condition
from labs.cases.splice_push.repairing import judge_livepatch
from labs.cases.splice_push.reporting import judge_report
from labs.cases.splice_push.serving import judge_cost, judge_exact

JUDGES = {"1": judge_exact, "2": judge_cost, "3": judge_condition, "4": judge_livepatch, "5": judge_report}
