"""Who finds out what an answer to which exercise of this chapter does? See labs/take/judging.py."""

from labs.cases.addr_select.curing import take_cure
from labs.cases.addr_select.deciding import take_deciding
from labs.cases.addr_select.predicting import take_deprecated, take_many
from labs.cases.addr_select.running import take_program

TAKES = {"1": take_cure, "2": take_cure, "3": take_program, "4": take_deprecated, "5": take_many, "6": take_deciding}
