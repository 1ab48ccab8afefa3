"""What if a disk is full, a snapshot cut short, or QEMU killed while one is made or taken in? Tried on
a cache of its own, so that a developer's stays whole."""

import os
import shutil
import signal
import subprocess
import threading
import time

import pytest

from host import image, parcel, snapshot, store
from host.paths import cache
from tests.vm.conftest import guests

pytestmark = pytest.mark.whole("machinery", why="boots, and makes a snapshot, three times")


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
    """The same with the image, and with a snapshot whose device state may be damaged."""
    kept, disk = the_developers
    (own_cache / disk.name).symlink_to(disk)
    copy = own_cache / kept.name
    copy.mkdir()
    os.link(kept / "ram", copy / "ram")  # restored guests map it privately
    for name in ("state", parcel.LIST, store.LIST):
        shutil.copy2(kept / name, copy)
    assert store.damage(copy) is None
    return copy


def kill_the_next_guest(found: list[int]) -> threading.Thread:
    """A thread that kills the first QEMU to appear that was not there before."""
    before = set(guests())

    def kill():
        deadline = time.monotonic() + 60
        while time.monotonic() < deadline:
            for pid in set(guests()) - before:
                os.kill(pid, signal.SIGKILL)
                found.append(pid)
                return
            time.sleep(0.005)

    thread = threading.Thread(target=kill)
    thread.start()
    return thread


def test_a_snapshot_cut_short_is_made_again_though_its_boot_is_killed(with_snapshot, lab, no_guest_left):
    with open(with_snapshot / "state", "r+b") as state:
        state.truncate(1000)
    killed = []
    killer = kill_the_next_guest(killed)
    answer = lab("shell", "--", "true")
    killer.join()
    assert killed and answer.returncode == 3, answer.stderr
    assert "1000 bytes" in answer.stderr and "Next:" in answer.stderr and "Traceback" not in answer.stderr
    assert store.damage(with_snapshot) == "missing"
    answer = lab("shell", "--", "echo", "whole")
    assert answer.stdout == "whole\n", answer.stderr
    assert store.damage(with_snapshot) is None
    lab("down")


def test_a_guest_killed_while_it_wakes_costs_neither_the_answer_nor_the_snapshot(with_snapshot, lab, no_guest_left):
    kept = store.making(with_snapshot)
    killed = []
    killer = kill_the_next_guest(killed)
    answer = lab("shell", "--", "echo", "awake")
    killer.join()
    assert killed and answer.stdout == "awake\n", answer.stderr
    assert store.making(with_snapshot) == kept
    lab("down")


@pytest.mark.skipif(os.getuid() != 0, reason="only root may mount a small file system")
def test_a_full_disk_is_named_and_leaves_nothing(own_cache, lab, tmp_path):
    small = tmp_path / "small"
    small.mkdir()
    subprocess.run(["mount", "-t", "tmpfs", "-o", "size=300m", "tmpfs", small], check=True)
    try:
        answer = lab("up", TMPDIR=str(small), timeout=500)
        assert answer.returncode == 3 and "the disk is full" in answer.stderr, answer.stderr
        assert "Next:" in answer.stderr and "Traceback" not in answer.stderr
        assert [path for path in small.iterdir()] == []
        assert not [path for path in own_cache.glob("image-*") if path.is_dir()]
    finally:
        subprocess.run(["umount", small], check=True)
