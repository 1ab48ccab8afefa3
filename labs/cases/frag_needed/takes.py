"""Who finds out what an answer to which exercise of this chapter does? See labs/take/judging.py."""

from labs.cases.frag_needed.crafting import take_crafted
from labs.cases.frag_needed.curing import take_cure
from labs.cases.frag_needed.lasting import take_lasting
from labs.cases.frag_needed.telling import take_telling

TAKES = {"1": take_cure, "2": take_cure, "3": take_cure, "4": take_lasting, "5": take_telling, "6": take_crafted}
