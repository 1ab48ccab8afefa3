"""Which Debian packages may a reader's machine lack, and where does its apt get them if there is no network? From a
folder with the .deb files, and with the index that makes it an archive for apt. Each release has its own."""

import functools
import shlex
import subprocess
from pathlib import Path

from host import store
from host.debian import archive, installed
from host.errors import LabError
from host.phases import phase

SUITES = ("bookworm", "trixie")
PYTHON = ("python3", "python3-venv")  # as the script `lab` asks for them
NEEDS_MIB = 1500
# What is named, and what comes with that on a machine that has no more than the smallest Debian does.
DOWNLOAD = (
    f"{archive.APT_GET} -y --no-install-recommends --download-only -o Dir::Cache::Archives=$1/packages/ install"
    ' {} && rm -r "$1/packages/partial" "$1/packages/lock"'
)


def packages(suite: str) -> Path:
    """That folder (once, a minute)."""
    named = sorted({*PYTHON, *(installed.PACKAGES[name] for name in (*installed.LAB, *installed.QEMU_BUILD))})
    key = store.key_of(suite, *named)
    return store.build_once(f"packages-{suite}", key, functools.partial(_fetch, suite, named), NEEDS_MIB)


def _fetch(suite: str, named: list[str], folder: Path) -> None:
    archive.need("dpkg-source")  # its package has dpkg-scanpackages, too
    command = [
        "mmdebstrap",
        "--variant=minbase",
        "--format=null",
        f"--mode={archive.mode()}",
        '--customize-hook=mkdir "$1/packages"',
        f"--customize-hook={DOWNLOAD.format(shlex.join(named))}",
        f"--customize-hook=copy-out /packages {shlex.quote(str(folder))}",
        *archive.of(suite),
    ]
    with phase(f"packages: fetching those that a Debian {suite} may lack"):
        done, cause = archive.run(command)
    if not done:
        raise LabError(f"packages of {suite}: {cause}", "./lab doctor")
    index = subprocess.run(["dpkg-scanpackages", "-m", "."], cwd=folder / "packages", capture_output=True, check=True)
    (folder / "packages/Packages").write_bytes(index.stdout)
