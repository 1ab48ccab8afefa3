"""Which cases and exercises are there? Read from labs/cases as data; no guest is needed.

labs/cases/<folder>/case.toml names a case; labs/cases/<folder>/exercises/<n>/exercise.toml an
exercise. The guest reads the same files.
"""

import tomllib
from dataclasses import dataclass
from pathlib import Path

from host.paths import LABS
from host.phases import USAGE, LabError


@dataclass(frozen=True)
class Exercise:
    """One exercise of a case; `id` is as in "frag-needed/1"."""

    id: str
    folder: Path
    title: str
    task: str
    hints: list[str]

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
class Case:
    """One case: its name on the command line, its title, its VM profile, and the recorded figures
    that stand for it outside the site."""

    name: str
    title: str
    profile: str
    preview: list[str]
    folder: Path

    @property
    def exercises(self) -> list[Exercise]:
        """In the order of their numbers."""
        folders = sorted((self.folder / "exercises").glob("[0-9]*"), key=lambda path: int(path.name))
        return [self._exercise(folder) for folder in folders]

    def _exercise(self, folder: Path) -> Exercise:
        read = tomllib.loads((folder / "exercise.toml").read_text())
        return Exercise(f"{self.name}/{folder.name}", folder, read["title"], read["task"], read["hints"])


def cases() -> dict[str, Case]:
    """All cases by name, in the order of the chapters."""
    found = []
    for file in LABS.glob("cases/*/case.toml"):
        read = tomllib.loads(file.read_text())
        found.append((read["chapter"], Case(
            read["name"], read["title"], read["profile"], read["preview"], file.parent
        )))
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
