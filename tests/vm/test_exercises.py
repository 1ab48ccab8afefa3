"""Does every exercise tell right from wrong? Untouched fails, each solution passes, each wrong
answer fails for the reason that its first line names, and a hint exists.

Answers to one chapter's exercises share a guest as long as it lives, unless they make a machine of their own; so
do the cells of a notebook. Emulation spends a third of the time on code that it has not met before. That
`./lab check` takes a guest for each call is shown in test_answers.py.
"""

import contextlib
import json
import os
import re

import pytest

from host import cases
from host.exercises import answering
from host.vm import serving
from tests.labs.judge import stored
from tests.vm.conftest import held_up, told

throwaway = serving.throwaway
KEEP = os.environ.get("KEEP_EVIDENCE")  # in tests/evidence, see tests/labs/judge/stored.py
EXERCISES = {e.id: e for case in cases.cases().values() for e in case.exercises}


def chapter(id: str) -> str:
    """Of an exercise: "frag-needed" for "frag-needed/1"."""
    return id.partition("/")[0]


def answers(kind: str) -> dict[str, list]:
    """By exercise the files in this folder of it."""
    return {id: sorted((e.folder / kind).iterdir()) for id, e in EXERCISES.items()}


SOLUTIONS, WRONG = answers("solutions"), answers("wrong")
FIRST = {next(id for id in EXERCISES if chapter(id) == name) for name in cases.cases()}


def judged():
    """Each answer. To the base belong each exercise's first solution and its first wrong answer (so that no judge
    passes everything) and, of a chapter's first exercise, the untouched file; one worker judges a chapter's, after each
    other. The others are of their chapter's part, and each worker takes an exercise."""
    for id, exercise in EXERCISES.items():
        kinds = {"untouched": [exercise.start], "solution": SOLUTIONS[id], "wrong": WRONG[id]}
        for kind, path in ((kind, path) for kind, paths in kinds.items() for path in paths):
            base = path == kinds[kind][0] and (kind != "untouched" or id in FIRST)
            marks = (
                [pytest.mark.xdist_group(chapter(id))]
                if base
                else [pytest.mark.xdist_group(id), pytest.mark.whole(chapter(id), why="one of many answers")]
            )
            yield pytest.param(id, kind, path, id=f"{id}-{kind}-{path.name}", marks=marks)


class Shared:
    """The guest that answers to one chapter's exercises share; another chapter gets another."""

    def __init__(self):
        self.chapter, self.ours, self.block = None, None, contextlib.ExitStack()
        self.guest = None

    @contextlib.contextmanager
    def throwaway(self, which="stock"):
        """In place of `vm.throwaway`, for judging.py."""
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


@pytest.mark.parametrize("id, kind, path", judged())
def test_an_answer_gets_the_verdict_that_it_deserves(id, kind, path, shared, monkeypatch, tmp_path):
    shared.chapter = chapter(id)
    monkeypatch.setattr(serving, "throwaway", shared.throwaway)
    kept = tmp_path / "kept.json" if KEEP else None
    verdict = told(lambda: answering.check(id, path, keep=kept), held_up)
    assert verdict["verdict"] == ("PASS" if kind == "solution" else "FAIL"), verdict["reasons"]
    assert verdict["reasons"]
    if kind == "wrong":
        reason = re.match(r"(?:#|//) expect: (.+)", path.read_text())[1]
        assert any(reason in said for said in verdict["reasons"]), verdict["reasons"]
    if kept and kept.exists():
        stored.store(stored.file(EXERCISES[id], kind, path), EXERCISES[id], json.loads(kept.read_text()))


@pytest.mark.parametrize("id", EXERCISES)
def test_there_are_hints_several_right_and_several_wrong_answers(id):
    assert len(EXERCISES[id].hints) >= 3
    assert len(SOLUTIONS[id]) >= 2
    assert len(WRONG[id]) >= 3
    for path in SOLUTIONS[id]:
        assert path.read_text().startswith(("#", "//")), "a solution begins with why it works"
