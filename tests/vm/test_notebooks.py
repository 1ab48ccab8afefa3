"""Do the notebooks run from top to bottom in a pristine guest, and does a failing cell fail?"""

import nbformat
import pytest

from core import cases
from host.errors import LabError
from host.notebook import pairs
from host.recording import record


def notebooks():
    """The first chapter's is of the base, the others come along when their chapter changes."""
    first = next(iter(cases.cases()))
    for path in pairs.texts():
        yield pytest.param(path, id=path.stem, marks=() if path.stem == first else pytest.mark.part(path.stem))


@pytest.mark.parametrize("text", notebooks())
def test_notebook_runs(text):
    notebook = record.execute(text)
    for cell in notebook.cells:
        if cell.cell_type == "code":
            assert cell.execution_count, cell.source


def test_every_case_has_its_notebook():
    assert {path.stem for path in pairs.texts()} == set(cases.cases())


@pytest.mark.parametrize(
    "cell, said",
    [("raise RuntimeError('out of luck')", "out of luck"), ("import os; os._exit(1)", "kernel died, in cell 1 of 1")],
)
def test_a_failing_cell_is_an_error_with_its_cause(monkeypatch, cell, said):
    text = pairs.texts()[0]
    broken = pairs.fresh(text)
    broken.cells = [nbformat.v4.new_code_cell(cell)]
    monkeypatch.setattr(pairs, "fresh", lambda path: broken)
    with pytest.raises(LabError, match=said):
        record.execute(text)


@pytest.mark.part("machinery", why="the base runs a whole notebook")
def test_a_verdict_stands_above_the_ladder_of_what_was_judged(monkeypatch):
    (text, *_) = pairs.texts()
    answer = cases.exercise("frag-needed/1").solution.read_text()
    notebook = pairs.fresh(text)
    cells = ["%load_ext labs.notebook", f"%%answer frag-needed/1\n{answer}"]
    notebook.cells = [nbformat.v4.new_code_cell(cell) for cell in cells]
    monkeypatch.setattr(pairs, "fresh", lambda path: notebook)
    (shown,) = record.execute(text).cells[1].outputs
    html = shown["data"]["text/html"]
    assert "frag-needed/1" in html and html.index("</ul>") < html.index("<svg")
    assert "untouched B" in shown["data"]["text/plain"]
