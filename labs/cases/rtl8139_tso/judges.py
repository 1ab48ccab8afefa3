"""Who judges the evidence of which exercise of this chapter?"""

from labs.cases.rtl8139_tso.predicted import Predicted, judge_predictions
from labs.judge.judging import Judge

JUDGES = {"3": Judge(Predicted, judge_predictions)}
