"""Who judges which exercise of this chapter?"""

from labs.cases.frag_needed.curing import judge_fix
from labs.cases.frag_needed.lasting import judge_lasting
from labs.cases.frag_needed.telling import judge_telling

JUDGES = {"1": judge_fix, "2": judge_fix, "3": judge_fix, "4": judge_lasting, "5": judge_telling}
