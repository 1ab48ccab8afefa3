"""Does each exercise's page say what its verdict is worth, in the words of exercise.toml?"""

import re

import nbformat
import pytest

from core import cases
from host.notebook import pairs

SAID = "*What the verdict is worth:* "
EXERCISES = [exercise for case in cases.cases().values() for exercise in case.exercises]


def line(text: str) -> str:
    """A text without its line ends."""
    return " ".join(text.split())


def tasks(notebook: nbformat.NotebookNode) -> dict[str, str]:
    """What a notebook's page says of each exercise, by its number."""
    prose = "\n".join(cell.source for cell in notebook.cells if cell.cell_type == "markdown")
    parts = re.split(r"^\*\*(\d+)\. ", prose.partition("## Exercises\n")[2], flags=re.MULTILINE)
    return dict(zip(parts[1::2], map(line, parts[2::2])))


def executed(text):
    """The notebook as `./lab record` stored it."""
    return nbformat.read(text.with_suffix(".ipynb"), as_version=4)


@pytest.mark.parametrize("read", [pairs.fresh, executed])
@pytest.mark.parametrize("exercise", EXERCISES, ids=lambda exercise: exercise.id)
def test_the_page_has_it_word_for_word(exercise, read):
    name, _, number = exercise.id.partition("/")
    assert line(exercise.worth)
    said = tasks(read(pairs.NOTEBOOKS / f"{name}.md"))[number]
    assert said.count(SAID) == 1 and SAID + line(exercise.worth) in said
