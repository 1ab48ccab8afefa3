"""Are the reviewable text of a notebook and its executed form one and the same? Checked here.

notebooks/X.md is what people write and review (jupytext, MyST); notebooks/X.ipynb is the same
with the outputs that `./lab record` stored. Their cells have to agree.
"""

from pathlib import Path

import jupytext
import nbformat

from host.errors import LabError
from host.paths import REPOSITORY

NOTEBOOKS = REPOSITORY / "notebooks"


def texts() -> list[Path]:
    """The text form of every notebook."""
    return sorted(NOTEBOOKS.glob("*.md"))


def fresh(text: Path) -> nbformat.NotebookNode:
    """The notebook of that text, without outputs."""
    return jupytext.read(text)


def check() -> None:
    """Raise if a text has no executed form, or one that was recorded from other cells."""
    for text in texts():
        executed = text.with_suffix(".ipynb")
        again = f"./lab record {text.stem}"
        if not executed.exists():
            raise LabError(f"{text.name} was never recorded: {executed.name} is missing", again)
        ours, theirs = _cells(fresh(text)), _cells(nbformat.read(executed, as_version=4))
        if ours != theirs:
            number = next(
                (n for n, pair in enumerate(zip(ours, theirs), 1) if pair[0] != pair[1]),
                min(len(ours), len(theirs)) + 1,
            )
            raise LabError(f"{executed.name} was recorded from another text: cell {number} differs", again)


def _cells(notebook: nbformat.NotebookNode) -> list[tuple]:
    return [(cell.cell_type, cell.source.strip(), tuple(cell.metadata.get("tags", []))) for cell in notebook.cells]
