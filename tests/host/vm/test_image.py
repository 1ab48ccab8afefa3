"""Is an image that was cut short noticed and built again, and is the recipe sound?"""

import os
import shutil
import tomllib
from pathlib import Path

import pytest

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
    for client in (b"one", b"two", b"three"):
        monkeypatch.setattr(image.root, "FROM_TAR", [client])
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
    assert error.value.next and not [path for path in cache().glob("image-*") if path.is_dir()]


def test_every_package_has_its_reason():
    recipe = tomllib.loads((VM_IMAGE / "packages.toml").read_text())
    for table in ("packages", "tab-leaves-out", "leave-out", "remove"):
        assert all(reason.strip() for reason in recipe[table].values())
