"""How is the guest's disk made? By mmdebstrap from Debian's archive, as vm-image/ says. With which kernel? With the
book's, or one beside it: each is data (vm-image/kernels/*.toml), and nothing else in host/ knows one by its version."""

import functools
import json
import re
import shlex
import time
import tomllib
from dataclasses import dataclass
from pathlib import Path

from core.statuses import Status
from host import store
from host.debian import archive, installed, namespaces, pins, root
from host.errors import LabError
from host.paths import LABS, REPOSITORY, VM_IMAGE, cache
from host.phases import say

KERNELS = VM_IMAGE / "kernels"
KEPT_OUTSIDE = ("vmlinuz", "initramfs", "release", "packages")
SCRIPTS = ("customize.sh", "common.sh")  # what finishes it, in the guest
# Some kernels have packed modules. The initramfs unpacks none, and under emulation each loading would take longer.
UNPACKED_MODULES = """chroot "$1" sh -ec 'packed=$(find /lib/modules -name "*.ko.xz"); [ -z "$packed" ] || {
    busybox unxz $packed; depmod "$(basename /lib/modules/*)"; }'"""


@dataclass(frozen=True)
class Kernel:
    """One kernel, as its `recipe` describes it; `instead` are pairs of a package of packages.toml and the one that this
    kernel's guest has in its place."""

    name: str
    title: str
    recipe: Path
    instead: tuple[tuple[str, str], ...] = ()

    @property
    def is_the_books(self) -> bool:
        """Whether its guest is the one of packages.toml."""
        return not self.instead

    @property
    def suffix(self) -> str:
        """What the name of whatever is made for this kernel ends in, so that no two are taken for one: "-6.12"."""
        return "" if self.is_the_books else f"-{self.name}"


def kernel(name: str) -> Kernel:
    """The kernel of that name; raises with the known ones."""
    for known in kernels():
        if known.name == name:
            return known
    there_are = ", ".join(known.name for known in kernels())
    raise LabError(f"no kernel {name!r}; there are: {there_are}", "./lab doctor", Status.USAGE)


@functools.cache
def kernels() -> tuple[Kernel, ...]:
    """All that there are, the book's first."""
    found = map(_read, KERNELS.glob("*.toml"))
    return tuple(sorted(found, key=lambda one: (not one.is_the_books, one.name)))


def the_books() -> Kernel:
    """The one that the book is about."""
    return kernels()[0]


def _read(recipe: Path) -> Kernel:
    read = tomllib.loads(recipe.read_text())
    return Kernel(recipe.stem, read["title"], recipe, tuple(read.get("instead", {}).items()))


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


def need(linux: Kernel | None = None) -> None:
    """The packages that it takes to have a guest; before they are downloaded, that one can be built, if none is."""
    if not store.stored(f"{_kind(linux or the_books())}-{store.ANY_KEY}/disk.squashfs"):
        namespaces.need()
    installed.need(*installed.LAB)


def image(linux: Kernel | None = None) -> Image:
    """The image that vm-image/ describes, with this kernel, or the book's; built if need be (two minutes, once). Each
    kernel's is a kind of its own in the store, so that none is discarded for another's."""
    linux = linux or the_books()
    build = functools.partial(_build, linux, recorded(linux))
    return Image(store.build_once(_kind(linux), _key(linux), build, root.NEEDS_MIB))


def newest(linux: Kernel) -> Image:
    """The same, of the versions that the archive has now, and made anew."""
    kind, key = _kind(linux), _key_of(linux, {})
    folder = cache() / f"{kind}-{key}"
    store.discard(kind, folder, store.generation(folder))
    return Image(store.build_once(kind, key, functools.partial(_build, linux, {}), root.NEEDS_MIB))


def recorded(linux: Kernel) -> dict[str, str]:
    """The version of each package that this kernel's guest had when the book was recorded."""
    return pins.recorded("guest", f"guest{linux.suffix}")


def _key(linux: Kernel) -> str:
    """The key of the image with the recorded versions. One of what the archive had once is as good, if these are what
    it got: `./lab update` records with such a one, and need not build it twice."""
    versions, of_the_newest = recorded(linux), _key_of(linux, {})
    for one in stored(linux):
        if one.folder.name == f"{_kind(linux)}-{of_the_newest}" and not pins.differing(one.packages, versions):
            return of_the_newest
    return _key_of(linux, versions)


