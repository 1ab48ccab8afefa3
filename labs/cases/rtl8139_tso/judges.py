"""Who judges the evidence of which exercise of this chapter?"""

from labs.cases.rtl8139_tso.cured import Offload, judge_offload
from labs.cases.rtl8139_tso.cuts import Card, judge_device, judge_profile
from labs.cases.rtl8139_tso.let_in import Firewall, judge_firewall
from labs.cases.rtl8139_tso.predicted import Predicted, judge_predictions
from labs.judge.judging import Judge

JUDGES = {
    "1": Judge(Firewall, judge_firewall),
    "2": Judge(Offload, judge_offload),
    "3": Judge(Predicted, judge_predictions),
    "4": Judge(Card, judge_profile),
    "5": Judge(Card, judge_device),
}
