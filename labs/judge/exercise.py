"""Which exercise is meant? Found as data.

labs/cases/<case>/exercises/<n>/exercise.toml holds `title`, `task`, `worth`, which tells the reader where
the verdict is seen from and what an answer could forge there, `hints`, `allowed`, the hosts that an answer may touch,
perhaps `applies`, if an answer makes the machine that it is judged on, and `deadline_s`, after which the host ends a
guest that an answer has broken.
"""

from __future__ import annotations

import re
import tomllib
from dataclasses import dataclass
from pathlib import Path

from labs.case import cases


class Unknown(Exception):
    """No such exercise; the message names those that there are."""


@dataclass(frozen=True)
class Exercise:
    """One exercise, read. `allowed` are the hosts that an answer may touch. `applies` is "guest" where
    the judge applies the answer; else the host has applied it to the machine that we run on."""

    id: str
    folder: Path
    title: str
    task: str
    worth: str
    allowed: frozenset[str]
    applies: str = "guest"
    hints: tuple[str, ...] = ()

    def is_untouched(self, answer: str) -> bool:
        """Whether an answer is the file to begin with, but for blanks."""
        return answer.split() == next(self.folder.glob("start.*")).read_text().split()


def is_empty(answer: str) -> bool:
    """Whether an answer says nothing."""
    return not re.search(r"^\s*(?!#|//)\S", answer, re.MULTILINE)


def folders() -> dict[str, Path]:
    """The folder of each exercise by its id, in the order of the chapters."""
    return {
        f"{case.name}/{folder.name}": folder
        for case in cases().values()
        for folder in sorted((case.folder / "exercises").glob("[0-9]*"), key=lambda f: int(f.name))
    }


def exercise(id: str) -> Exercise:
    """The exercise "case/n". Raises Unknown with the known ones."""
    known = folders()
    if id not in known:
        raise Unknown(f"no exercise {id!r}; there are: {', '.join(known)}")
    read = tomllib.loads((known[id] / "exercise.toml").read_text())
    return Exercise(
        id,
        known[id],
        read["title"],
        read["task"],
        read["worth"],
        frozenset(read.get("allowed", [])),
        read.get("applies", "guest"),
        tuple(read["hints"]),
    )
