"""Does a guest go on only from the snapshot that was kept for this very machine, and is it started confined?"""

import json
import os
from pathlib import Path

import pytest

from host import store
from host.errors import LabError
from host.vm import machine, profile, snapshot
from host.vm.acceleration import Acceleration
from host.vm.image import Image


@pytest.fixture
def machine_of(tmp_path, monkeypatch):
    """`machine_of(**changed)`: what the snapshot is for, with a disk that nobody boots. Its `makings` are folders."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    monkeypatch.setenv("LAB_RUN_DIR", str(tmp_path))
    disk = Image(tmp_path / "image")
    disk.folder.mkdir()
    makings = []

    def kept(ours, disk, how, folder: Path) -> None:
        makings.append(folder)
        for name in ("ram", "state"):
            (folder / name).write_text(name)
        (folder / snapshot.KEPT_AS).write_text(json.dumps(snapshot._kept_as(folder / "ram")))

    def now(files="files", qemu="7.2.22", processor="", name="stock"):
        (disk.folder / store.LIST).write_text(files)
        ours = profile.profile(name)
        monkeypatch.setattr(snapshot, "machine_setup", lambda _: (ours, disk, Acceleration("tcg", "")))
        monkeypatch.setattr(snapshot, "qemu_version", lambda _: qemu)
        monkeypatch.setattr(snapshot, "processor", lambda _: processor)
        return makings

    monkeypatch.setattr(snapshot, "_boot_and_keep", kept)
    return now


@pytest.mark.parametrize("changed", [{"files": "others"}, {"qemu": "7.2.23"}, {"processor": "another one"}])
def test_another_disk_qemu_or_processor_has_a_snapshot_of_its_own(machine_of, changed):
    makings = machine_of()
    first = snapshot.snapshot()
    assert snapshot.snapshot() == first and len(makings) == 1
    machine_of(**changed)
    assert snapshot.snapshot() != first and len(makings) == 2


def test_no_kernel_s_snapshot_is_discarded_for_another_s(machine_of):
    makings = machine_of()
    first = snapshot.snapshot()
    for files in ("one", "two", "three"):
        machine_of(files=files, name="stock-6.12")
        assert snapshot.snapshot().name.startswith("snapshot-stock-6.12-")
    machine_of()
    assert snapshot.snapshot() == first and len(makings) == 4


def written(ram: Path) -> None:
    """As a QEMU that was taken over would: the file's own times are set back."""
    before = ram.stat()
    with open(ram, "r+") as file:
        file.write("R")
    os.utime(ram, ns=(before.st_atime_ns, before.st_mtime_ns))


def test_memory_that_was_written_is_made_again_before_a_guest_goes_on_from_it(machine_of, capsys):
    makings = machine_of()
    written(snapshot.snapshot() / "ram")
    assert (snapshot.snapshot() / "ram").read_text() == "ram" and len(makings) == 2
    assert "the memory of its snapshot was written after it was kept; making it again" in capsys.readouterr().err


def test_memory_that_is_written_each_time_is_an_error(machine_of, monkeypatch):
    machine_of()
    monkeypatch.setattr(snapshot, "_written_since", lambda _: True)
    with pytest.raises(LabError, match="is written by somebody, time and again"):
        snapshot.snapshot()


@pytest.fixture
def started(monkeypatch, tmp_path):
    """`started(profile, refused)`: whether QEMU is confined, and whether as an answer's; None if it is not."""
    monkeypatch.setattr(machine, "new_folder", lambda: tmp_path)
    monkeypatch.setattr(machine, "start", lambda command, folder, options, outlives_us, confine: confine)

    def confined(ours, refused=""):
        snapshot._can_confine.cache_clear()
        monkeypatch.setattr(snapshot.confined, "refusal", lambda: refused)
        ram = tmp_path / "ram"
        ram.write_text("")
        disk = Image(tmp_path)
        confine = snapshot._start(ours, disk, Acceleration("tcg", ""), ram, False, [], outlives_us=False)
        return confine and confine.keywords["is_an_answers"]

    yield confined
    snapshot._can_confine.cache_clear()


def test_every_qemu_of_ours_is_confined(started):
    for name in profile.names():
        if not profile.profile(name).recipe:  # those are built here first
            assert started(profile.profile(name)) is False


def test_where_none_can_be_the_reader_is_told(started, capsys):
    assert started(profile.profile("stock"), refused="no user namespaces") is None
    assert "QEMU runs as you, for nothing here keeps it from your files: no user namespaces" in capsys.readouterr().err
