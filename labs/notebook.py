"""What does a notebook add to labs/? The cell magic `%%answer CASE/N`, after `%load_ext labs.notebook`.

The cell's text is the answer, judged as `./lab check` does, on a topology made for it. Below the verdict stands the
ladder of what was captured meanwhile, where the verdict rests on one.
"""

from __future__ import annotations

from IPython.core.magic import register_cell_magic

from labs import plots
from labs.judge.exercise import Unknown, exercise
from labs.judge.judging import picture
from labs.judge.verdict import Verdict
from labs.take.judging import judged


def load_ipython_extension(shell) -> None:
    """Called by %load_ext: registers the magic and the book's style of plots."""
    plots.style()

    @register_cell_magic
    def answer(line: str, cell: str) -> Verdict | None:
        """%%answer CASE/N: judge this cell as an answer to that exercise."""
        id = line.strip()
        try:
            if exercise(id).applies != "guest":
                print(f"an answer to {id} makes a machine of its own: ./lab check {id} FILE, in a terminal")
                return None
            verdict, evidence = judged(id, cell)
        except Unknown as unknown:
            print(unknown)
            return None
        if not verdict.unanswered:
            verdict.keep()
        verdict.picture = picture(evidence) if evidence else None
        return verdict
