"""Do pages quote the source that was recorded, and none where the archive does not have it? In the place of Debian's is
an archive in which the kernel's source is one file."""

import gzip
import io
import tarfile

import pytest

from host import store
from host.debian import pins
from host.errors import LabError
from host.site import quoted

FILE = "net/ipv4/small.c"


@pytest.fixture(autouse=True)
def recorded(tmp_path, monkeypatch):
    """Recorded were these; and one file is quoted."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.setattr(pins, "FILE", tmp_path / "pins.toml")
    monkeypatch.setattr(quoted, "quoted_files", lambda *of: [FILE])
    pins.write({"source": {quoted.PACKAGE: "6.1.2-1", "qemu": "1:7.2-1"}})


def kernel(version: str) -> tuple[str, str, dict[str, bytes]]:
    """A package with a kernel's source, whose file names the version."""
    packed = io.BytesIO()
    with tarfile.open(fileobj=packed, mode="w:xz") as tar:
        member = tarfile.TarInfo(f"{quoted.PACKAGE}/{FILE}")
        member.size = len(version)
        tar.addfile(member, io.BytesIO(version.encode()))
    changelog = gzip.compress(f"linux ({version}) bookworm; urgency=low\n".encode())
    files = {
        f"usr/src/{quoted.PACKAGE}.tar.xz": packed.getvalue(),
        f"usr/share/doc/{quoted.PACKAGE}/changelog.Debian.gz": changelog,
    }
    return quoted.PACKAGE, version, files


def test_the_recorded_kernel_is_quoted_though_there_is_a_newer(archive_of):
    archive_of(kernel("6.1.2-1"), kernel("6.1.3-1"))
    tree = quoted.kernel_source()
    assert (tree / FILE).read_text() == "6.1.2-1"
    assert (tree / "VERSION").read_text() == f"upstream 6.1.2\npackage {quoted.PACKAGE} 6.1.2-1\n"


def test_another_kernel_is_not_quoted(archive_of):
    archive_of(kernel("6.1.3-1"))
    with pytest.raises(
        LabError, match="6.1.2-1, which was recorded, did not come from the archive: E: .*6.1.2-1"
    ) as error:
        quoted.kernel_source()
    assert "LAB_ARCHIVE=FILE ./lab book" in error.value.next and store.stored("kernel-*-*[0-9a-f]") == []


def test_another_qemu_is_not_quoted_though_it_runs(monkeypatch, tmp_path):
    (tmp_path / "version").write_text("1:7.2-2")
    monkeypatch.setattr(quoted.source, "fetched", lambda package: tmp_path)
    with pytest.raises(LabError, match="gave qemu 1:7.2-2 in place of 1:7.2-1, which was recorded") as error:
        quoted.qemu_source()
    assert f"rm -r {tmp_path}" in error.value.next
