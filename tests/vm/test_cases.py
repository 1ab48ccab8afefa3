"""Does every case reproduce, by its mechanism, each time?"""

import json

import pytest

from host import cases

CASES = list(cases.cases())
TIMES_IN_A_ROW = 20


@pytest.mark.parametrize("name", CASES)
def test_run_prints_one_object_and_nothing_else(lab, name):
    answer = lab("run", name, "--json")
    assert answer.returncode == 0, answer.stdout + answer.stderr
    found = json.loads(answer.stdout)
    assert found["reproduced"] and found["reasons"]


@pytest.mark.parametrize("name", CASES)
def test_run_for_a_person_fits_a_terminal(lab, name):
    answer = lab("run", name)
    assert answer.returncode == 0, answer.stdout
    assert max(map(len, answer.stdout.splitlines())) <= 80


@pytest.mark.parametrize("name", CASES)
def test_no_frame_of_the_story_is_missing(lab, name):
    answer = lab("trace", name, "--json")
    found = json.loads(answer.stdout)
    assert answer.returncode == 0, found["reasons"]


@pytest.mark.parametrize("name", CASES)
@pytest.mark.timeout(900)
def test_it_reproduces_every_time(lab, name):
    for number in range(1, TIMES_IN_A_ROW + 1):
        answer = lab("run", name, "--json")
        assert answer.returncode == 0, f"run {number}: {answer.stdout} {answer.stderr}"
