"""How do we get the source of a Debian package, patched as Debian builds it? From the archive of the
guest's suite, whatever the host's own release and whether its apt knows of sources or not."""

import re
import shlex
import shutil
import subprocess
from pathlib import Path

from host import store
from host.debian import archive, installed, pins
from host.errors import LabError
from host.phases import phase, say

SUITE = archive.THE_BOOKS  # vm-image/packages.toml's: one source for every host


def fetched(package: str) -> Path:
    """The folder with the source package's files as the archive has them, and `version`. It is the recorded version, or
    the newest, if the archive has that no more."""
    expected = pins.source(package)

    def fetch(folder: Path) -> None:
        found = newest(package, folder, f"{package}={expected}")
        if unlike := pins.differing({package: found}, {package: expected}):
            say(f"{package} source: not the one that was recorded: {unlike}")

    return store.build_once(f"{package}-package", store.key_of(SUITE, expected), fetch, 600)


def newest(package: str, folder: Path, rather: str = "") -> str:
    """Fetch the source package, of the version that is named `rather`, if there is that; returns the version."""
    archive.need("xz")
    get = f"{archive.APT_GET} source --download-only"
    script = " || ".join(f"{get} {shlex.quote(name)}" for name in (rather, package) if name)
    with phase(f"{package} source: fetching Debian's package"):
        done, cause = archive.run(archive.by_apt(SUITE, f"{{ {script}; }}", "source", folder, *archive.WITH_SOURCES))
    found = list(folder.glob(f"source/{package}_*.dsc"))
    if not done or not found:
        raise LabError(f"{package} source: {cause}", "fix what it names, then the same ./lab call")
    version = re.findall(r"^Version: (\S+)$", found[0].read_text(), re.MULTILINE)[0]
    (folder / "version").write_text(version)
    return version


def unpack(package: str, folder: Path) -> None:
    """Make `folder`, with the source of `package` as Debian patches it."""
    installed.need("dpkg-source")
    (described,) = (fetched(package) / "source").glob("*.dsc")
    # No check, because apt has held these files to the archive's signed list when it fetched them.
    _run(["dpkg-source", "--no-check", "--no-copy", "-x", str(described), str(folder)], folder)
    shutil.rmtree(folder / ".pc", ignore_errors=True)  # each patched file as it was before, for quilt


def apply(patch: Path, folder: Path) -> None:
    """Apply one patch to the tree in `folder`; raises if it does not fit."""
    _run(["patch", "-s", "-p1", "-d", str(folder), "-i", str(patch)], folder)


def _run(command: list[str], folder: Path) -> None:
    result = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, text=True)
    if result.returncode != 0:
        said = (result.stdout + result.stderr).strip()[-500:]
        raise LabError(f"source in {folder}: {command[0]} failed: {said}", "./lab doctor")
