"""Who judges the evidence of which exercise of this chapter?"""

from labs.cases.addr_select.predicted import Crowd, Deprecation, judge_deprecated, judge_many
from labs.judge.judging import Judge

JUDGES = {"4": Judge(Deprecation, judge_deprecated), "5": Judge(Crowd, judge_many)}
