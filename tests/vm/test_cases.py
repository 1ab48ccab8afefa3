"""Does every case reproduce, by its mechanism, each time?"""

import contextlib
import json
import os
import signal
import subprocess
import time
from pathlib import Path

import pytest

from host import cases
from tests.vm.conftest import ALL, REPOSITORY, guests

CASES = list(cases.cases())
TIMES_IN_A_ROW = 20 if ALL else 1


@pytest.mark.parametrize("name", CASES)
def test_run_for_a_person_reproduces_and_fits_a_terminal(lab, name):
    answer = lab("run", name)
    assert answer.returncode == 0, answer.stdout
    assert max(map(len, answer.stdout.splitlines())) <= 80


@pytest.mark.parametrize("name", CASES)
def test_no_frame_of_the_story_is_missing(lab, name):
    answer = lab("trace", name, "--json")
    found = json.loads(answer.stdout)
    assert answer.returncode == 0, found["reasons"]


@pytest.mark.parametrize("name", CASES)
@pytest.mark.timeout(7200)
def test_it_reproduces_every_time(lab, name):
    for number in range(1, TIMES_IN_A_ROW + 1):
        answer = lab("run", name, "--json")
        assert answer.returncode == 0, f"run {number}: {answer.stdout} {answer.stderr}"
        found = json.loads(answer.stdout)  # one object, and nothing else
        assert found["reproduced"] and found["reasons"]


def in_the_guest() -> bool:
    """Whether a guest of this test run has been asked to run the case: before that, it is only waking."""
    marker = os.environ["LAB_RUN_DIR"].encode()
    for process in Path("/proc").glob("[0-9]*"):
        with contextlib.suppress(OSError):
            call = (process / "cmdline").read_bytes()
            if marker in call and b"labs run frag-needed" in call:
                return True
    return False


@pytest.fixture
def running():
    """`./lab run frag-needed`, under way in a guest of its own: the process and QEMU's id."""
    before = set(guests())
    process = subprocess.Popen(
        [REPOSITORY / "lab", "run", "frag-needed"], start_new_session=True, text=True,
        stdout=subprocess.PIPE, stderr=subprocess.PIPE,
    )
    while not in_the_guest() and process.poll() is None:
        time.sleep(0.02)
    time.sleep(2)  # into the workload, wherever that is by now
    yield process, (set(guests()) - before).pop()
    process.communicate(timeout=300)
    assert set(guests()) <= before


def test_ctrl_c_in_the_middle_of_a_run_ends_everything(running, lab):
    process, _ = running
    os.killpg(process.pid, signal.SIGINT)
    said = process.communicate(timeout=300)[1]
    assert process.returncode == 130 and "interrupted" in said and "Traceback" not in said
    assert lab("run", "frag-needed", "--json").returncode == 0


def test_qemu_killed_in_the_middle_of_a_run_is_said(running):
    process, qemu = running
    os.kill(qemu, signal.SIGKILL)
    said = process.communicate(timeout=300)[1]
    assert process.returncode == 3 and "QEMU died" in said and "Next: ./lab run" in said
