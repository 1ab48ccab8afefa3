"""How is the guest's disk made? By mmdebstrap from Debian's archive, as vm-image/ says."""

import json
import shlex
import subprocess
import time
import tomllib
from dataclasses import dataclass
from pathlib import Path

from host import store
from host.debian import archive, installed, namespaces, root
from host.paths import VM_IMAGE

KEPT_OUTSIDE = ("vmlinuz", "initramfs", "release", "packages")
SCRIPTS = ("customize.sh", "common.sh")  # what finishes it, in the guest


@dataclass(frozen=True)
class Image:
    """A built guest disk and what it takes to boot it."""

    folder: Path

    @property
    def disk(self) -> Path:
        return self.folder / "disk.squashfs"

    @property
    def vmlinuz(self) -> Path:
        return self.folder / "vmlinuz"

    @property
    def initramfs(self) -> Path:
        return self.folder / "initramfs"

    @property
    def release(self) -> str:
        """The guest's `uname -r`."""
        return (self.folder / "release").read_text().strip()

    @property
    def kernel_version(self) -> str:
        """The kernel's Debian version, as in "6.1.192-2"."""
        return self.packages[f"linux-image-{self.release}"]

    @property
    def packages(self) -> dict[str, str]:
        """Every package in the guest, with its version."""
        lines = (self.folder / "packages").read_text().splitlines()
        return dict(line.split() for line in lines)


def need() -> None:
    """The packages that it takes to have a guest; before they are downloaded, that one can be built, if none is."""
    if not store.stored("image-*/disk.squashfs"):
        namespaces.need()
    installed.need(*installed.LAB)


def keys() -> Path:
    """The folder with the client's and the guest's key pair, made once per installation."""

    def make(folder: Path) -> None:
        installed.need("ssh-keygen")
        for name in ("client", "guest"):
            subprocess.run(["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-C", name, "-f", folder / name], check=True)

    return store.made("keys", "ed25519", make, own=True)


def image() -> Image:
    """The image that vm-image/ describes, built if need be (two minutes, once)."""
    ingredients = store.key_of(
        VM_IMAGE / "packages.toml",
        *(VM_IMAGE / name for name in SCRIPTS),
        VM_IMAGE / "rootfs",
        VM_IMAGE / "initramfs",
        (keys() / "client.pub").read_bytes(),
        *root.SQUASHFS,
    )
    return Image(store.made("image", ingredients, _build, root.NEEDS_MIB))


def _build(folder: Path) -> None:
    archive.need("mksquashfs")
    recipe = tomllib.loads((VM_IMAGE / "packages.toml").read_text())
    root.packed(_root(recipe, folder), folder / "disk.squashfs", "guest image")
    (folder / "made.json").write_text(json.dumps({"suite": recipe["suite"], "date": time.strftime("%Y-%m-%d")}))


def _root(recipe: dict, folder: Path) -> root.Root:
    secrets = keys()
    hooks = [
        'mkdir -p "$1/root/.ssh" "$1/etc/ssh" "$1/tmp/lab"',
        f"copy-in {_quoted(VM_IMAGE / 'rootfs/etc')} {_quoted(VM_IMAGE / 'rootfs/usr')} /",
        f"copy-in {_quoted(VM_IMAGE / 'initramfs')} /tmp/lab",
        f"upload {_quoted(secrets / 'client.pub')} /root/.ssh/authorized_keys",
        f"upload {_quoted(secrets / 'guest')} /etc/ssh/ssh_host_ed25519_key",
        *[f"upload {_quoted(VM_IMAGE / name)} /tmp/lab/{name}" for name in SCRIPTS],
        'chroot "$1" sh /tmp/lab/customize.sh',
        *[f"download /lab-out/{name} {_quoted(folder / name)}" for name in KEPT_OUTSIDE],
        'rm -r "$1/lab-out"',
        *[f'rm -r "$1"{path}' for path in recipe["remove"]],
    ]
    return root.Root(recipe["suite"], recipe["packages"], recipe["leave-out"], hooks)


def _quoted(path: Path) -> str:
    return shlex.quote(str(path))
