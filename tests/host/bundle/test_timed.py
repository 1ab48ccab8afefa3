"""Does the time of a first start end with JupyterLab's address, and does nothing that was started stay?"""

import stat
from pathlib import Path

import pytest

from core.waiting import poll
from host.bundle import first_start
from host.errors import LabError

LAB = """#!/bin/sh
echo "$1" "$XDG_CACHE_HOME" >>FOLDER/calls
[ "$1" = start ] || exit
echo "$$" >FOLDER/pid
echo 'JupyterLab: starting; its address, with a token, follows' >&2
LATER
echo 'the end' >&2
"""
ADDRESS = "echo 'http://127.0.0.1:8888/lab/tree/x.ipynb?token=ab' >&2; exec sleep 60"


@pytest.fixture
def lab(tmp_path):
    """lab(later): a script in the place of ./lab."""

    def lab(later):
        (tmp_path / "lab").write_text(LAB.replace("FOLDER", str(tmp_path)).replace("LATER", later))
        (tmp_path / "lab").chmod(stat.S_IRWXU)
        return tmp_path / "lab"

    return lab


def ended(tmp_path) -> bool:
    return not Path("/proc", (tmp_path / "pid").read_text().strip()).exists()


def test_it_ends_with_the_address_and_the_lab_goes_down_in_the_same_cache(lab, tmp_path):
    assert 0 < first_start.seconds(lab=lab(ADDRESS)) < 60
    assert poll(lambda: ended(tmp_path), 10, 0.05)
    (start, first), (down, then) = (line.split() for line in (tmp_path / "calls").read_text().splitlines())
    assert (start, down) == ("start", "down") and first == then


def test_one_that_does_not_hear_the_first_signal_ends_too(lab, tmp_path):
    """It prints its address, and listens to signals a moment later."""
    deaf = "python3 -c 'import signal as s; s.signal(s.SIGTERM, lambda *_: s.signal(s.SIGTERM, s.SIG_DFL))"
    later = f'exec {deaf}\nimport sys\nprint("http://127.0.0.1:8888/lab?token=ab", file=sys.stderr, flush=True)'
    assert 0 < first_start.seconds(lab=lab(f"{later}\nwhile True: s.pause()'")) < 60
    assert poll(lambda: ended(tmp_path), 10, 0.05)


def test_one_that_ends_without_an_address_says_what_it_said_last(lab, tmp_path):
    with pytest.raises(LabError, match="at last: the end"):
        first_start.seconds(lab=lab("true"))
    assert "down" in (tmp_path / "calls").read_text()
