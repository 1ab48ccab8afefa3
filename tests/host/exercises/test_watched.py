"""Is a guest that an answer has broken told apart from one that is slow, or was stopped?"""

import contextlib
from concurrent.futures import Future
from dataclasses import replace
from types import SimpleNamespace

import pytest

from core.cases import exercise
from core.judge.check import RAN_ON
from host.exercises import judging
from host.vm.machine import GuestDied, GuestSilent
from tests.labs.judge.stored import failed


@pytest.fixture
def guest(tmp_path):
    """guest(*said): one that lives and says this when it is asked how long it was idle, in this order."""

    def made(*said: str) -> SimpleNamespace:
        left = iter(said)
        connection = SimpleNamespace(said=lambda command, most_bytes, deadline_s: next(left).encode())
        console = tmp_path / "console"
        console.touch()
        return SimpleNamespace(
            alive=lambda: True, survived=lambda status: True, console=console, folder=tmp_path, connection=connection
        )

    return made


def watched(guest: SimpleNamespace) -> dict:
    """The verdict on a judgement that is still under way at its deadline."""
    return judging._watch(guest, Future(), replace(exercise("splice-push/4"), deadline_s=0.3))


def test_a_judgement_that_still_computes_at_its_deadline_could_not_tell(guest):
    verdict = watched(guest("250.00 20.00\n", "280.00 26.50\n"))
    assert verdict["verdict"] == "COULD NOT TELL" and failed(verdict) == [RAN_ON]
    assert "idle for 6 of the last 30 s" in verdict["reasons"][0]


@pytest.mark.parametrize(
    "said",
    [
        ("250.00 20.00\n", "280.00 49.00\n"),  # an answer sleeps, and the judge waits for it
        ("250.00 20.00\n", ""),
        ("", "280.00 26.50\n"),
        ("250.00 20.00\n", "nan 0\n"),
    ],
)
def test_a_guest_that_is_idle_or_silent_at_its_deadline_is_broken(guest, said):
    verdict = watched(guest(*said))
    assert verdict["verdict"] == "FAIL" and failed(verdict) == ["kernel-lives"]


RCU = "rcu: INFO: rcu_preempt self-detected stall on CPU"
LOCKUP = "watchdog: BUG: soft lockup - CPU#0 stuck for 22s! [nginx:612]"
OOPS = "BUG: kernel NULL pointer dereference, address: 0000000000000018"


@pytest.mark.parametrize(
    "console, look_s, deserved, id",
    [
        ([RCU], 21.0, "COULD NOT TELL", RAN_ON),
        ([LOCKUP, RCU], 21.0, "COULD NOT TELL", RAN_ON),
        ([RCU], 0.2, "FAIL", "kernel-lives"),
        ([LOCKUP], 0.2, "FAIL", "kernel-lives"),
        ([OOPS], 21.0, "FAIL", "kernel-lives"),
        ([RCU, OOPS], 21.0, "FAIL", "kernel-lives"),
    ],
)
def test_a_kernel_that_stood_still_with_its_machine_could_not_tell(guest, monkeypatch, console, look_s, deserved, id):
    stopped, now = guest(), 0.0

    def wait(futures, timeout):
        nonlocal now
        now += look_s
        stopped.console.write_text(
            "".join(f"[  245.1] {line}\n" for line in [*console, "RIP: 0010:finish_task_switch"])
        )
        return SimpleNamespace(done=set())

    monkeypatch.setattr(judging, "wait", wait)
    monkeypatch.setattr(judging, "time", SimpleNamespace(monotonic=lambda: now))
    verdict = judging._watch(stopped, Future(), exercise("splice-push/4"))
    assert verdict["verdict"] == deserved and failed(verdict) == [id]
    assert console[0] in verdict["reasons"][0]


@pytest.mark.parametrize(
    "death, kept_s, deserved, id",
    [
        (GuestSilent("the guest did not answer in 60 s"), 40.0, "COULD NOT TELL", RAN_ON),
        (GuestSilent("the guest did not answer in 60 s"), 1.0, "FAIL", "guest-lives"),
        (GuestDied("QEMU died before the guest answered"), 40.0, "FAIL", "guest-lives"),
    ],
)
def test_an_answers_machine_that_does_not_wake_where_none_does_soon_could_not_tell(
    monkeypatch, death, kept_s, deserved, id
):
    now = 0.0

    @contextlib.contextmanager
    def throwaway(which):
        nonlocal now
        if which != "kept":
            raise death
        now += kept_s
        yield

    machine = SimpleNamespace(kept="kept")
    monkeypatch.setattr(judging.answer_machine, "machine", lambda *_: contextlib.nullcontext(machine))
    monkeypatch.setattr(judging.guests, "throwaway", throwaway)
    monkeypatch.setattr(judging, "time", SimpleNamespace(monotonic=lambda: now))
    verdict = judging.judge(exercise("rtl8139-tso/4"), "", "answer.toml")
    assert verdict["verdict"] == deserved and failed(verdict) == [id]
    assert death.message in verdict["reasons"][0]
