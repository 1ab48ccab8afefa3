"""Does `./lab doctor` say on which system this is, and whether there is room for what it builds?"""

import platform
import shutil

import pytest

from host import doctor, store
from host.debian import pins
from host.paths import cache


@pytest.mark.parametrize(
    "release, said",
    [
        ({"ID": "debian", "VERSION_ID": "13", "PRETTY_NAME": "Debian GNU/Linux 13 (trixie)"}, "tried there"),
        ({"ID": "debian", "VERSION_ID": "11", "PRETTY_NAME": "Debian GNU/Linux 11"}, "tried on Debian 12 and 13 only"),
        ({"ID": "other", "VERSION_ID": "12", "PRETTY_NAME": "Other 12"}, "Other 12; the labs are tried on Debian"),
    ],
)
def test_the_release_is_named(monkeypatch, release, said):
    monkeypatch.setattr(platform, "freedesktop_os_release", lambda: release)
    finding = doctor._system()
    assert finding.good and said in finding.found


def test_a_system_without_a_name_is_no_traceback(monkeypatch):
    def none():
        raise OSError("no os-release")

    monkeypatch.setattr(platform, "freedesktop_os_release", none)
    assert "no name; the labs are tried on" in doctor._system().found


@pytest.fixture
def disks(monkeypatch, tmp_path):
    """disks(cache=MIB, builds=MIB): what is found of the cache's disk, and of the one on which the guest is unpacked,
    with so much free there."""
    unpacked = tmp_path / "unpacked"
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.setenv("TMPDIR", str(unpacked))
    usage = shutil.disk_usage(tmp_path)

    def found(**free_mib):
        folders = {str(cache()): free_mib["cache"], str(unpacked): free_mib["builds"]}
        monkeypatch.setattr(shutil, "disk_usage", lambda folder: usage._replace(free=folders[str(folder)] << 20))
        return doctor._disk(), doctor._disk_of_builds()

    return found


def keep(folder: str, *files: str, kib: int = 0) -> None:
    """Have the store hold a folder that is whole, with these files of that size."""

    def write(made):
        for name in files:
            (made / name).write_bytes(bytes(kib << 10))
        (made / "release").write_text("6.99.1-amd64\n")
        (made / "packages").write_text("small 2\n")

    store.build_once(*folder.rsplit("-", 1), write)


@pytest.mark.parametrize("cache_mib, builds_mib", [(9000, 9000), (9000, 100), (100, 9000)])
def test_a_first_build_needs_room_where_it_is_unpacked_too(disks, tmp_path, cache_mib, builds_mib):
    in_cache, of_builds = disks(cache=cache_mib, builds=builds_mib)
    assert (in_cache.good, of_builds.good) == (cache_mib == 9000, builds_mib == 9000)
    assert f"{builds_mib} MiB free in {tmp_path / 'unpacked'}" in of_builds.found
    assert of_builds.good or of_builds.mend == "free some, or set TMPDIR to a folder with more"


def test_where_there_is_an_image_room_is_no_matter(disks):
    keep(f"image-{'0' * 16}", "disk.squashfs")
    in_cache, of_builds = disks(cache=100, builds=100)
    assert not in_cache.good and of_builds.good and not of_builds.mend


@pytest.mark.parametrize(
    "recorded, said", [("2", "of the recorded versions"), ("1", "not of the recorded versions (small 2 in place of 1)")]
)
def test_each_kernel_is_listed_with_its_versions_and_what_it_takes_of_the_disk(monkeypatch, tmp_path, recorded, said):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    monkeypatch.setattr(pins, "FILE", tmp_path / "pins.toml")
    pins.write({"guest-6.12": {"small": recorded}})
    keep(f"image-6.12-{'0' * 16}", "disk.squashfs", kib=3072)
    keep(f"snapshot-stock-6.12-{'1' * 16}", "ram", kib=2048)
    keep(f"snapshot-stock-{'2' * 16}", "ram", kib=4096)
    found = {finding.what: finding.found for finding in doctor._kernels()}
    assert found["kernel 6.1"].endswith("not built yet: ./lab run CASE --kernel 6.1 does it")
    assert found["kernel 6.12"].endswith(f"; 6.99.1-amd64, {said}, images 3 MiB, snapshots 2 MiB")


def test_a_folder_for_builds_that_is_not_there_is_no_traceback(monkeypatch, tmp_path):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    monkeypatch.setenv("TMPDIR", "/nowhere")
    finding = doctor._disk_of_builds()
    assert not finding.good and "/nowhere" in finding.found and "TMPDIR" in finding.mend


@pytest.mark.parametrize("there", [True, False])
def test_what_forbids_a_build_is_a_fault_where_there_is_no_image_yet(monkeypatch, there):
    monkeypatch.setattr(doctor.namespaces, "forbidden", lambda: ("it is forbidden", "do this"))
    monkeypatch.setattr(doctor.image, "is_built", lambda linux: there)
    found = doctor._build_mode()
    assert found.good is there and "it is forbidden" in found.found and (found.mend == "do this") is not there
