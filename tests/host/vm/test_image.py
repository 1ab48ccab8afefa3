"""Is an image that was cut short noticed and built again, and is the recipe sound?"""

import os
import shutil
import tomllib
from pathlib import Path

import pytest

from host.debian import archive
from host.errors import LabError
from host.paths import VM_IMAGE, cache
from host.vm import image


@pytest.fixture
def builds(tmp_path, monkeypatch):
    """Building replaced by writing small files; the archive has `small` 2, and all that was recorded. What it returns
    has the folder of each that was built."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    monkeypatch.setattr(image.root, "NEEDS_MIB", 0)
    monkeypatch.setattr(image.namespaces, "need", lambda: None)
    done = []

    def build(linux, versions, folder):
        done.append(folder)
        (folder / "disk.squashfs").write_bytes(b"d" * 5000)
        (folder / "packages").write_text(f"small {versions.get('small', 2)}\n")

    monkeypatch.setattr(image, "_build", build)
    return done


def test_a_truncated_image_is_built_again(builds, capsys):
    disk = image.image().disk
    assert image.image().disk == disk and len(builds) == 1
    os.truncate(disk, 100)
    assert image.image().disk.stat().st_size == 5000 and len(builds) == 2
    assert "100 bytes where 5000" in capsys.readouterr().err


def test_a_changed_recipe_is_another_image(builds, monkeypatch, tmp_path):
    first = image.image().folder
    other = tmp_path / "vm-image"
    shutil.copytree(VM_IMAGE, other)
    (other / "customize.sh").write_text("# changed\n")
    monkeypatch.setattr(image, "VM_IMAGE", other)
    assert image.image().folder != first


@pytest.fixture
def recorded(monkeypatch, tmp_path):
    """recorded({table: {package: version}}) are the pins."""
    monkeypatch.setattr(image.pins, "FILE", tmp_path / "pins.toml")
    return image.pins.write


def test_what_was_built_of_the_newest_is_taken_once_that_is_recorded(builds, recorded):
    """So the versions can be recorded after the build, and it is not done again."""
    recorded({"guest": {"small": "1"}})
    newest = image.newest(image.the_books())
    assert image.image().packages == {"small": "1"} and len(builds) == 2 and image.is_built(image.the_books())
    recorded({"guest": {"small": "2"}})
    assert image.image() == newest and len(builds) == 2
    assert image.newest(image.the_books()) == newest and len(builds) == 3  # the archive may have others now


def test_one_kernels_versions_are_no_ingredient_of_anothers(builds, recorded):
    recorded({"guest": {"small": "1"}})
    ours, other = image.image(), image.image(image.kernel("6.12"))
    recorded({"guest": {"small": "1"}, "guest-6.12": {"large": "1"}})
    assert image.image() == ours and image.image(image.kernel("6.12")) != other


def test_the_recorded_versions_are_apts_preferences(tmp_path):
    recipe = tomllib.loads((VM_IMAGE / "packages.toml").read_text())
    command = image._root(recipe, {"small": "1"}, tmp_path).command()
    assert {*image.pins.options({"small": "1"}, tmp_path)} <= {*command}
    assert "Package: small\nPin: version 1\n" in (tmp_path / "pins").read_text()


def test_no_kernel_s_image_is_discarded_for_another_s(builds, monkeypatch):
    """Of one kernel's there are two at most, and the book's stays where it was."""
    ours, other = image.image().folder, image.kernel("6.12")
    for level in (1, 2, 3):
        monkeypatch.setattr(image.root, "QUICK", level)
        newest = image.image(other).folder
    assert ours.exists() and image.stored()[0].folder == ours
    assert newest.name.startswith("image-6.12-") and [one.folder for one in image.stored(other)][0] == newest
    assert len(image.stored(other)) == 2 and len(builds) == 4


def test_the_book_s_image_is_that_of_its_packages_alone(builds):
    """Another kernel's recipe is no ingredient, so what is added there has nobody build the book's again."""
    as_it_stands = image.Kernel("x", "packages.toml as it stands", VM_IMAGE / "customize.sh")
    assert image.image(as_it_stands).folder == image.image().folder and len(builds) == 1


def test_a_kernel_s_packages_are_in_the_place_of_the_book_s():
    packages = tomllib.loads((VM_IMAGE / "packages.toml").read_text())["packages"]
    assert image._with(image.the_books(), packages) == list(packages)
    for linux in image.kernels():
        found = image._with(linux, packages)
        assert len(found) == len(packages) and not {name for name, _ in linux.instead} & set(found)
    unknown = image.Kernel("x", "x", Path("x.toml"), (("linux-image-none", "linux-image-x"),))
    with pytest.raises(LabError, match="x.toml: not in packages.toml: linux-image-none"):
        image._with(unknown, packages)


PINS = {"linux-image-amd64": "6-2", "linux-image-6-56-amd64": "6-2", "linux-image-7-amd64": "7-1", "linux-perf": "6-2"}
NAMES = ["linux-image-amd64", "linux-perf", "kmod"]


def test_the_recorded_kernel_is_asked_for_by_its_own_name():
    """An archive has the newest version alone of what stands for a kernel: linux-image-amd64."""
    assert image.of_one_kernel(NAMES, PINS) == ["linux-image-6-56-amd64", "linux-perf", "kmod"]
    assert image.of_one_kernel(NAMES, {}) == NAMES
    for linux in image.kernels():
        names = image._with(linux, tomllib.loads((VM_IMAGE / "packages.toml").read_text())["packages"])
        own = {*image.of_one_kernel(names, image.recorded(linux))} - {*names}
        assert {name.split("-")[1] for name in own} == {"image", "headers"}
        assert all(name.startswith((f"linux-image-{linux.name}.", f"linux-headers-{linux.name}.")) for name in own)


def test_where_the_archive_has_it_no_more_the_newest_is_taken_with_a_word(recorded, monkeypatch, tmp_path, capsys):
    asked = []

    def packed(made_of, disk, what):
        asked.append(made_of.packages)
        if "linux-image-6-56-amd64" in made_of.packages:
            raise image.root.NotInArchive("guest image: E: Unable to locate package linux-image-6-56-amd64")
        (disk.parent / "packages").write_text("linux-image-amd64 6-3\n")

    monkeypatch.setattr(image.root, "packed", packed)
    recorded({"guest": PINS})
    image._build(image.the_books(), PINS, tmp_path)
    said = capsys.readouterr().err
    assert len(asked) == 2 and "linux-image-amd64" in asked[1]
    assert "newest kernel" in said and "locate package linux-image-6-56-amd64" in said and "6-3 in place of 6-2" in said
    with pytest.raises(image.root.NotInArchive):  # not tried again with the same names
        monkeypatch.setattr(image, "of_one_kernel", lambda names, versions: ["linux-image-6-56-amd64"])
        monkeypatch.setattr(image, "_with", lambda linux, packages: ["linux-image-6-56-amd64"])
        image._build(image.the_books(), PINS, tmp_path)


def test_what_apt_says_of_a_package_that_is_not_there_is_known(archive_of, tmp_path, monkeypatch):
    archive_of(("small", "1.0", {"usr/file": b""}))
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    extract = ["mmdebstrap", "--variant=extract", "--format=tar", f"--mode={archive.mode()}"]
    monkeypatch.setattr(image.root.Root, "command", lambda root: [*extract, root.options, *archive.of(root.suite)])
    asked = {name: image.root.Root("bookworm", [], [], [], f"--include={name}") for name in ("small", "none")}
    image.root.packed(asked["small"], tmp_path / "disk", "guest")
    with pytest.raises(image.root.NotInArchive, match="guest: E: .*none"):
        image.root.packed(asked["none"], tmp_path / "disk", "guest")


def test_a_full_disk_is_named_and_leaves_nothing(tmp_path, monkeypatch):
    """In the place of mmdebstrap and mksquashfs are programs whose disk is full."""
    for name in ("mmdebstrap", "mksquashfs", "newuidmap"):
        (tmp_path / name).write_text("#!/bin/sh\nexec cat /dev/zero >/dev/full\n")
        (tmp_path / name).chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path), prepend=":")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    monkeypatch.setattr(image.root, "NEEDS_MIB", 0)
    monkeypatch.setattr(image.namespaces, "need", lambda: None)
    with pytest.raises(LabError, match="the disk is full") as error:
        image.image()
    assert type(error.value) is LabError and error.value.next
    assert not [path for path in cache().glob("image-*") if path.is_dir()]


def test_every_package_has_its_reason():
    recipe = tomllib.loads((VM_IMAGE / "packages.toml").read_text())
    for table in ("packages", "tab-leaves-out", "leave-out", "remove"):
        assert all(reason.strip() for reason in recipe[table].values())
