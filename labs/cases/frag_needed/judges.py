"""Who judges the evidence of which exercise of this chapter?"""

from labs.cases.frag_needed.cured import Cure, judge_cure
from labs.cases.frag_needed.lasted import Lasting, judge_lasting
from labs.cases.frag_needed.told import Ways, judge_telling
from labs.judge.judging import Judge

JUDGES = {
    **dict.fromkeys("123", Judge(Cure, judge_cure)),
    "4": Judge(Lasting, judge_lasting),
    "5": Judge(Ways, judge_telling),
}
