"""What if a snapshot is cut short, or QEMU killed while one is made or taken in? Tried on a cache of its own, so that
a developer's stays whole."""

import contextlib
import os
import shutil
import signal
import threading

import pytest

from host import store
from host.paths import cache
from host.vm import guests, image, labs_sync, machine, snapshot
from tests.vm.conftest import qemu_pids

pytestmark = pytest.mark.part("machinery", why="boots, and makes a snapshot, three times")


@pytest.fixture
def own_cache(tmp_path, monkeypatch):
    """A cache that shares the big things that nobody writes, and has no image and no snapshot."""
    shared = cache()
    folder = tmp_path / "cache" / shared.name
    folder.mkdir(parents=True, mode=0o700)
    for entry in shared.iterdir():
        if entry.name.startswith(("environment", "keys-")) and not entry.name.endswith(".lock"):
            (folder / entry.name).symlink_to(entry)
    for verdict in shared.glob("acceleration*.json"):
        shutil.copy(verdict, folder)
    monkeypatch.setenv("XDG_CACHE_HOME", str(folder.parent))
    yield folder
    for remains in (*folder.glob("snapshot-*"), *folder.glob("image-*")):
        if remains.is_dir() and not remains.is_symlink():
            shutil.rmtree(remains)


@pytest.fixture
def the_developers():
    """The snapshot and the image that there are, in whatever cache this test run uses."""
    return snapshot.snapshot(), image.image().folder


@pytest.fixture
def with_snapshot(the_developers, own_cache):
    """A cache of its own with the image, and with a snapshot whose device state may be damaged."""
    kept, disk = the_developers
    (own_cache / disk.name).symlink_to(disk)
    copy = own_cache / kept.name
    copy.mkdir()
    snapshot._copied(kept / "ram", copy / "ram")
    shutil.copystat(kept / "ram", copy / "ram")
    for name in ("state", labs_sync.LIST, snapshot.KEPT_AS, store.LIST):
        shutil.copy2(kept / name, copy)
    assert store.damage(copy) is None
    return copy


@contextlib.contextmanager
def killing_the_next_guest():
    """For the length of the block, the first QEMU to appear that was not there before is killed; a list with its id."""
    before, found, over = set(qemu_pids()), [], threading.Event()

    def kill():
        while not found and not over.wait(0.005):
            for pid in list(set(qemu_pids()) - before)[:1]:
                os.kill(pid, signal.SIGKILL)
                found.append(pid)

    thread = threading.Thread(target=kill)
    thread.start()
    try:
        yield found
    finally:
        over.set()
        thread.join()


def test_a_snapshot_cut_short_is_remade_though_a_boot_is_killed(with_snapshot, lab, no_guest_left):
    with open(with_snapshot / "state", "r+b") as state:
        state.truncate(1000)
    with killing_the_next_guest() as killed:
        answer = lab("shell", "--", "true")
    assert killed and answer.returncode == 3, answer.stderr
    assert "1000 bytes" in answer.stderr and "Next:" in answer.stderr and "Traceback" not in answer.stderr
    assert store.damage(with_snapshot) == "missing"
    answer = lab("shell", "--", "echo", "whole")
    assert answer.stdout == "whole\n", answer.stderr
    assert store.damage(with_snapshot) is None
    lab("down")


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGSTOP], ids=["killed", "stopped"])
def test_a_guest_lost_at_waking_costs_no_answer_and_no_snapshot(with_snapshot, monkeypatch, no_guest_left, number):
    kept, started, before = store.generation(with_snapshot), [], set(qemu_pids())
    start = machine.start

    def first_is_lost(*words):
        started.append(start(*words))
        if len(started) == 1:
            (qemu,) = set(qemu_pids()) - before
            os.kill(qemu, number)
        return started[-1]

    monkeypatch.setattr(machine, "start", first_is_lost)
    monkeypatch.setattr(snapshot, "MONITOR_DEADLINE_S", 20)
    with guests.throwaway() as guest:
        assert guest.connection.run(["echo", "awake"], capture_output=True, text=True).stdout == "awake\n"
    assert len(started) == 2 and store.generation(with_snapshot) == kept
