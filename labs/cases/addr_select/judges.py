"""Who judges the evidence of which exercise of this chapter?"""

from labs.cases.addr_select.cured import Cure, judge_cure
from labs.cases.addr_select.decided import Choices, judge_deciding
from labs.cases.addr_select.predicted import Crowd, Deprecation, judge_deprecated, judge_many
from labs.cases.addr_select.ran import Sent, judge_program
from labs.judge.judging import Judge

JUDGES = {
    "1": Judge(Cure, judge_cure),
    "2": Judge(Cure, judge_cure),
    "3": Judge(Sent, judge_program),
    "4": Judge(Deprecation, judge_deprecated),
    "5": Judge(Crowd, judge_many),
    "6": Judge(Choices, judge_deciding),
}
