"""What may an answer do without harm? Everything: it is judged in a guest of its own."""

import json
import os
import signal
import subprocess
import time

import pytest

from core import cases
from core.statuses import VERDICTS
from tests.guest.conclusive import conclusive
from tests.labs.judge.stored import failed
from tests.vm.conftest import REPOSITORY, asked, held_up, lost, qemu_pids

SOLUTION = cases.exercise("frag-needed/1").solution


@pytest.fixture
def check(lab, tmp_path, no_guest_left):
    """Judge this text as an answer to frag-needed/1; returns exit status and verdict."""

    def judged(text: str):
        file = tmp_path / "my answer.sh"
        file.write_bytes(text.encode())
        answer = lab("check", "frag-needed/1", str(file), "--json")
        assert file.read_bytes() == text.encode(), "the reader's file was touched"
        verdict = json.loads(answer.stdout)
        assert answer.returncode == VERDICTS[verdict["verdict"]]
        return verdict

    return lambda text: conclusive(lambda: judged(text), held_up, lost)


def test_empty_fails(check):
    verdict = check("")
    assert verdict["verdict"] == "FAIL" and failed(verdict)[0] == "answered"


@pytest.mark.part("machinery")
def test_crlf_is_judged_all_the_same_and_said(check):
    verdict = check(SOLUTION.read_text().replace("\n", "\r\n"))
    assert verdict["verdict"] == "PASS" and "CRLF" in verdict["notes"][0]


@pytest.mark.part("machinery", why="sleeps out the deadline of an answer")
def test_one_that_never_ends_is_ended(check):
    verdict = check("while :; do :; done\n")
    assert verdict["verdict"] == "FAIL" and failed(verdict) == ["in-time"]


@pytest.mark.part("machinery")
def test_an_answer_that_leaves_processes_is_judged_by_its_deeds(check):
    left = "sleep 10000 &\n(trap '' TERM HUP; exec 0<&- 1>&- 2>&-; sleep 10000) &\ndisown -a\n"
    assert check(SOLUTION.read_text() + left)["verdict"] == "PASS"
    assert check(left)["verdict"] == "FAIL"


@pytest.mark.part("machinery")
def test_one_that_deletes_the_interfaces_fails(check):
    verdict = check("on client ip link delete client-eth0\n")
    assert verdict["verdict"] == "FAIL" and "requests-answered" in failed(verdict)


def test_an_answer_that_would_power_off_is_judged_as_any_other(check):
    """What becomes of a guest that an answer does end, test_c_answers.py shows."""
    verdict = check("echo o >/proc/sysrq-trigger\n")
    assert verdict["verdict"] == "FAIL" and "no-stall-direct-b" in failed(verdict)


@pytest.mark.part("machinery")
def test_what_it_writes_stays_in_the_guest(check, tmp_path):
    target = tmp_path / "written"
    verdict = check(f"mkdir -p {tmp_path} && echo mine >{target} && cat {target} && false\n")
    assert failed(verdict)[0] == "exit-status" and "mine" in verdict["reasons"][0], (
        "it was written where the answer ran"
    )
    assert not target.exists()


@pytest.mark.part("machinery")
def test_a_command_that_fails_is_quoted(check):
    verdict = check("on client ip route add nonsense\n")
    assert verdict["verdict"] == "FAIL"
    assert failed(verdict)[0] == "exit-status" and '"nonsense"' in verdict["reasons"][0]


@pytest.mark.part("machinery")
def test_an_unknown_host_is_named_with_the_known(check):
    verdict = check("on sidecar true\n")
    assert "client balancer server" in verdict["reasons"][0]


@pytest.fixture
def judged(tmp_path, no_guest_left):
    """`./lab check` of an answer that sleeps, under way in a guest of its own: the process and QEMU's id."""
    before = set(qemu_pids())
    file = tmp_path / "answer.sh"
    file.write_text("sleep 1000\n")
    process = subprocess.Popen(
        [REPOSITORY / "lab", "check", "frag-needed/1", file, "--json"],
        start_new_session=True,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    try:
        while not asked("labs check frag-needed/1") and process.poll() is None:
            time.sleep(0.02)
        assert process.poll() is None, process.communicate()
        yield process, (set(qemu_pids()) - before).pop()
    finally:
        process.kill()
        process.communicate()


def test_ctrl_c_during_a_check_leaves_nothing(judged):
    process, qemu = judged
    os.killpg(process.pid, signal.SIGINT)
    _, said = process.communicate(timeout=300)
    assert process.returncode == 130 and "interrupted" in said and "Traceback" not in said
    assert qemu not in qemu_pids()


@pytest.mark.part("machinery")
@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGTERM], ids=lambda number: number.name)
def test_an_answer_whose_qemu_we_lose_is_not_blamed_for_it(judged, number):
    process, qemu = judged
    os.kill(qemu, number)
    verdict = json.loads(process.communicate(timeout=300)[0])
    assert verdict["verdict"] == "COULD NOT TELL" and failed(verdict) == ["guest-lives"]
    assert process.returncode == VERDICTS["COULD NOT TELL"]
