"""Does the report's setting alone make a packet cost the same again? Judged by cure/judge.py, as in exercise 2."""

from core.judge.evidence import Evidence
from core.judge.verdict import Verdict
from labs.cases.addr_select.cure.judge import SETTING, Cure, NodeSettings, judge
from labs.judge.judging import Judge, nothing_left_running


def by_the_setting_alone(verdict: Verdict, node: NodeSettings) -> None:
    """Check that the report's setting alone was changed: this exercise leaves everything else as it is."""
    change = next((each.change for each in node.changed if each.change), None)
    verdict.expect(
        "only-the-setting",
        not change,
        f"{SETTING} is all that was changed",
        f"more than {SETTING} was changed, and this exercise is about that one setting: {change}",
    )


def judge_what_stays(evidence: Evidence, verdict: Verdict) -> None:
    """Exercise 1, whose answer has done its work when it ends."""
    judge(by_the_setting_alone, evidence, verdict)
    nothing_left_running(verdict, evidence)


JUDGE = Judge(Cure, judge_what_stays)
