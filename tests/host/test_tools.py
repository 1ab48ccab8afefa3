"""Does the environment get what tests need when that is asked for, once, and whole or not at all? In the place of its
Python is a program of ours, whose pip makes one package and notes that it was called."""

import re
import stat
import subprocess
import sys
from pathlib import Path

import pytest

from host import environment, paths
from host.errors import LabError
from host.paths import FETCHING, REPOSITORY

PYTHON = """#!/bin/sh
echo "$*" >>"{folder}/calls"
for word; do [ "$before" = --target ] && touch "$word/added.py"; before=$word; done
echo "ERROR: this went wrong"
echo "[notice] this did not"
exit "$(cat "{folder}/status")"
"""


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """That environment; `calls` has a line for each call of its Python, `status` is how these end."""
    folder = tmp_path / "environment-0123456789ab"
    folder.mkdir()
    for name, text in {"packages": "there\n", "calls": "", "status": "0", "python": PYTHON}.items():
        (folder / name).write_text(text.format(folder=folder))
    (folder / "python").chmod(stat.S_IRWXU)
    monkeypatch.setattr(sys, "prefix", str(folder))
    monkeypatch.setattr(sys, "executable", str(folder / "python"))
    monkeypatch.setattr(sys, "path", [*sys.path])
    monkeypatch.setattr(paths, "cache", lambda: tmp_path)
    return folder


def calls(folder: Path) -> list[str]:
    return (folder / "calls").read_text().splitlines()


def test_they_are_added_once_and_this_process_has_them_too(folder):
    environment.need_tools()
    assert (folder / "tools/added.py").exists() and sys.path[-1] == str(folder / "tools")
    environment.need_tools()
    assert len(calls(folder)) == 1 and "--require-hashes" in calls(folder)[0]


def test_where_pip_fails_it_says_why_and_leaves_nothing_that_counts(folder):
    (folder / "status").write_text("1")
    with pytest.raises(LabError, match="ERROR: this went wrong\n"):
        environment.need_tools()
    assert not (folder / "tools").exists() and str(folder / "tools") not in sys.path
    (folder / "status").write_text("0")
    environment.need_tools()
    assert len(calls(folder)) == 2 and not list(folder.glob("tools.part*"))


def test_one_that_others_share_is_not_changed(folder, tmp_path, monkeypatch):
    (tmp_path / "mine").mkdir()
    monkeypatch.setattr(paths, "cache", lambda: tmp_path / "mine")
    with pytest.raises(LabError, match="others share") as raised:
        environment.need_tools()
    assert "LAB_SHARED_CACHE=" in raised.value.next and calls(folder) == []


def test_a_reader_s_own_environment_stays_as_it_is(folder):
    (folder / "packages").unlink()
    environment.need_tools()
    assert calls(folder) == []


def test_its_python_looks_where_they_are_put(tmp_path):
    """As python-packages.sh makes it, of no requirements."""
    (tmp_path / "requirements.txt").touch()
    made = tmp_path / "environment"
    subprocess.run(["sh", FETCHING / "python-packages.sh", made, tmp_path / "requirements.txt"], check=True)
    (made / "tools").mkdir()
    (made / "tools/added.py").touch()
    subprocess.run([made / "bin/python", "-P", "-c", "import added"], check=True)


def pinned(file: str) -> dict[str, str]:
    return dict(re.findall(r"^([a-z][^=\s]*)==(\S+)", (REPOSITORY / file).read_text(), re.MULTILINE))


def test_both_files_name_the_same_versions():
    """Of two versions the reader's would be imported, and the tests' asked for."""
    readers, tests = pinned("requirements.txt"), pinned("tests/requirements.txt")
    assert readers.keys() & tests.keys() >= {"rich", "packaging"}
    assert {name: tests[name] for name in tests if name in readers} == {
        name: readers[name] for name in readers if name in tests
    }
