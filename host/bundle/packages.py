"""Which Debian packages may a reader's machine lack, and where does its apt get them if there is no network? From a
folder with the .deb files, and with the index that makes it an archive for apt. Each release has its own."""

import functools
import platform
import shlex
import subprocess
from pathlib import Path

from host import store
from host.debian import archive, installed
from host.errors import LabError
from host.phases import phase

SUITES = ("bookworm", "trixie")  # the older first
PYTHON = ("python3", "python3-venv")  # as the script `lab` asks for them
NEEDS_MIB = 1500
# All that these depend on, also what any Debian has: one of an older point release may have it in another version.
DOWNLOAD = (
    f"{archive.APT_GET} -y --no-install-recommends --download-only -o Dir::Cache::Archives=$PWD/ install {{}}"
    " && rm -r partial lock"
)


def packages(suite: str) -> Path:
    """That folder (once, a minute)."""
    key = store.key_of(suite, DOWNLOAD, *named())
    return store.build_once(f"packages-{suite}", key, functools.partial(_fetch, suite), NEEDS_MIB)


def of_this_machine() -> str:
    """Which release this machine is, by its name, or "" (os-release(5))."""
    return platform.freedesktop_os_release().get("VERSION_CODENAME", "")


def named() -> list[str]:
    """The packages that the lab needs on a reader's machine, chapter 2's compiler among them."""
    return sorted({*PYTHON, *(installed.PACKAGES[name] for name in (*installed.LAB, *installed.QEMU_BUILD))})


def _fetch(suite: str, folder: Path) -> None:
    archive.need("dpkg-source")  # its package has dpkg-scanpackages, too
    command = archive.by_apt(suite, DOWNLOAD.format(shlex.join(named())), "packages", folder)
    with phase(f"packages: fetching those that a Debian {suite} may lack"):
        done, cause = archive.run(command)
    if not done:
        raise LabError(f"packages of {suite}: {cause}", "./lab doctor")
    index = subprocess.run(["dpkg-scanpackages", "-m", "."], cwd=folder / "packages", capture_output=True, check=True)
    (folder / "packages/Packages").write_bytes(index.stdout)
