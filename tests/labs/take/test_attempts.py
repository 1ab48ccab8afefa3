"""How often is evidence taken of an answer while the machine does not hold still? As often as there is time for it."""

import types

import pytest

from core.judge.evidence import Evidence
from labs.errors import CouldNotTell
from labs.judge import judging
from labs.take import attempts


@pytest.mark.parametrize("takes_s, times", [(5, 3), (79, 3), (81, 2), (119, 2), (121, 1), (1000, 1)])
def test_what_has_no_time_left_is_not_begun(monkeypatch, takes_s, times):
    """Within eight tenths of the 300 s after which the host gives an answer up."""
    clock, taken = [0.0], []

    def take(asked, answer):
        taken.append(answer)
        clock[0] += takes_s
        raise CouldNotTell("the machine stood still")

    monkeypatch.setattr(attempts, "exercise_module", lambda asked, name: types.SimpleNamespace(take=take))
    monkeypatch.setattr(attempts, "time", types.SimpleNamespace(monotonic=lambda: clock[0]))
    verdict, evidence = attempts.take_and_judge("frag-needed/1", "on client true")
    assert (verdict.verdict, evidence, len(taken)) == ("COULD NOT TELL", None, times)


@pytest.mark.parametrize("by_the_answer, times", [(False, 3), (True, 1)])
def test_what_the_answer_may_have_done_is_not_taken_again(monkeypatch, by_the_answer, times):
    taken = []

    def take(asked, answer):
        taken.append(answer)
        return Evidence("frag-needed/1", answer, "6.1")

    def judge(evidence, verdict):
        verdict.expect("ran", True, "the script ran to its end", "")
        judging.abstain(verdict, ["some do, and some do not"], "fast", by_the_answer)

    monkeypatch.setattr(attempts, "exercise_module", lambda asked, name: types.SimpleNamespace(take=take))
    monkeypatch.setattr(judging, "judge_of", lambda asked: judging.Judge(Evidence, judge))
    verdict, _ = attempts.take_and_judge("frag-needed/1", "on client true")
    assert (verdict.verdict, len(taken)) == ("COULD NOT TELL", times)
