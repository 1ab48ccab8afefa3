"""Does every exercise tell right from wrong? Untouched fails, each solution passes, each wrong
answer fails the check that its first line names, and a hint exists.

Answers to one chapter's exercises share a guest as long as it lives, unless they make a machine of their own; so
do the cells of a notebook. Emulation spends a third of the time on code that it has not met before. That
`./lab check` takes a guest for each call is shown in test_answers.py.
"""

import contextlib
import itertools
import json
import os

import pytest

from core import cases
from host.exercises import commands
from host.vm import guests
from tests.guest.conclusive import conclusive
from tests.labs.judge import stored
from tests.vm.conftest import held_up, lost

throwaway = guests.throwaway
KEEP = os.environ.get("KEEP_EVIDENCE")  # in tests/evidence, see tests/labs/judge/stored.py
EXERCISES = stored.EXERCISES


def chapter(id: str) -> str:
    """The chapter of an exercise: "frag-needed" for "frag-needed/1"."""
    return id.partition("/")[0]


ANSWERS = {id: list(of_it) for id, of_it in itertools.groupby(stored.answers(), lambda each: each[0].id)}
FIRST = {next(id for id in EXERCISES if chapter(id) == name) for name in cases.cases()}


def judged():
    """Each answer. To the base belong each exercise's first solution and, of a chapter's first exercise, the untouched
    file and the first wrong answer; one worker judges a chapter's, after each other. The others are of their chapter's
    part, and each worker takes an exercise. What they rest on is judged in the base, see
    tests/labs/judge/test_known.py."""
    for id, answers in ANSWERS.items():
        of_kind = set()
        for exercise, kind, path in answers:
            base = kind not in of_kind and (kind == "solution" or id in FIRST)
            of_kind.add(kind)
            marks = (
                [pytest.mark.xdist_group(chapter(id))]
                if base
                else [pytest.mark.xdist_group(id), pytest.mark.part(chapter(id), why="one of many answers")]
            )
            yield pytest.param(exercise, kind, path, id=f"{id}-{kind}-{path.name}", marks=marks)


class Shared:
    """The guest that answers to one chapter's exercises share; another chapter gets another."""

    def __init__(self):
        self.chapter, self.ours, self.block = None, None, contextlib.ExitStack()
        self.guest = None

    @contextlib.contextmanager
    def throwaway(self, which="stock"):
        """In place of `guests.throwaway`, for host/exercises/judging.py."""
        if which != getattr(which, "kept", which):  # a machine that the answer makes
            with throwaway(which) as guest:
                yield guest
            return
        if self.ours != (self.chapter, which) or not self.guest.alive():
            self.end()
            self.guest = self.block.enter_context(throwaway(which))
            self.ours = (self.chapter, which)
        yield self.guest

    def end(self):
        self.block.close()
        self.ours = self.guest = None


@pytest.fixture(scope="module")
def shared():
    shared = Shared()
    yield shared
    shared.end()


@pytest.mark.parametrize("exercise, kind, path", judged())
def test_an_answer_gets_the_verdict_that_it_deserves(exercise, kind, path, shared, monkeypatch, tmp_path):
    shared.chapter = chapter(exercise.id)
    monkeypatch.setattr(guests, "throwaway", shared.throwaway)
    kept = tmp_path / "kept.json" if KEEP else None
    verdict = conclusive(lambda: commands.check(exercise.id, path, keep=kept), held_up, lost)
    assert stored.deserves(verdict, kind, path), verdict["reasons"]
    if kept and kept.exists():
        stored.store(stored.file(exercise, kind, path), exercise, json.loads(kept.read_text()))


@pytest.mark.parametrize("id", EXERCISES)
def test_there_are_hints_several_right_and_several_wrong_answers(id):
    solutions, wrong = ([path for _, kind, path in ANSWERS[id] if kind == asked] for asked in ("solution", "wrong"))
    assert len(EXERCISES[id].hints) >= 3
    assert len(solutions) >= 2
    assert len(wrong) >= 3
    for path in solutions:
        assert path.read_text().startswith(("#", "//")), "a solution begins with why it works"
