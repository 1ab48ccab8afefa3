"""Which cases and exercises are there? Read from labs/cases as data; no guest is needed.

labs/cases/<folder>/case.toml names a case; labs/cases/<folder>/exercises/<n>/exercise.toml an
exercise. The guest reads the same files.
"""

import re
import tomllib
from dataclasses import dataclass
from pathlib import Path

from host.errors import USAGE, LabError
from host.paths import LABS


@dataclass(frozen=True)
class Exercise:
    """One exercise of a case; `id` is as in "frag-needed/1". `worth` tells the reader where the verdict is seen from,
    and what an answer could forge there; the chapter's notebook has it word for word.

    `applies` says what an answer acts on: the "guest", where the judge applies it; the "profile",
    whose cards in `may_change` it chooses; or a "device" of QEMU, where it is the file `replaces` of
    the source, which the file `unit` includes (see applied.py). A judge bounds what it runs;
    `deadline_s` is for a guest that an answer has broken.
    """

    id: str
    folder: Path
    title: str
    task: str
    worth: str
    hints: list[str]
    applies: str = "guest"
    may_change: tuple[str, ...] = ()
    replaces: str = ""
    unit: str = ""
    deadline_s: int = 300

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
        """The solution that is shown: the first by name."""
        return sorted((self.folder / "solutions").iterdir())[0]


@dataclass(frozen=True)
class Setting:
    """A whole number that `./lab run CASE --set NAME=VALUE` may change, with what it may be."""

    meaning: str
    default: int
    minimum: int
    maximum: int


@dataclass(frozen=True)
class Case:
    """One case: its name on the command line, its title, its VM profile, the recorded figures that
    stand for it outside the site, what may be set, and with which settings its whole run is without its fault."""

    name: str
    title: str
    profile: str
    preview: list[str]
    folder: Path
    settings: dict[str, Setting]
    fault_off: dict[str, int]

    def set(self, words: list[str]) -> dict[str, int]:
        """The values in "NAME=VALUE" words; raises with what may be set, and to what."""
        found = {}
        for word in words:
            name, _, value = word.partition("=")
            if name not in self.settings:
                known = ", ".join(f"{name} ({setting.meaning})" for name, setting in self.settings.items())
                raise LabError(
                    f"{self.name} has no setting {name!r}; there are: {known or 'none'}",
                    f"./lab run {self.name}",
                    USAGE,
                )
            setting = self.settings[name]
            if not re.fullmatch(r"[+-]?[0-9]{1,18}", value) or not setting.minimum <= int(value) <= setting.maximum:
                raise LabError(
                    f"{name}={value}: expected a whole number from {setting.minimum} to "
                    f"{setting.maximum}: {setting.meaning}",
                    f"./lab run {self.name} --set {name}={setting.default}",
                    USAGE,
                )
            found[name] = int(value)
        return found

    @property
    def exercises(self) -> list[Exercise]:
        """In the order of their numbers."""
        folders = sorted((self.folder / "exercises").glob("[0-9]*"), key=lambda path: int(path.name))
        return [self._exercise(folder) for folder in folders]

    def _exercise(self, folder: Path) -> Exercise:
        read = tomllib.loads((folder / "exercise.toml").read_text())
        return Exercise(
            f"{self.name}/{folder.name}",
            folder,
            read["title"],
            read["task"],
            read["worth"],
            read["hints"],
            read.get("applies", "guest"),
            tuple(read.get("may_change", [])),
            read.get("replaces", ""),
            read.get("unit", ""),
            read.get("deadline_s", Exercise.deadline_s),
        )


def cases() -> dict[str, Case]:
    """All cases by name, in the order of the chapters."""
    found = []
    for file in LABS.glob("cases/*/case.toml"):
        read = tomllib.loads(file.read_text())
        found.append(
            (
                read["chapter"],
                Case(
                    read["name"],
                    read["title"],
                    read["profile"],
                    read["preview"],
                    file.parent,
                    {name: Setting(**setting) for name, setting in read.get("settings", {}).items()},
                    read["fault_off"],
                ),
            )
        )
    return {case.name: case for _, case in sorted(found, key=lambda pair: pair[0])}


def case(name: str) -> Case:
    """The case of that name; raises with the known ones."""
    known = cases()
    if name not in known:
        raise LabError(f"no case {name!r}; there are: {', '.join(known)}", "./lab list", USAGE)
    return known[name]


def exercise(id: str) -> Exercise:
    """The exercise "case/n"; raises with the known ones."""
    name = id.partition("/")[0]
    known = {exercise.id: exercise for exercise in case(name).exercises}
    if id not in known:
        raise LabError(f"no exercise {id!r}; there are: {', '.join(known)}", "./lab list", USAGE)
    return known[id]
