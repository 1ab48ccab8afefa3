"""What do the tests that need a VM share? A home of their own, so that a developer's VM, progress
and kernelspecs are left alone, and ./lab as a person would call it."""

import contextlib
import functools
import os
import signal
import subprocess
import tempfile
import time
from pathlib import Path

import pytest

from core.waiting import poll
from host.paths import REPOSITORY
from labs.errors import RAN_ON


@pytest.fixture(scope="session", autouse=True)
def own_run_folder(tmp_path_factory):
    """Sockets, progress and Jupyter's data of this test run; the cache is shared, it is pristine."""
    base = tmp_path_factory.mktemp("home")
    folder = tempfile.mkdtemp(prefix="packets-test-", dir="/tmp")  # short, for unix sockets
    values = {"LAB_RUN_DIR": folder, "XDG_DATA_HOME": str(base / "data"), "JUPYTER_DATA_DIR": str(base / "jupyter")}
    saved = {name: os.environ.get(name) for name in values}
    os.environ.update(values)
    from host import paths
    from host.testing import leftover, run

    with leftover.guests_end_with_us(Path(folder)):
        yield base
        if (lost := paths.lost_guests()).exists():  # of this cache: others are damaged on purpose
            (REPOSITORY / run.LOST_GUESTS_FILE).parent.mkdir(parents=True, exist_ok=True)
            with open(REPOSITORY / run.LOST_GUESTS_FILE, "a") as file:
                file.write(lost.read_text())
    for name, value in saved.items():
        if value is None:
            del os.environ[name]
        else:
            os.environ[name] = value


@pytest.fixture(scope="session", autouse=True)
def ctrl_c_is_heard():
    """A job that a shell started in the background ignores Ctrl-C, and hands that down to what it starts."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


@pytest.fixture
def lab():
    """Call ./lab with these words; returns the finished process with its text output."""

    def call(*words, input=None, timeout=900, cwd=REPOSITORY, **environment):
        return subprocess.run(
            [REPOSITORY / "lab", *words],
            capture_output=True,
            text=True,
            input=input,
            timeout=timeout,
            cwd=cwd,
            env={**os.environ, **environment},
        )

    return call


# Ids of checks that a machine may be why of, which did not hold still. Of the answers that the tests know none does by
# chance what the last three are about.
THE_MACHINES = {RAN_ON, "fast", "in-time", "no-sleep"}


def held_up(verdict: dict) -> bool:
    """Whether a judge says that the machine did not hold still. A judge that failed, or printed something else, could
    not tell either, and that is a defect: it is not tried again."""
    return verdict["verdict"] == "COULD NOT TELL" and verdict["checks"][-1]["id"] in THE_MACHINES


def lost(why: str) -> None:
    """Write down that something says nothing of the code, see host/testing/run.py."""
    from host import paths

    with open(paths.lost_guests(), "a") as file:
        file.write(f"{os.environ.get('PYTEST_CURRENT_TEST', '').split(' ')[0]}: {why}\n")


def qemu_pids() -> list[int]:
    """The process ids of the QEMUs of this test run."""
    marker = os.environ["LAB_RUN_DIR"].encode()
    found = []
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            command = (folder / "cmdline").read_bytes()
        except OSError:
            continue
        if b"qemu-system" in command.split(b"\0")[0] and marker in command:
            found.append(int(folder.name))
    return found


def asked(words: str) -> bool:
    """Whether a guest of this test run has been asked for this, "labs run frag-needed" say: before that, it is only
    waking, and who connects to it too early waits for seconds."""
    marker = os.environ["LAB_RUN_DIR"].encode()
    for process in Path("/proc").glob("[0-9]*"):
        with contextlib.suppress(OSError):
            call = (process / "cmdline").read_bytes()
            if marker in call and words.encode() in call:
                return True
    return False


@functools.cache
def wake_s() -> float:
    """What a guest took to wake at the begin of this run, on this machine, as busy as it is."""
    from host.vm import guests

    began = time.monotonic()
    with guests.throwaway():
        return time.monotonic() - began


@pytest.fixture(scope="session", autouse=True)
def measured_at_first(own_run_folder):
    """Not in the middle of a test: a new guest's first act is to end those that were left behind."""
    wake_s()


def wait_until(condition, wakes: int = 40) -> None:
    """Until this holds; an error when so many guests could have woken meanwhile."""
    assert poll(condition, wakes * wake_s(), 0.05), f"not after {wakes * wake_s():.0f} s"


@pytest.fixture
def no_guest_left():
    """After the test no QEMU runs that did not run before it."""
    before = set(qemu_pids())
    yield
    assert set(qemu_pids()) <= before
