"""Does installing a package ask for a password only where sudo does? In the place of sudo is a program of ours."""

import os
import stat
import sys

import pytest

from host.debian import installed
from host.errors import LabError

# It notes how it is called. Where it ASKS, it refuses to do anything with -n, as sudo does where a password is needed.
SUDO = """#!/bin/sh
echo "$*" >>FOLDER/calls
case "$1" in
-n) ASKS && { echo "sudo: a password is required" >&2; exit 1; }; shift; exec "$@" ;;
-v) echo "Password:" >&2 ;;
*) touch FOLDER/installed ;;
esac
"""


@pytest.fixture
def sudo(tmp_path, monkeypatch):
    """sudo(asks=…, terminal=…) is how this machine's sudo behaves, and whether a person can answer; what it returns
    gives the calls of sudo so far."""

    def behaves(asks: bool, terminal: bool):
        programs = {"sudo": SUDO.replace("ASKS", str(asks).lower()), "id": "#!/bin/sh\necho 1000\n"}
        for name, text in programs.items():
            (tmp_path / name).write_text(text.replace("FOLDER", str(tmp_path)))
            (tmp_path / name).chmod(stat.S_IRWXU)
        monkeypatch.setenv("PATH", str(tmp_path), prepend=":")
        monkeypatch.setattr(os, "getuid", lambda: 1000)
        monkeypatch.setattr(sys.stdin, "isatty", lambda: terminal, raising=False)
        monkeypatch.setattr(installed, "_there", lambda name: (tmp_path / "installed").exists())
        return lambda: (tmp_path / "calls").read_text().splitlines()

    return behaves


@pytest.mark.parametrize("terminal", [True, False])
def test_where_sudo_asks_for_nothing_it_says_nothing(sudo, capfd, terminal):
    """As on a cloud's images: the user has NOPASSWD, and no password."""
    calls = sudo(asks=False, terminal=terminal)
    installed.need("bwrap")
    assert not [call for call in calls() if call.startswith("-v")] and "apt-get install" in calls()[-1]
    assert "assword" not in capfd.readouterr().err


def test_where_it_asks_the_password_comes_before_the_progress_line(sudo, capfd):
    calls = sudo(asks=True, terminal=True)
    installed.need("bwrap")
    assert calls()[1] == "-v" and "apt-get install" in calls()[-1]
    assert "sudo: a password is required" not in capfd.readouterr().err


def test_where_it_asks_and_nobody_can_answer_the_command_is_said(sudo):
    calls = sudo(asks=True, terminal=False)
    with pytest.raises(LabError, match="bubblewrap"):
        installed.need("bwrap")
    assert calls() == ["-n true"]


def test_without_sudo_the_command_is_said(sudo, tmp_path, monkeypatch):
    sudo(asks=False, terminal=True)
    monkeypatch.setattr(installed.shutil, "which", lambda name, path=None: None)
    with pytest.raises(LabError) as error:
        installed.need("bwrap")
    assert "apt-get install" in error.value.next and not (tmp_path / "calls").exists()
