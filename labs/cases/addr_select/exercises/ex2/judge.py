"""Does a packet cost the same again without the report's setting? Judged by cure/judge.py, as in exercise 1."""

from core.judge.evidence import Evidence
from core.judge.verdict import Verdict
from labs.cases.addr_select.cure.judge import SETTING, Cure, NodeSettings, judge
from labs.judge.judging import Judge, nothing_left_running


def without_the_setting(verdict: Verdict, node: NodeSettings) -> None:
    """This exercise is about another way than the report's: the setting has to be off once the script has ended, at
    each interface. And that way has to stay."""
    verdict.expect(
        "without-the-setting",
        not node.setting_on,
        f"{SETTING} is off at each interface, as it was",
        f"{SETTING} was set, and this exercise is about another way: {', '.join(node.setting_on)}",
    )
    verdict.expect(
        "stays",
        not node.passing,
        "nothing that was set expires",
        f"what was set does not stay, because the kernel removes it at its end: {', '.join(node.passing[:1])}",
    )


def judge_what_stays(evidence: Evidence, verdict: Verdict) -> None:
    """Exercise 2, whose answer has done its work when it ends."""
    judge(without_the_setting, evidence, verdict)
    nothing_left_running(verdict, evidence)


JUDGE = Judge(Cure, judge_what_stays)
