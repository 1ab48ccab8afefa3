"""Does each line know its room? import-linter, with the contracts of pyproject.toml and of tests/circles.toml."""

import os
import re
import shutil
import subprocess
import sys
from collections import Counter
from pathlib import Path, PurePosixPath

import pytest

from host.paths import REPOSITORY

MOST_FILES = 15  # in a folder, beside its subfolders
# Not its script: the environment was renamed after that was written (see ./lab).
LINT = "from importlinter.cli import lint_imports_command as lint; lint()"
CONTRACTS = ("pyproject.toml", "tests/circles.toml")


def lint(folder: Path) -> subprocess.CompletedProcess[str]:
    """What import-linter says of the packages that lie in a folder."""
    words = [sys.executable, "-c", LINT, "--no-cache", "--no-logo", *CONTRACTS]
    # Its own folder alone: `book` is a namespace package, and would be found in the checkout as well.
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    return subprocess.run(words, cwd=folder, env=environment, capture_output=True, text=True)


@pytest.fixture(scope="module")
def copy(tmp_path_factory) -> Path:
    """What the contracts are about, to be spoilt."""
    folder = tmp_path_factory.mktemp("rooms")
    for part in ("core", "host", "labs", "book/_ext"):
        shutil.copytree(REPOSITORY / part, folder / part, ignore=shutil.ignore_patterns("__pycache__"))
    (folder / "tests").mkdir()
    for file in CONTRACTS:
        shutil.copy(REPOSITORY / file, folder / file)
    return folder


def test_each_import_is_one_that_the_rooms_allow():
    done = lint(REPOSITORY)
    assert done.returncode == 0 and " 0 broken" in done.stdout, done.stdout + done.stderr


@pytest.mark.parametrize(
    "module, line, contract",
    [
        ("host.store", "from labs import table", "host and guest do not mix"),
        ("labs.table", "import host.paths", "host and guest do not mix"),
        ("core.cases", "from host import paths", "the core knows neither side"),
        ("core.cases", "from labs import case", "the core knows neither side"),
        ("core.cases", "if TYPE_CHECKING:\n    from labs.case import Outcome", "the core knows neither side"),
        ("core.cases", "from tests import conftest", "nothing knows the tests"),
        ("labs.cases.frag_needed.case", "from labs.cases.splice_push import case", "no case knows another"),
        (
            "labs.cases.frag_needed.exercises.ex4.measure",
            "from labs.cases.frag_needed.exercises.ex5 import measure",
            "no exercise knows another",
        ),
        (
            "labs.cases.frag_needed.exercises.ex4.judge",
            "from labs.cases.frag_needed.exercises.ex4 import measure",
            "a judge measures nothing",
        ),
        (
            "labs.cases.frag_needed.cure.judge",
            "from labs.cases.frag_needed.workload import SMALL_BYTES",
            "a judge measures nothing",
        ),
        ("labs.trace.flame", "from labs.take import script", "the guest's rooms"),
        ("labs.trace.tracer", "from bcc import BPF", "bcc is for what readers write"),
        ("labs.wire.capture", "from labs.measure import clock", "packets are not measured"),
        ("labs.kernel", "from labs.net import node", "a case is found by its folder"),
        ("labs.untidy", "", "the guest's rooms"),
        ("host.vm.guests", "def f():\n    from host.exercises import progress", "the host's rooms"),
        ("host.paths", "from host.vm import ssh", "the host's rooms"),
        ("host.site.build", "from host.sandbox import confined", "programs are confined by the VM"),
        ("core.wire.packet", "from core.draw import ladder", "the core's rooms"),
        ("core.judge.verdict", "from core.wire import packet", "of the core only pictures are of packets"),
        ("core.draw.ladder_svg", "from core.draw import ladder", "nothing in a circle"),
        ("book._ext.recordings.recorded", "from book._ext.drawn import growth", "the book's rooms"),
        ("book._ext.recordings.figure_data", "from book._ext.recordings import recorded", "nothing in a circle"),
        ("host.vm.ssh", "from book._ext.quoted import kernel_source", "only the site reads the book"),
        (
            "book._ext.recordings.recorded",
            "from labs.trace import stacks",
            "an extension of the book knows nothing of the lab",
        ),
    ],
)
def test_a_line_that_breaks_a_rule_is_named(copy, module, line, contract):
    file = copy / f"{module.replace('.', '/')}.py"
    text = file.read_text() if file.exists() else None
    try:
        file.write_text(f"{text or ''}\n{line}\n")
        done = lint(copy)
    finally:
        file.unlink() if text is None else file.write_text(text)
    said, _, broken = done.stdout.partition("Broken contracts")
    assert done.returncode == 1 and re.search(rf"^{contract}.* BROKEN", said, re.MULTILINE), done.stdout + done.stderr
    assert f".{module.rpartition('.')[2]}" in broken


def test_no_folder_has_grown_flat():
    files = [
        PurePosixPath(file.relative_to(REPOSITORY).as_posix())
        for top in ("core", "host", "labs", "book/_ext")
        for file in (REPOSITORY / top).rglob("*")
        if file.is_file() and "__pycache__" not in file.parts
    ]
    counted = Counter(file.parent for file in files if "cases" not in file.parts)
    assert {str(folder): number for folder, number in counted.items() if number > MOST_FILES} == {}
