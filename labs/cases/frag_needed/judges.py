"""Who judges the evidence of which exercise of this chapter?"""

from labs.cases.frag_needed.crafted import Crafted, judge_crafted
from labs.cases.frag_needed.cure import Cure
from labs.cases.frag_needed.cured import b_after_the_answer, judge_cure
from labs.cases.frag_needed.lasted import Lasting, b_after_an_expiry, judge_lasting
from labs.cases.frag_needed.told import Ways, judge_telling
from labs.judge.judging import Judge

JUDGES = {
    **dict.fromkeys("123", Judge(Cure, judge_cure, b_after_the_answer)),
    "4": Judge(Lasting, judge_lasting, b_after_an_expiry),
    "5": Judge(Ways, judge_telling),
    "6": Judge(Crafted, judge_crafted),
}