def _key_of(linux: Kernel, versions: pins.Versions) -> str:
    """A key of all that this kernel's image is made from, with these versions."""
    return store.key_of(
        VM_IMAGE / "packages.toml",
        *(VM_IMAGE / name for name in SCRIPTS),
        VM_IMAGE / "rootfs",
        VM_IMAGE / "initramfs",
        *root.from_tar(root.QUICK),
        *([] if linux.is_the_books else [linux.recipe]),
        *([pins.preferences(versions)] if versions else []),
    )


def is_built(linux: Kernel) -> bool:
    """Whether image() has this kernel's at once."""
    return any(one.folder.name.endswith(_key(linux)) for one in stored(linux))


def stored(linux: Kernel | None = None) -> list[Image]:
    """The images with this kernel, or the book's, that are there and whole, the one that was used last first."""
    folders = store.stored(f"{_kind(linux or the_books())}-{store.ANY_KEY}")
    whole = [path for path in folders if store.damage(path) is None]
    return [Image(path) for path in sorted(whole, key=lambda path: path.stat().st_mtime, reverse=True)]


def _kind(linux: Kernel) -> str:
    return f"image{linux.suffix}"


def _build(linux: Kernel, versions: pins.Versions, folder: Path) -> None:
    archive.need("mksquashfs")
    recipe = tomllib.loads((VM_IMAGE / "packages.toml").read_text())
    what = f"guest {_kind(linux)}"

    def pack(names: list[str]) -> None:
        made_of = _root({**recipe, "packages": names}, versions, folder)
        root.packed(made_of, folder / "disk.squashfs", what)

    newest = _with(linux, recipe["packages"])
    as_recorded = of_one_kernel(newest, versions)
    try:
        pack(as_recorded)
    except root.NotInArchive as gone:
        if as_recorded == newest:
            raise
        why = gone.message.splitlines()[0].removeprefix(f"{what}: ")
        say(f"{what}: made with the newest kernel, because the archive no longer has the recorded one ({why})")
        pack(newest)
    (folder / "made.json").write_text(json.dumps({"suite": recipe["suite"], "date": time.strftime("%Y-%m-%d")}))
    if unlike := pins.differing(Image(folder).packages, recorded(linux)):
        say(f"{what}: not of the versions that were recorded: {unlike}")


def _with(linux: Kernel, packages: dict[str, str]) -> list[str]:
    """The names of a guest's packages, with this kernel's in the place of the book's."""
    instead = dict(linux.instead)
    if unknown := instead.keys() - packages.keys():
        raise LabError(f"{linux.recipe}: not in packages.toml: {', '.join(sorted(unknown))}", f"edit {linux.recipe}")
    return [instead.get(name, name) for name in packages]


def of_one_kernel(names: list[str], versions: pins.Versions) -> list[str]:
    """The same packages, but in the place of each that stands for a kernel's newest version ("linux-image-amd64") those
    that it stood for when the book was recorded ("linux-image-6.1.0-56-amd64"), because an archive keeps these for
    months, and of the former only the newest."""
    found = []
    for name in names:
        kind = re.match("linux-(image|headers)-", name)
        stood_for = {
            one for one in versions if kind and one.startswith(kind[0]) and versions[one] == versions.get(name)
        }
        found += sorted(stood_for - {*names}) or [name]
    return found


def _root(recipe: dict, versions: pins.Versions, folder: Path) -> root.Root:
    hooks = [
        'mkdir -p "$1/etc/ssh" "$1/tmp/lab"',
        f"copy-in {_quoted(VM_IMAGE / 'rootfs/etc')} {_quoted(VM_IMAGE / 'rootfs/usr')} /",
        f"copy-in {_quoted(VM_IMAGE / 'initramfs')} /tmp/lab",
        *[f"upload {_quoted(VM_IMAGE / name)} /tmp/lab/{name}" for name in SCRIPTS],
        f"copy-in {_quoted(REPOSITORY / 'core')} {_quoted(LABS)} /tmp/lab",
        UNPACKED_MODULES,
        'chroot "$1" sh /tmp/lab/customize.sh',
        *[f"download /lab-out/{name} {_quoted(folder / name)}" for name in KEPT_OUTSIDE],
        'rm -r "$1/lab-out"',
        *[f'rm -r "$1"{path}' for path in recipe["remove"]],
    ]
    options = pins.options(versions, folder)
    return root.Root(recipe["suite"], recipe["packages"], recipe["leave-out"], hooks, options)


def _quoted(path: Path) -> str:
    return shlex.quote(str(path))
