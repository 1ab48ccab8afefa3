"""Does a notebook run on its page as in the lab? Under Node, which runs what a page runs."""

import re

import pytest

from core import cases
from host.notebook import pairs
from host.tab import running
from host.tab.state import state

pytestmark = pytest.mark.xdist_group("tab")
NOT_THERE = {"bcc", "matplotlib"}  # of the modules that the tab's guest leaves out


@pytest.fixture(scope="module")
def kernel():
    """The saved kernel, made if need be."""
    return state()


@pytest.fixture(scope="module")
def cells():
    """The notebook's cells, without its answers: these are judged as on the exercises' page."""
    (text,) = [each for each in pairs.texts() if each.stem == "frag-needed"]
    sources = [cell.source for cell in pairs.fresh(text).cells if cell.cell_type == "code"]
    return [source for source in sources if not source.startswith("%%answer")]


@pytest.fixture(scope="module")
def ran(kernel, cells):
    """What each led to, in one process of a guest."""
    return running.cells(kernel, cells)["ran"]


def said(ran: list[dict], kind: str) -> list[dict]:
    return [one for each in ran for one in each["said"] if one["kind"] == kind]


def words(cell: dict) -> str:
    """What a cell printed."""
    return "".join(one["text"] for one in said([cell], "text"))


def test_those_that_need_what_the_tab_has_not_are_all_that_fail(ran, cells):
    failed = {source for source, each in zip(cells, ran, strict=True) if each["failed"]}
    lacks = {one.get("lacks") for one in said(ran, "error")}
    assert failed == {source for source in cells if "from bcc import" in source or "plots" in source}
    assert lacks == NOT_THERE


def test_b_waits_there_as_in_the_recording(ran, cells):
    (seen,) = [
        one["text"] for one in ran[cells.index("seen = case.direct(net)\nseen")]["said"] if one["kind"] == "result"
    ]
    rows = [re.split(r"  +", line) for line in seen.splitlines()]
    waited = {row[0]: float(row[2]) for row in rows if row[0] in ("A", "B", "B again")}
    assert waited["B"] > 2 * max(waited["A"], waited["B again"]), seen


def test_its_pictures_are_trees(ran):
    trees = [one["tree"] for one in said(ran, "result") if "tree" in one]
    assert len(trees) >= 8 and all(tree[0] == "figure" for tree in trees)


def test_an_answer_is_judged_and_its_verdict_drawn_and_again_after_a_hint(kernel):
    exercise = cases.exercise("frag-needed/1")
    answer = f"%%answer {exercise.id}\n{exercise.solution.read_text()}"
    magics = [f"%check {exercise.id}", answer, f"%hint {exercise.id}", f"%check {exercise.id}"]
    _, none_yet, judged, hint, again = running.cells(kernel, ["%load_ext labs.notebook", *magics])["ran"]
    assert f"no answer to {exercise.id}" in words(none_yet) and words(hint).startswith("hint 1 of")
    for each in (judged, again):
        (shown,) = said([each], "result")
        assert shown["text"].startswith("PASS") and shown["tree"][0] == "div" and "svg" in str(shown["tree"])
