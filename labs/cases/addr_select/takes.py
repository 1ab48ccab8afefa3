"""Who finds out what an answer to which exercise of this chapter does, and judges it? See labs/take/judging.py."""

from labs.cases.addr_select.curing import judge_fix
from labs.cases.addr_select.deciding import judge_deciding
from labs.cases.addr_select.predicting import take_deprecated, take_many
from labs.cases.addr_select.programs import judge_program

TAKES = {"1": judge_fix, "2": judge_fix, "3": judge_program, "4": take_deprecated, "5": take_many, "6": judge_deciding}
