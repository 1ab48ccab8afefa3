"""Does a bundle bring the very folders that were packed, whole or not at all? Are the same folders the same file?"""

import io
import os
import re
import subprocess
import tarfile

import pytest

from host import store
from host.bundle import write
from host.errors import LabError
from host.paths import REPOSITORY

TAKE = REPOSITORY / "host/bundle/take.sh"
KEPT = "thing-0123456789abcdef"


@pytest.fixture
def packed(tmp_path):
    """A bundle of a folder as the store keeps one, with what is found in such: a program, a link, an empty file, a name
    with a space; and of a site."""
    folder, site = tmp_path / KEPT, tmp_path / write.SITE
    for path, content in {"disk": b"d" * 5000, "build/run": b"#!/bin/sh\n", "build/with a space": b""}.items():
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_bytes(content)
    (folder / "build/run").chmod(0o755)
    (folder / "build/link").symlink_to("run")
    store._write_list(folder, [folder / "disk", folder / "build/run"])
    site.mkdir()
    (site / "index.html").write_text("the book")
    write.pack([folder, site], tmp_path / "bundle")
    return tmp_path / "bundle"


@pytest.fixture
def take(tmp_path):
    """take(file) has take.sh take that into the cache `taken`."""

    def take(file) -> subprocess.CompletedProcess[str]:
        return subprocess.run(["sh", TAKE, file, tmp_path / "taken"], capture_output=True, text=True)

    return take


def test_what_is_taken_is_whole_for_the_store(packed, take, tmp_path):
    done, taken = take(packed), tmp_path / "taken" / KEPT
    assert done.returncode == 0 and "taken/site/index.html" in done.stderr
    assert store.damage(taken) is None and os.access(taken / "build/run", os.X_OK)
    assert os.readlink(taken / "build/link") == "run" and (taken / "build/with a space").exists()
    assert (tmp_path / "taken/site/index.html").read_text() == "the book"
    assert {path.name for path in (tmp_path / "taken").iterdir()} == {KEPT, write.SITE, "bundle.lock"}


def test_what_is_there_already_stays(packed, take, tmp_path):
    take(packed)
    (tmp_path / "taken" / KEPT / "build/mine").touch()
    again = take(packed)
    assert again.returncode == 0 and again.stderr == ""
    (tmp_path / "taken/site/index.html").unlink()
    (tmp_path / "taken/site").rmdir()
    assert "taken in" in take(packed).stderr and (tmp_path / "taken" / KEPT / "build/mine").exists()


def test_of_two_bundles_the_one_that_is_taken_in_again_is_used_last(packed, take, tmp_path):
    """./lab takes wheels and packages from that one."""
    take(packed)
    os.utime(folder := tmp_path / "taken" / KEPT, (1, 1))
    take(packed)
    assert folder.stat().st_mtime > 1


def test_what_is_not_whole_is_taken_again(packed, take, tmp_path):
    """A folder that has lost its list, which the store writes last, and a site of another build."""
    take(packed)
    (tmp_path / "taken" / KEPT / store.LIST).unlink()
    (tmp_path / "taken/site/index.html").write_text("an older book")
    assert "taken in" in take(packed).stderr
    assert store.damage(tmp_path / "taken" / KEPT) is None
    assert (tmp_path / "taken/site/index.html").read_text() == "the book"


def test_one_of_another_commit_is_taken_with_a_word(packed, take):
    """Most of it may be the same. What is not will have to be fetched, which may take a reader by surprise."""
    assert "of commit" not in take(packed).stderr
    rewritten(packed, lambda name, content: re.sub(rb"of commit \w+", b"of commit 0123456789", content))
    (taken := packed.parent / "taken" / KEPT / store.LIST).unlink()
    said = take(packed).stderr
    assert "bundle: of commit 01234567, and this is " in said and taken.exists()


def test_the_same_folders_are_the_same_file(packed, tmp_path, monkeypatch):
    """Although it is another day, they were used meanwhile, which the store keeps in a folder's time, and the site was
    built again."""
    monkeypatch.setattr(write.gzip.time, "time", lambda: 1e9)
    os.utime(tmp_path / KEPT, (1, 1))
    os.utime(tmp_path / write.SITE / "index.html", (1, 1))
    write.pack([tmp_path / KEPT, tmp_path / write.SITE], tmp_path / "again")
    assert (tmp_path / "again").read_bytes() == packed.read_bytes()


def rewritten(packed, change) -> None:
    """The same bundle, with the content of each file by `change(name, content)`."""
    found = []
    with tarfile.open(packed) as old:
        for entry in old:
            content = change(entry.name, old.extractfile(entry).read()) if entry.isreg() else b""
            entry.size = len(content)
            found.append((entry, content))
    with tarfile.open(packed, "w:gz", format=tarfile.PAX_FORMAT) as new:
        for entry, content in found:
            new.addfile(entry, io.BytesIO(content))


def test_a_damaged_one_leaves_nothing_and_says_which_file(packed, take, tmp_path):
    rewritten(packed, lambda name, content: content.replace(b"dd", b"de", 1) if name.endswith("disk") else content)
    done = take(packed)
    assert done.returncode == 3 and f"damaged: {KEPT}/disk" in done.stderr and "Next: copy" in done.stderr
    assert [path.name for path in (tmp_path / "taken").iterdir()] == ["bundle.lock"]


def test_half_a_bundle_leaves_nothing(packed, take, tmp_path):
    os.truncate(packed, packed.stat().st_size // 2)
    done = take(packed)
    assert done.returncode == 3 and "Next: " in done.stderr and not (tmp_path / "taken" / KEPT).exists()


def test_where_there_is_no_room_the_sizes_are_told_and_nothing_is_unpacked(packed, take, tmp_path):
    rewritten(packed, lambda name, content: content.replace(b"# 4 KiB", b"# 4000000000000 KiB"))
    done = take(packed)
    assert done.returncode == 3 and "needs 3906250000 MiB" in done.stderr and "Next: free some" in done.stderr
    assert not (tmp_path / "taken" / KEPT).exists()


@pytest.mark.parametrize("content", [b"", b"no archive", None])
def test_what_is_no_bundle_is_refused_before_anything_is_written(take, tmp_path, content):
    if content is not None:
        (tmp_path / "other").write_bytes(content)
    done = take(tmp_path / "other")
    assert done.returncode == 3 and "bundle: expected" in done.stderr and not (tmp_path / "taken").exists()


def test_one_that_cannot_be_written_leaves_nothing(tmp_path, monkeypatch):
    (tmp_path / KEPT).mkdir()
    (tmp_path / KEPT / "disk").write_bytes(b"d")
    monkeypatch.setattr(write.os, "rename", lambda *paths: (_ for _ in ()).throw(OSError("No space left on device")))
    with pytest.raises(LabError, match="No space left"):
        write.pack([tmp_path / KEPT], tmp_path / "bundle")
    assert {path.name for path in tmp_path.iterdir()} == {KEPT}
