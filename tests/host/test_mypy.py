"""Do annotations say what is so? mypy, with the settings of pyproject.toml: strict where verdicts come from."""

import os
import shutil
import subprocess
import sys
import tomllib
from fnmatch import fnmatch

import grimp
import pytest

from core import cases
from host.notebook import pairs
from host.paths import REPOSITORY

SETTINGS = tomllib.loads((REPOSITORY / "pyproject.toml").read_text())["tool"]["mypy"]
STRICT = next(each["module"] for each in SETTINGS["overrides"] if each.get("disallow_untyped_defs"))
LEFT_OUT = ("__pycache__", "solutions", "wrong")  # of a copy
WITHOUT_CACHE = ("--cache-dir", os.devnull)  # the whole takes three seconds


def mypy(folder, *words: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "mypy", *WITHOUT_CACHE, *words], cwd=folder, capture_output=True, text=True
    )


def is_strict(module: str) -> bool:
    return any(fnmatch(module, name) or f"{module}.*" == name for name in STRICT)


def test_mypy_finds_nothing():
    done = mypy(REPOSITORY)
    assert done.returncode == 0 and "unused section" not in done.stdout + done.stderr, done.stdout + done.stderr


@pytest.fixture(scope="module")
def said_of_a_copy(tmp_path_factory) -> str:
    """What mypy says of a copy with a wrong line in each of these files."""
    folder = tmp_path_factory.mktemp("types")
    shutil.copy(REPOSITORY / "pyproject.toml", folder)
    for part in ("core", "labs"):
        shutil.copytree(REPOSITORY / part, folder / part, ignore=shutil.ignore_patterns(*LEFT_OUT))
    for file, line, _ in WRONG:
        with open(folder / file, "a") as text:
            text.write(f"\n\n{line}\n")
    done = mypy(folder, *sorted({file for file, _, _ in WRONG}))
    assert done.returncode == 1, done.stdout + done.stderr
    return done.stdout


WRONG = [
    ("core/files.py", 'write_whole("file", "text")', "arg-type"),
    ("core/statuses.py", "Status.HOLD", "attr-defined"),
    ("core/draw/tree.py", "def strange(node):\n    return node", "no-untyped-def"),
    ("core/wire/packet.py", "def strange(packet: Packet | None) -> str:\n    return packet.src", "union-attr"),
    ("labs/judge/judging.py", "def strange(words: list) -> None: ...", "type-arg"),
    (
        "labs/cases/frag_needed/judge.py",
        "def strange(seen: Observed | None) -> str:\n    return seen.text()",
        "union-attr",
    ),
    (
        "labs/cases/splice_push/exercises/ex1/judge.py",
        "def strange(one: Object) -> int:\n    return one.calls",
        "return-value",
    ),
    ("labs/table.py", 'COLUMNS: int = "80"', "assignment"),  # not strict, and looked at
]


@pytest.mark.parametrize("file, line, code", WRONG)
def test_a_wrong_line_is_named(said_of_a_copy, file, line, code):
    assert any(said.startswith(f"{file}:") and said.endswith(f"[{code}]") for said in said_of_a_copy.splitlines())


# What IPython gives a cell, and what it takes for itself.
OF_IPYTHON, MAGIC = "from IPython.display import display\n", ("%", "!")


def python(text) -> str:
    """The cells of a notebook that are Python alone, as one module."""
    cells = [cell.source for cell in pairs.fresh(text).cells if cell.cell_type == "code"]
    lines = [line for cell in cells if not cell.startswith("%%") for line in cell.splitlines()]
    return OF_IPYTHON + "".join(f"{line}\n" for line in lines if not line.lstrip().startswith(MAGIC))


def test_what_the_cells_of_notebooks_name_is_there(tmp_path):
    """Or a name that is changed in a case would be found by its notebook alone, in a VM."""
    for text in pairs.texts():
        (tmp_path / f"{text.stem.replace('-', '_')}_cells.py").write_text(python(text))
    (tmp_path / "wrong_cells.py").write_text("from labs.cases.rtl8139_tso import tracing\ntracing.Watched.verdicts\n")
    asked = ("--check-untyped-defs", "--disable-error-code", "union-attr", *map(str, tmp_path.glob("*.py")))
    said = [line for line in mypy(REPOSITORY, *asked).stdout.splitlines() if line.startswith(str(tmp_path))]
    assert [line for line in said if "wrong_cells" not in line] == []
    assert len(said) == 1 and said[0].endswith("[attr-defined]")


def test_a_judge_imports_nothing_whose_types_are_not_strict():
    """So neither does it import what measures, of whose libraries (Mininet, Scapy, bcc) no types are known."""
    graph = grimp.build_graph("core", "labs", cache_dir=None)
    of_exercises = {name for name in graph.modules if fnmatch(name, "labs.cases.*.exercises.*.judge")}
    assert len(of_exercises) == len(cases.exercises())
    judges = of_exercises | {name for name in graph.modules if name.startswith("labs.judge.")}
    asked = judges.union(*(graph.find_upstream_modules(judge) for judge in judges))
    assert sorted(module for module in asked if not is_strict(module)) == []
