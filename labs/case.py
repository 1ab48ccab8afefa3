"""What is a case, and what must it offer?

A case is a folder `labs/cases/<name>/` with `case.toml`, which core/cases.py reads, and three modules. `case.py` has
two functions:

    run() -> Outcome      builds the topology, runs the broken and the control workload; what
                          case.toml has under [settings.NAME] are its arguments, whole numbers
    trace() -> Outcome    runs the broken workload under the tracers; has the observed stacks beside the report's

An outcome has `to_json()`, one dict of plain values with `reproduced`, `outcome` and `reasons` among them,
and `text()`, what a person reads, at most 80 columns wide. `reproduced` is None if the machine stood still too
often to tell. Both functions raise CannotTry if the machine lacks something. A notebook calls the same functions.
`shell.py` has `session()` for `./lab shell`, see labs/shell.py; `live.py`, if a page can have the case happen, has
`opened()`, see labs/live.py. `record.py` has one function:

    record() -> dict      plain values that the book's prose quotes; under "figures" its pictures as data, by
                          name; under "files" what a reader may download beside the figure that each is named after

An exercise is a folder `exercises/ex<n>/` of its case, with two modules beside its task and its answers. `measure.py`
finds out in a guest what an answer does, `judge.py` what that comes to:

    take(exercise, answer) -> Evidence      see labs/take/attempts.py
    JUDGE                                   a Judge, see labs/judge/judging.py
"""

import importlib
from types import ModuleType
from typing import Any, Protocol

from core.cases import Case, Exercise
from labs.errors import CannotTry


class Outcome(Protocol):
    """What a case's `run` and `trace` return."""

    reproduced: bool | None
    headline: tuple[str, float]  # of a run: the figure that a case is known by, with what it is; for `--rounds`

    def to_json(self) -> dict[str, Any]: ...

    def text(self) -> str: ...

    def claimed(self) -> dict[str, Any]: ...  # of a run: what was claimed and seen; "reasons" are sentences

    def outcome_lines(self) -> list[str]: ...  # of a run: what it came to, as lines for a terminal


def module(case: Case, name: str = "case") -> ModuleType:
    """The case's `case.py`, or another of its modules. Raises CannotTry if that needs a Python module that is not
    here."""
    try:
        return importlib.import_module(f"labs.cases.{case.folder.name}.{name}")
    except ModuleNotFoundError as error:
        if error.name and error.name.startswith("labs"):
            raise
        raise CannotTry(f"Python has no module {error.name!r} here", "./lab reset") from error


def exercise_module(exercise: Exercise, name: str) -> ModuleType:
    """An exercise's `judge.py` or its `measure.py`."""
    case = exercise.folder.parent.parent
    return importlib.import_module(f"labs.cases.{case.name}.exercises.{exercise.folder.name}.{name}")
