"""Does every case reproduce, by its mechanism, each time?"""

import json
import os
import signal
import subprocess
import time

import pytest

from host import cases, paths
from host.vm.machine import Guest
from tests.vm.conftest import REPOSITORY, asked, guests

CASES = list(cases.cases())
TIMES_IN_A_ROW = 20


def in_part(name: str):
    """This case's name, for a test of its part."""
    return pytest.param(name, marks=pytest.mark.whole(name, why="the base has the same run with --json"))


@pytest.mark.parametrize("name", map(in_part, CASES))
def test_run_for_a_person_reproduces_and_fits_a_terminal(lab, name):
    answer = lab("run", name)
    assert answer.returncode == 0, answer.stdout
    assert max(map(len, answer.stdout.splitlines())) <= 80


@pytest.mark.parametrize("name", CASES)
def test_no_frame_of_the_story_is_missing(lab, name):
    answer = lab("trace", name, "--json")
    found = json.loads(answer.stdout)
    assert answer.returncode == 0, found["reasons"]


def reproduces(lab, name):
    answer = lab("run", name, "--json")
    assert answer.returncode == 0, f"{answer.stdout} {answer.stderr}"
    found = json.loads(answer.stdout)  # one object, and nothing else
    assert found["reproduced"] and found["reasons"]


@pytest.mark.parametrize("name", CASES)
def test_it_reproduces(lab, name):
    reproduces(lab, name)


@pytest.mark.parametrize("number", range(1, TIMES_IN_A_ROW + 1))
@pytest.mark.parametrize("name", map(in_part, CASES))
def test_it_reproduces_every_time(lab, name, number):
    reproduces(lab, name)


def in_the_workload(guest: Guest) -> bool:
    """Whether the case has its hosts in this guest: before that, it only imports."""
    try:
        return guest.connection.run(["sh", "-c", "ls -d /tmp/lab-*"], capture_output=True).returncode == 0
    except FileNotFoundError:  # of its folder: it has been ended
        return False


def the_guest(pid: int) -> Guest:
    """The guest of this process id; it is written down soon after QEMU was started."""
    while True:
        for folder in paths.run().glob("guest-*"):
            if (guest := Guest.saved(folder)) and guest.pid == pid:
                return guest
        time.sleep(0.02)


@pytest.fixture
def running():
    """`./lab run frag-needed`, under way in a guest of its own: the process and QEMU's id."""
    before = set(guests())
    process = subprocess.Popen(
        [REPOSITORY / "lab", "run", "frag-needed"],
        start_new_session=True,
        text=True,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    while not asked("labs run frag-needed") and process.poll() is None:
        time.sleep(0.02)
    qemu = (set(guests()) - before).pop()
    guest = the_guest(qemu)
    while not in_the_workload(guest) and process.poll() is None:
        pass
    assert process.poll() is None, process.communicate()
    yield process, qemu
    process.communicate(timeout=300)
    assert set(guests()) <= before


def test_ctrl_c_in_the_middle_of_a_run_ends_everything(running, lab):
    process, qemu = running
    os.killpg(process.pid, signal.SIGINT)
    said = process.communicate(timeout=300)[1]
    assert qemu not in guests(), "the next ./lab would end it, which no reader may ever call"
    assert process.returncode == 130 and "interrupted" in said and "Traceback" not in said
    assert lab("run", "frag-needed", "--json").returncode == 0


def test_qemu_killed_in_the_middle_of_a_run_is_said(running):
    process, qemu = running
    os.kill(qemu, signal.SIGKILL)
    said = process.communicate(timeout=300)[1]
    assert process.returncode == 3 and "QEMU died" in said and "Next: ./lab run" in said
