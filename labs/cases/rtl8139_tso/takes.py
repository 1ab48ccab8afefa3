"""Who finds out what an answer to which exercise of this chapter does, and judges it? See labs/take/judging.py."""

from labs.cases.rtl8139_tso.curing import judge_offload
from labs.cases.rtl8139_tso.firewall import judge_firewall
from labs.cases.rtl8139_tso.machines import judge_device, judge_profile
from labs.cases.rtl8139_tso.predicting import take_predictions

TAKES = {"1": judge_firewall, "2": judge_offload, "3": take_predictions, "4": judge_profile, "5": judge_device}
