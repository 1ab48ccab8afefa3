"""What is the tab's guest made of? The packages of the VM's, of Debian's i386 and without those that
vm-image/packages.toml leaves out of the tab, as a disk; and what it takes to start from it."""

import re
import shlex
import tomllib
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from host import store
from host.debian import archive, root
from host.paths import VM_IMAGE

TAB = VM_IMAGE / "tab"
SCRIPTS = ("customize.sh", "../common.sh")  # what finishes it, in the guest
BOOT = ("vmlinuz", "initramfs", "bios.bin", "vgabios.bin")
KEPT_OUTSIDE = (*BOOT, "release", "packages")
LINES = 5  # of each package in the file `packages`, and an empty one: see tab/customize.sh
TEXTS = "texts"  # the folder of all copyright files, each in one that is named after its package
COPYRIGHT = "/usr/share/doc/*/copyright"


@dataclass(frozen=True)
class Root:
    """A built root file system."""

    folder: Path

    @property
    def disk(self) -> Path:
        return self.folder / "disk.squashfs"

    @property
    def texts(self) -> Path:
        return self.folder / TEXTS

    @property
    def release(self) -> str:
        """The kernel's."""
        return (self.folder / "release").read_text().strip()

    @cached_property
    def packages(self) -> dict[str, dict]:
        """Each package's version, its source, and the others of which it holds parts (Debian policy 7.8: the kernel's
        package is one of signatures, built using `linux`)."""
        lines = (self.folder / "packages").read_text().split("\n")
        return dict(_described(*lines[at : at + LINES]) for at in range(0, len(lines) - LINES, LINES + 1))


def recipe() -> dict:
    """vm-image/tab/packages.toml, with the packages, what is left out and the suite of all of the guest."""
    whole, ours = (tomllib.loads((folder / "packages.toml").read_text()) for folder in (VM_IMAGE, TAB))
    packages = {name: why for name, why in whole["packages"].items() if name not in whole["tab-leaves-out"]}
    left_out = {pattern: why for pattern, why in whole["leave-out"].items() if pattern not in ours["keep"]}
    return {
        **ours,
        "suite": whole["suite"],
        "packages": packages | ours["packages"],
        "leave-out": left_out | ours["leave-out"],
    }


def built() -> Root:
    """The file system that the recipe describes, built if need be (three minutes, once). It is of the release alone,
    which changes at point releases only: no network reaches this guest."""
    wanted = recipe()

    def make(folder: Path) -> None:
        archive.need("mksquashfs")
        root.packed(_root(wanted, folder), folder / "disk.squashfs", "tab root")

    parts = [",".join(wanted[table]) for table in ("packages", "leave-out", "remove")]
    key = store.key_of(
        *(wanted["suite"], wanted["architecture"], *parts, *root.from_tar(root.SMALL)),
        *(TAB / name for name in SCRIPTS),
        VM_IMAGE / "initramfs",
    )
    return Root(store.build_once("tab-root", key, make, 1500))


def _root(wanted: dict, folder: Path) -> root.Root:
    hooks = [
        'mkdir -p "$1/tmp/lab"',
        f"copy-in {_quoted(VM_IMAGE / 'initramfs')} /tmp/lab",
        *[f"upload {_quoted(TAB / name)} /tmp/lab/{Path(name).name}" for name in SCRIPTS],
        'chroot "$1" sh /tmp/lab/customize.sh',
        *[f"download /lab-out/{name} {_quoted(folder / name)}" for name in KEPT_OUTSIDE],
        f"copy-out /lab-out/{TEXTS} {_quoted(folder)}",
        'rm -r "$1/lab-out"',
        *[f'rm -r "$1"{path}' for path in wanted["remove"]],
    ]
    options = [
        f"--architectures={wanted['architecture']}",
        "--skip=check/qemu",  # this processor runs its programs
        *archive.release_alone(wanted["suite"]),
    ]
    return root.Root(wanted["suite"], wanted["packages"], wanted["leave-out"], hooks, options, [COPYRIGHT], root.SMALL)


def _quoted(path: Path) -> str:
    return shlex.quote(str(path))


def _described(name: str, version: str, source: str, source_version: str, using: str) -> tuple[str, dict]:
    return name, {
        "version": version,
        "source": source,
        "source_version": source_version,
        "built_using": dict(re.findall(r"(\S+) \(= ([^)]+)\)", using)),
    }
