"""Is what nobody uses found in the cache, and does nothing else go?"""

import fcntl
import os
import subprocess
import sys

import pytest

from host import cache, paths


@pytest.fixture(autouse=True)
def kept(tmp_path, monkeypatch):
    """kept(name, used) is a folder of the cache that was used last at that time."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))

    def keep(name, used=0):
        folder = paths.cache() / name
        folder.mkdir()
        (folder / "large").write_bytes(bytes(3 << 20))
        os.utime(folder, (used, used))
        return folder

    return keep


def left():
    return {folder.name for folder in paths.cache().iterdir() if folder.is_dir()}


def test_of_each_kind_what_was_used_last_stays(kept):
    old, new = f"image-{'0' * 16}", f"image-{'1' * 16}"
    others = {f"image-6.12-{'0' * 16}", "environment-0123456789ab", "keys-ed25519", "jupyter"}
    for name in (old, new, *others):
        kept(name, used=2 if name == new else 1)
    (found,) = [each for each in cache.listing() if not each.stays]
    assert (found.name, found.mib) == (old, 3) and f"of which {found.mib} MiB may go" in cache.text(cache.listing())
    assert cache.remove() == [old] and left() == {new, *others}
    assert "--remove" not in cache.text(cache.listing())


def test_what_a_process_uses_stays(kept):
    """A QEMU names its disk; a ./lab holds a lock on its environment, and so does all that it starts."""
    disk, environment = kept(f"image-{'0' * 16}"), kept("environment-0123456789ab")
    kept(f"image-{'1' * 16}", used=1), kept("environment-ba9876543210", used=1)
    lock = os.open(environment, os.O_RDONLY)
    fcntl.flock(lock, fcntl.LOCK_SH)
    waiting = [
        sys.executable,
        "-c",
        "print(flush=True); input()",
        f"file={paths.in_option(disk)}/disk.squashfs,format=raw",
    ]
    with subprocess.Popen(waiting, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        process.stdout.readline()  # it runs
        assert {each.stays for each in cache.listing()} == {"used last", "in use"} and cache.remove() == []
        process.communicate(b"\n")
    os.close(lock)
    assert cache.remove() == [environment.name, disk.name]


def test_what_was_left_half_made_goes_though_it_is_the_newest(kept):
    whole = kept(f"image-{'1' * 16}", used=1)
    half_made = [kept(f"{kind}-{'0' * 16}.part", used=2).name for kind in ("image", "image-6.12")]
    assert sorted(cache.remove()) == half_made and left() == {whole.name}


def test_one_that_is_used_meanwhile_stays(kept, monkeypatch):
    """Between the look and the removal another ./lab goes back to the older one."""
    older, newer = kept(f"image-{'0' * 16}"), kept(f"image-{'1' * 16}", used=1)
    locked = cache.store.locked

    def used_before(kind):
        os.utime(older)
        return locked(kind)

    monkeypatch.setattr(cache.store, "locked", used_before)
    assert cache.remove() == [newer.name] and left() == {older.name}
