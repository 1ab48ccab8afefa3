"""Who finds out what an answer to which exercise of this chapter does, and judges it? See labs/take/judging.py."""

from labs.cases.splice_push.bisecting import take_condition
from labs.cases.splice_push.repairing import judge_livepatch
from labs.cases.splice_push.reporting import take_report
from labs.cases.splice_push.serving import judge_cost, judge_exact

TAKES = {"1": judge_exact, "2": judge_cost, "3": take_condition, "4": judge_livepatch, "5": take_report}
