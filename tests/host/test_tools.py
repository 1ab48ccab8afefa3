"""Does the environment get what tests need when that is asked for, once, and whole or not at all? In the place of its
Python is a program of ours, whose pip adds one package and notes that it was called."""

import re
import stat
import sys
from pathlib import Path

import pytest

from host import environment
from host.errors import LabError
from host.paths import REPOSITORY

PYTHON = """#!/bin/sh
echo "$*" >>"{folder}/calls"
mkdir "{folder}/lib/python3.11/site-packages/added" && exit "$(cat "{folder}/status")"
"""


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """That environment; `calls` has a line for each call of its Python, `status` is how these end."""
    folder = tmp_path / "environment-0123456789ab"
    (folder / "lib/python3.11/site-packages/there").mkdir(parents=True)
    for name, text in {"packages": "there\n", "calls": "", "status": "0", "python": PYTHON}.items():
        (folder / name).write_text(text.format(folder=folder))
    (folder / "python").chmod(stat.S_IRWXU)
    monkeypatch.setattr(sys, "prefix", str(folder))
    monkeypatch.setattr(sys, "executable", str(folder / "python"))
    return folder


def calls(folder: Path) -> int:
    return len((folder / "calls").read_text().splitlines())


def test_they_are_added_once_and_count_among_what_has_to_be_there(folder):
    environment.need_tools()
    assert "--require-hashes" in (folder / "calls").read_text()
    assert (folder / "packages").read_text() == "added\nthere\n"
    environment.need_tools()
    assert calls(folder) == 1


def test_others_are_added_when_the_requirements_have_changed(folder, tmp_path, monkeypatch):
    environment.need_tools()
    (tmp_path / "others").touch()
    monkeypatch.setattr(environment, "TOOLS", tmp_path / "others")
    (folder / "lib/python3.11/site-packages/added").rmdir()
    environment.need_tools()
    assert calls(folder) == 2


def test_where_pip_fails_it_says_so_and_the_next_call_tries_again(folder):
    (folder / "status").write_text("1")
    with pytest.raises(LabError, match="whole log"):
        environment.need_tools()
    (folder / "status").write_text("0")
    (folder / "lib/python3.11/site-packages/added").rmdir()
    environment.need_tools()
    assert calls(folder) == 2 and (folder / "packages").read_text() == "added\nthere\n"


def test_one_that_others_share_is_not_changed(folder, monkeypatch):
    def refused(*words, **keywords):
        raise PermissionError("not yours")

    monkeypatch.setattr(environment.os, "open", refused)
    with pytest.raises(LabError, match="not yours") as raised:
        environment.need_tools()
    assert "LAB_SHARED_CACHE=" in raised.value.next and calls(folder) == 0


def test_a_reader_s_own_environment_stays_as_it_is(folder):
    (folder / "packages").unlink()
    environment.need_tools()
    assert calls(folder) == 0


def pinned(file: str) -> dict[str, str]:
    return dict(re.findall(r"^([a-z][^=\s]*)==(\S+)", (REPOSITORY / file).read_text(), re.MULTILINE))


def test_both_files_name_the_same_versions():
    """pip would replace a reader's package by another version."""
    readers, tests = pinned("requirements.txt"), pinned("tests/requirements.txt")
    assert readers.keys() & tests.keys() >= {"rich", "packaging"}
    assert {name: tests[name] for name in tests if name in readers} == {
        name: readers[name] for name in readers if name in tests
    }
