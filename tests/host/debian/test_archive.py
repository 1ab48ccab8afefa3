"""Is what a call to the archive fails for told in one line?"""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from host.debian import archive
from host.paths import REPOSITORY


def test_the_first_error_is_the_cause():
    assert archive.run(["sh", "-c", "echo W: slow >&2; echo E: no such package >&2; echo E: so >&2; exit 100"]) == (
        False,
        "E: no such package",
    )


def test_without_an_error_line_it_is_the_last_words():
    assert archive.run(["sh", "-c", "echo killed >&2; exit 1"]) == (False, "killed\n")


def test_what_went_well_is_done():
    assert archive.run(["true"])[0]


def test_files_come_out_into_a_folder_of_any_name():
    assert "--customize-hook=copy-out /source '/a b/c'" in archive.by_apt("bookworm", "true", "source", Path("/a b/c"))


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGTERM], ids=lambda number: number.name)
def test_whatever_ends_us_tells_it_to_end(tmp_path, number):
    """In the place of mmdebstrap is a shell that says so."""
    shell = f"trap 'touch {tmp_path}/told; exit' TERM; touch {tmp_path}/began; for i in $(seq 600); do sleep 0.1; done"
    program = (
        "from host import commands; from host.debian import archive; commands.end_as_by_ctrl_c(); "
        f"archive.run(['sh', '-c', {shell!r}])"
    )
    process = subprocess.Popen([sys.executable, "-P", "-c", program], env=os.environ | {"PYTHONPATH": str(REPOSITORY)})
    try:
        wait_for(tmp_path / "began")
        process.send_signal(number)
        assert process.wait(30) == (-number if number == signal.SIGKILL else 128 + number)
        wait_for(tmp_path / "told")
    finally:
        process.kill()


def wait_for(file):
    until = time.monotonic() + 30
    while not file.exists():
        assert time.monotonic() < until
        time.sleep(0.01)
