"""Does a page's guest judge each answer as the VM does? Under Node, which runs what a page runs."""

import os
import re
import subprocess
import sys

import pytest

from host.tab import running
from host.tab.state import state
from tests.labs.judge import stored

pytestmark = pytest.mark.xdist_group("tab")
ANSWERS = [answer for answer in stored.answers() if answer[0].tab_million]
FIRST = next(answer for answer in ANSWERS if answer[1] == "solution")
BUSY = "while True: pass"


def judged():
    """Each answer to an exercise that a page can judge. To the base belongs the first exercise's first solution; the
    first solution and the first wrong answer of each are machinery; all others are a part of their own."""
    of_kind = set()
    for exercise, kind, path in ANSWERS:
        first = (exercise.id, kind) not in of_kind
        base = first and kind == "solution" and exercise is FIRST[0]
        part = "machinery" if first else "tab"
        of_kind.add((exercise.id, kind))
        marks = [] if base else [pytest.mark.part(part, why="takes half a minute")]
        yield pytest.param(exercise, kind, path, id=f"{exercise.id}-{kind}-{path.name}", marks=marks)


@pytest.fixture(scope="module")
def kernel():
    """The saved kernel, made if need be."""
    return state()


@pytest.mark.parametrize("exercise, kind, path", judged())
def test_an_answer_gets_the_verdict_that_it_deserves(kernel, exercise, kind, path):
    verdict = running.check(kernel, exercise.id, path.read_text())
    assert stored.deserves(verdict, kind, path), verdict["reasons"]
    if path == exercise.solution:  # by which a page says how much is done
        assert 0.8 < verdict["host"]["instructions"] / 1e6 / exercise.tab_million < 1.25


@pytest.mark.part("machinery", why="takes two minutes beside so many others")
def test_beside_busy_loops_it_takes_longer_and_says_the_same(kernel):
    exercise, _, path = FIRST
    loops = [subprocess.Popen([sys.executable, "-c", BUSY]) for _ in range(2 * (os.cpu_count() or 1))]
    try:
        seen = running.check(kernel, exercise.id, path.read_text())
    finally:
        for loop in loops:
            loop.kill()
            loop.wait()
    assert seen["verdict"] == "PASS", seen["reasons"]
    assert seen["measured"]["untouched_b_ms"] < 300, seen["measured"]  # with a timer of 200


@pytest.mark.part("machinery", why="judges two answers")
def test_no_two_checks_draw_the_same(kernel):
    """Another client's address is drawn; before the state is saved, it would be the same for each reader."""
    seen = [str(running.check(kernel, "frag-needed/2", "true\n")["reasons"]) for _ in range(3)]
    assert len({found[0] for text in seen if (found := re.search(r"10\.0\.0\.\d{3}", text))}) > 1, seen
