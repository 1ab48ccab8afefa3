"""Does every case reproduce, by its mechanism, each time?"""

import contextlib
import json
import os
import signal
import subprocess
import time

import pytest

from core import cases
from host import locks, paths
from host.vm import image
from host.vm.machine import Guest
from tests.guest.conclusive import conclusive
from tests.vm.conftest import REPOSITORY, asked, lost, qemu_pids

CASES = list(cases.cases())
TIMES_IN_A_ROW = 20


# Of the machine, and nothing that a change of ours can bring about: it stood still, or its processor had so much to do
# that the kernel left softirqs to a thread (IN_A_THREAD in frag_needed/tracing.py).
THE_MACHINES = "stood still", "the processor was busy"


def could_not_tell(answer) -> bool:
    """Whether the machine was to blame: an instrument that loses something could not tell either, and is a defect."""
    said = answer.stdout + answer.stderr
    return answer.returncode == 4 and any(reason in said for reason in THE_MACHINES)


def in_part(name: str, why: str = "the base has the same run with --json"):
    """A case's name, for a test of its part."""
    return pytest.param(name, marks=pytest.mark.part(name, why=why))


@pytest.mark.parametrize("name", map(in_part, CASES))
def test_run_for_a_person_reproduces_and_fits_a_terminal(lab, name):
    answer = conclusive(lambda: lab("run", name), could_not_tell, lost)
    assert answer.returncode == 0, answer.stdout
    assert max(map(len, answer.stdout.splitlines())) <= 80


@pytest.mark.parametrize("name", [CASES[0], *(in_part(name, "the base traces one case") for name in CASES[1:])])
def test_no_frame_of_the_story_is_missing(lab, name):
    answer = conclusive(lambda: lab("trace", name, "--json"), could_not_tell, lost)
    found = json.loads(answer.stdout)
    assert answer.returncode == 0, (found["reasons"], [stack for stack in found["stacks"] if not stack["ok"]])


def reproduces(lab, name):
    answer = conclusive(lambda: lab("run", name, "--json"), could_not_tell, lost)
    assert answer.returncode == 0, f"{answer.stdout} {answer.stderr}"
    found = json.loads(answer.stdout)  # one object, and nothing else
    assert found["reproduced"] and found["reasons"]


@pytest.mark.parametrize("name", CASES)
def test_it_reproduces(lab, name):
    reproduces(lab, name)


@pytest.mark.parametrize("verb", ["run", "trace"])
def test_it_happens_in_the_same_way_on_every_kernel_built(lab, verb):
    for linux in image.kernels():
        if not linux.is_the_books and image.is_built(linux):
            answer = conclusive(lambda: lab(verb, CASES[0], "--json", "--kernel", linux.name), could_not_tell, lost)
            found = json.loads(answer.stdout)
            assert answer.returncode == 0, (linux.name, found["reasons"], found.get("stacks"))


@pytest.mark.parametrize("number", range(1, TIMES_IN_A_ROW + 1))
@pytest.mark.parametrize("name", map(in_part, CASES))
def test_it_reproduces_every_time(lab, name, number):
    reproduces(lab, name)


@pytest.mark.parametrize("name", map(in_part, CASES))
def test_rounds_are_counted_and_their_distribution_is_said(lab, name):
    answer = conclusive(
        lambda: lab("run", name, "--rounds", "2", "--json"), could_not_tell, lost
    )  # if neither of the two could
    found = json.loads(answer.stdout)
    assert answer.returncode == 0, found["reasons"]
    counts, figures = found["counts"], found["figures"]
    assert counts["reproduced"] == len(figures) > 0 and sum(counts.values()) == len(found["runs"]) == 2, counts
    assert (found["spread"]["min"], found["spread"]["max"]) == (min(figures), max(figures))


def in_the_workload(guest: Guest) -> bool:
    """Whether the case has its hosts in this guest: before that, it only imports."""
    try:
        return guest.connection.run(["sh", "-c", "ls -d /tmp/lab-*"], capture_output=True).returncode == 0
    except FileNotFoundError:  # of its folder: it has been ended
        return False


def the_guest(pid: int) -> Guest:
    """The guest of the QEMU of this process id; it is written down soon after that was started."""
    while True:
        for folder in paths.run().glob("guest-*"):
            if (guest := Guest.saved(folder)) and pid in locks.processes_in(folder):
                return guest
        time.sleep(0.02)


@pytest.fixture
def running():
    """`./lab run frag-needed`, under way in a guest of its own: the process and QEMU's id."""
    before = set(qemu_pids())
    process = subprocess.Popen(
        [REPOSITORY / "lab", "run", "frag-needed"],
        start_new_session=True,
        text=True,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    while not asked("labs run frag-needed") and process.poll() is None:
        time.sleep(0.02)
    qemu = (set(qemu_pids()) - before).pop()
    guest = the_guest(qemu)
    while not in_the_workload(guest) and process.poll() is None:
        pass
    assert process.poll() is None, process.communicate()
    yield process, qemu
    process.communicate(timeout=300)
    assert set(qemu_pids()) <= before


def test_ctrl_c_in_the_middle_of_a_run_ends_everything(running, lab):
    process, qemu = running
    os.killpg(process.pid, signal.SIGINT)
    said = process.communicate(timeout=300)[1]
    assert qemu not in qemu_pids(), "the next ./lab would end it, which no reader may ever call"
    assert process.returncode == 130 and "interrupted" in said and "Traceback" not in said
    assert lab("run", "frag-needed", "--json").returncode == 0


def test_a_machine_that_stands_still_repeatedly_could_not_tell(running):
    """The guest's processor is taken away three times as long as a round may be held up, and given back for a while."""
    process, qemu = running
    while process.poll() is None:
        for how, length_s in ((signal.SIGSTOP, 0.08), (signal.SIGCONT, 0.08)):
            with contextlib.suppress(ProcessLookupError):  # ./lab has ended it in this moment, and is about to end
                os.kill(qemu, how)
            time.sleep(length_s)
    said = process.communicate()[0]
    assert process.returncode == 4 and "COULD NOT TELL" in said and "NOT reproduced" not in said, said


def test_qemu_killed_in_the_middle_of_a_run_is_said(running):
    process, qemu = running
    os.kill(qemu, signal.SIGKILL)
    said = process.communicate(timeout=300)[1]
    assert process.returncode == 3 and "QEMU died" in said and "Next: ./lab run" in said
