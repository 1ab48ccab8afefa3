"""Which cases and exercises are there? Read from labs/cases as data; nothing of a case is imported.

labs/cases/<folder>/case.toml names a case; labs/cases/<folder>/exercises/ex<n>/exercise.toml an
exercise. Their keys are the fields of Case and Exercise.
"""

import functools
import re
import tomllib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

FOLDER = Path(__file__).resolve().parent.parent / "labs" / "cases"
EXERCISE = "ex"  # begins the name of an exercise's folder, because a number alone is no name of a Python package
EMPTY = "only blanks and comments were found"  # of an answer
Kind = TypeVar("Kind")


class WrongCall(Exception):
    """A case, an exercise or a value that there is not: what was found, what there is, and a command to type."""

    def __init__(self, message: str, next_command: str = "./lab list") -> None:
        super().__init__(message)
        self.next_command = next_command


@dataclass(frozen=True)
class Exercise:
    """One exercise of a case; `id` is as in "frag-needed/1". `worth` tells the reader where the verdict is seen from,
    and what an answer could forge there; the chapter's notebook has it word for word. `allowed` are the hosts that an
    answer may touch.

    `applies` says what an answer acts on: the "guest", where the judge applies it; the "profile",
    whose cards in `may_change` it chooses; or a "device" of QEMU, where it is the file `replaces` of
    the source, which the file `unit` includes (host/exercises/answer_machine.py). A judge bounds what it runs;
    `deadline_s` is for a guest that an answer has broken. `tab_million` is how many million instructions of the guest
    it takes to judge the first solution in a browser's tab; 0 for what a tab cannot judge.
    """

    id: str
    folder: Path
    title: str
    task: str
    worth: str
    hints: tuple[str, ...]
    allowed: tuple[str, ...] = ()
    applies: str = "guest"
    may_change: tuple[str, ...] = ()
    replaces: str = ""
    unit: str = ""
    deadline_s: int = 300
    tab_million: int = 0

    @property
    def number(self) -> str:
        """The exercise's number in the case, as a word: "1" for "frag-needed/1"."""
        return self.id.partition("/")[2]

    @property
    def start(self) -> Path:
        """The untouched file that a reader begins with."""
        return next(self.folder.glob("start.*"))

    @property
    def suffix(self) -> str:
        """What an answer's file name ends in: ".sh", or ".bpf.c"."""
        return self.start.name.removeprefix("start")

    @property
    def solution(self) -> Path:
        """The solution that is shown: the first by name. A guest has none."""
        return sorted((self.folder / "solutions").iterdir())[0]

    def is_untouched(self, answer: str) -> bool:
        """Whether an answer is the file to begin with, but for blanks."""
        return answer.split() == self.start.read_text().split()


@dataclass(frozen=True)
class Setting:
    """A whole number that `./lab run CASE --set NAME=VALUE` may change, with what it may be."""

    meaning: str
    default: int
    minimum: int
    maximum: int


@dataclass(frozen=True)
class Case:
    """One case: its chapter, its name on the command line, its title, its VM profile, the recorded figures that
    stand for it outside the site, what may be set, and with which settings its whole run is without its fault; `also`
    are modules of it that `./lab matrix` runs on each kernel, each of which prints a JSON object."""

    folder: Path
    chapter: int
    name: str
    title: str
    profile: str
    preview: tuple[str, ...]
    fault_off: dict[str, int]
    settings: dict[str, Setting]
    also: tuple[str, ...] = ()

    def set(self, words: list[str]) -> dict[str, int]:
        """The values in "NAME=VALUE" words; raises WrongCall with what may be set, and to what."""
        found = {}
        for word in words:
            name, _, value = word.partition("=")
            if name not in self.settings:
                known = ", ".join(f"{name} ({setting.meaning})" for name, setting in self.settings.items())
                raise WrongCall(
                    f"{self.name} has no setting {name!r}; there are: {known or 'none'}", f"./lab run {self.name}"
                )
            setting = self.settings[name]
            if not re.fullmatch(r"[+-]?[0-9]{1,18}", value) or not setting.minimum <= int(value) <= setting.maximum:
                raise WrongCall(
                    f"{name}={value}: expected a whole number from {setting.minimum} to "
                    f"{setting.maximum}: {setting.meaning}",
                    f"./lab run {self.name} --set {name}={setting.default}",
                )
            found[name] = int(value)
        return found

    @property
    def exercises(self) -> list[Exercise]:
        """The case's exercises, in the order of their numbers."""
        files = self.folder.glob(f"exercises/{EXERCISE}*/exercise.toml")
        found = sorted((int(file.parent.name.removeprefix(EXERCISE)), file) for file in files)
        return [Exercise(f"{self.name}/{number}", file.parent, **_read(file)) for number, file in found]


def cases() -> dict[str, Case]:
    """All cases by name, in the order of the chapters."""
    found = []
    for file in FOLDER.glob("*/case.toml"):
        read = _read(file)
        settings = {name: Setting(**each) for name, each in read.pop("settings", {}).items()}
        found.append(Case(file.parent, settings=settings, **read))
    return {case.name: case for case in sorted(found, key=lambda case: case.chapter)}


def exercises() -> dict[str, Exercise]:
    """All exercises by id, in the order of the chapters."""
    return {exercise.id: exercise for case in cases().values() for exercise in case.exercises}


def case(name: str) -> Case:
    """The case of that name; raises WrongCall with the known ones."""
    return _known("case", name, cases())


def exercise(id: str, among: Iterable[Exercise] | None = None) -> Exercise:
    """The exercise "case/n", of all or of some; raises WrongCall with those."""
    return _known("exercise", id, exercises() if among is None else {each.id: each for each in among})


def is_empty(answer: str) -> bool:
    """Whether an answer says nothing."""
    return not re.search(r"^\s*(?!#|//)\S", answer, re.MULTILINE)


def not_answered(why: str) -> str:
    """The sentence for an answer that is none yet."""
    return f"not answered yet: {why}"


def _known(what: str, name: str, known: Mapping[str, Kind]) -> Kind:
    if name not in known:
        raise WrongCall(f"no {what} {name!r}; there are: {', '.join(known)}")
    return known[name]


def _read(file: Path) -> dict[str, Any]:
    """The keys of a TOML file; a list is a tuple, because a frozen dataclass holds it."""
    read = _parsed(file.read_text())
    return {key: tuple(value) if isinstance(value, list) else value for key, value in read.items()}


@functools.cache
def _parsed(text: str) -> dict[str, Any]:
    """What a TOML file's text says, parsed once, because a check asks for an exercise four times and an emulated Python
    takes a second for all of them."""
    return tomllib.loads(text)
