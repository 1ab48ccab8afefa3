"""Does `./lab update` move all that was recorded, record with it, and say what changed?"""

from types import SimpleNamespace

import pytest

from core import cases
from host.debian import pins
from host.errors import LabError
from host.recording import update

BEFORE = {
    "guest": {"linux-image-amd64": "6.1.2-1", "gone": "1"},
    "guest-6.12": {"pahole": "1"},
    "source": {"linux-source-6.1": "6.1.2-1", "linux-source-6.12": "6.12.1-1", "qemu": "7.2-1"},
}


@pytest.fixture
def archive(tmp_path, monkeypatch):
    """What Debian has: the guest of each kernel and QEMU's source, as if built; `recorded` are the cases that were
    recorded, each with the kernel of the pins at that time."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    monkeypatch.setattr(pins, "FILE", tmp_path / "pins.toml")
    pins.write(BEFORE)
    has = SimpleNamespace(guest=dict(BEFORE["guest"]), kernel="6.1.2-1", qemu="7.2-1", recorded=[], fails="")

    def newest(linux):
        besides = {} if linux.is_the_books else {"pahole": "1"}
        kernel = has.kernel if linux.is_the_books else "6.12.1-1"
        return SimpleNamespace(packages=has.guest | besides, kernel_version=kernel)

    def record(names):
        if names == [has.fails]:
            raise LabError("the conclusions changed")
        has.recorded.append((*names, pins.source("linux-source-6.1")))

    monkeypatch.setattr(update.image, "newest", newest)
    monkeypatch.setattr(update.source, "newest", lambda package, folder: has.qemu)
    monkeypatch.setattr(update.record, "record", record)
    monkeypatch.setattr(update, "_uncommitted", lambda: "")
    return has


def test_where_the_archive_has_what_was_recorded_nothing_is_done(archive):
    assert update.update() == ([], []) and archive.recorded == []


def test_all_moves_and_every_case_is_recorded_with_it(archive):
    archive.guest, archive.kernel = {"linux-image-amd64": "6.1.3-1", "come": "2"}, "6.1.3-1"
    assert update.update() == (
        [
            "guest: come none -> 2",
            "guest: gone 1 -> none",
            "guest: linux-image-amd64 6.1.2-1 -> 6.1.3-1",
            "source: linux-source-6.1 6.1.2-1 -> 6.1.3-1",
        ],
        [],
    )
    assert archive.recorded == [(name, "6.1.3-1") for name in cases.cases()]
    assert pins.recorded("guest") == archive.guest and pins.recorded("guest-6.12") == {"pahole": "1"}
    assert update.update() == ([], [])


def test_a_case_that_cannot_be_recorded_is_named_and_the_others_are_recorded(archive):
    archive.qemu, archive.fails = "7.2-2", "rtl8139-tso"
    moved, (refused,) = update.update()
    assert moved == ["source: qemu 7.2-1 -> 7.2-2"] and "rtl8139-tso: not recorded" in refused
    assert "the conclusions changed" in refused and len(archive.recorded) == len(cases.cases()) - 1


def test_it_makes_a_change_of_its_own(archive, monkeypatch):
    archive.qemu = "7.2-2"
    monkeypatch.setattr(update, "_uncommitted", lambda: "README.md")
    with pytest.raises(LabError, match="without changes, found those of README.md"):
        update.update()
    assert pins.source("qemu") == "7.2-1" and archive.recorded == []
