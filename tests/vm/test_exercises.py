"""Does every exercise tell right from wrong? Untouched fails, each solution passes, each wrong
answer fails for the reason that its first line names, and a hint exists."""

import re

import pytest

from host import cases, exercises

EXERCISES = {e.id: e for case in cases.cases().values() for e in case.exercises}
SOLUTIONS = [(id, path) for id, e in EXERCISES.items() for path in sorted((e.folder / "solutions").iterdir())]
WRONG = [(id, path) for id, e in EXERCISES.items() for path in sorted((e.folder / "wrong").iterdir())]


def name(value):
    return value if isinstance(value, str) else value.name


@pytest.mark.parametrize("id", EXERCISES)
def test_untouched_fails(id):
    verdict = exercises.check(id, EXERCISES[id].start)
    assert verdict["verdict"] == "FAIL" and verdict["reasons"]


@pytest.mark.parametrize("id, path", SOLUTIONS, ids=name)
def test_solution_passes(id, path):
    verdict = exercises.check(id, path)
    assert verdict["verdict"] == "PASS", verdict["reasons"]


@pytest.mark.parametrize("id, path", WRONG, ids=name)
def test_wrong_answer_fails_for_its_own_reason(id, path):
    reason = re.match(r"(?:#|//) expect: (.+)", path.read_text())[1]
    verdict = exercises.check(id, path)
    assert verdict["verdict"] == "FAIL"
    assert any(reason in said for said in verdict["reasons"]), verdict["reasons"]


@pytest.mark.parametrize("id", EXERCISES)
def test_there_are_hints_several_right_and_several_wrong_answers(id):
    assert len(EXERCISES[id].hints) >= 3
    assert sum(other == id for other, _ in SOLUTIONS) >= 2
    assert sum(other == id for other, _ in WRONG) >= 3
    for other, path in SOLUTIONS:
        assert path.read_text().startswith(("#", "//")), "a solution begins with why it works"
