"""Does what a verdict rests on come to the same verdict without a guest?"""

import json
import time

import pytest

from core import cases
from tests.guest.conclusive import conclusive
from tests.vm.conftest import held_up, lost

EXERCISE = cases.exercise("frag-needed/1")
WRONG = EXERCISE.folder / "wrong"


@pytest.mark.parametrize(
    "answer",
    [
        pytest.param(EXERCISE.solution, id="right"),
        pytest.param(WRONG / "advmss.sh", id="wrong", marks=pytest.mark.part("machinery", why="the same way")),
    ],
)
def test_kept_and_judged_again(lab, tmp_path, answer):
    kept = tmp_path / "kept.json"

    def check() -> dict:
        return json.loads(lab("check", "frag-needed/1", str(answer), "--keep", str(kept), "--times", "--json").stdout)

    began = time.monotonic()
    verdict = conclusive(check, held_up, lost)
    took = verdict.pop("took_s")
    assert [*took] == ["wake", "start", "network", "control", "answer", "taking", "judging", "down"]
    assert all(seconds >= 0 for seconds in took.values()) and sum(took.values()) < time.monotonic() - began
    again = lab("judge", str(kept), "--json")
    assert json.loads(again.stdout) == verdict
    assert again.returncode == (0 if answer == EXERCISE.solution else 1)
