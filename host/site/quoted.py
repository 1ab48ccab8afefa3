"""Which lines of other people's programs does the book quote? Those of Debian's source packages, of the
guest's kernel, of a later one beside it and of QEMU, fetched from the archive and never committed."""

import gzip
import re
import shlex
import shutil
import subprocess
from pathlib import Path

from book._ext.quoted.kernel_source import quoted_files
from host import store
from host.debian import archive, pins, source
from host.errors import LabError
from host.paths import REPOSITORY
from host.phases import phase

PACKAGE = "linux-source-6.1"
# A later kernel that a page compares it with: the directive's `:tree: linux-6.12`.
LATER_TREE, LATER_PACKAGE = "linux-6.12", "linux-source-6.12"
# Pages quote no other version than the recorded one: what they say of a line was seen there.
NEXT = "LAB_ARCHIVE=FILE ./lab book, with an archive that has it; or ./lab update, which records with another"


def trees() -> dict[str, str]:
    """The folder of each tree that pages quote, by the variable that book/_ext/quoted/source_trees.py reads."""
    found = {"LAB_KERNEL_SOURCE": kernel_source()}
    if later := quoted_files(REPOSITORY, LATER_TREE):
        found["LAB_LATER_KERNEL_SOURCE"] = _tree("later-kernel", LATER_PACKAGE, later)
    if quoted_files(REPOSITORY, "qemu"):
        found["LAB_QEMU_SOURCE"] = qemu_source()
    return {variable: str(folder) for variable, folder in found.items()}


def qemu_source() -> Path:
    """A folder with the quoted files of QEMU's source, as Debian patches it, and VERSION."""
    quoted = quoted_files(REPOSITORY, "qemu")
    fetched = source.fetched("qemu")
    version = (fetched / "version").read_text()
    if unlike := pins.differing({"qemu": version}, {"qemu": pins.source("qemu")}):
        raise LabError(f"QEMU source: the archive gave {unlike}, which was recorded", f"rm -r {fetched}, then {NEXT}")

    def make(folder: Path) -> None:
        whole = folder / "whole"
        with phase(f"QEMU source: unpacking {len(quoted)} quoted file{'s' * (len(quoted) != 1)}"):
            source.unpack("qemu", whole)
        for path in quoted:
            if not (whole / path).is_file():
                raise LabError(f"QEMU source {version}: no file {path}", "fix the path in the page that quotes it")
            (folder / path).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(whole / path, folder / path)
        upstream = (whole / "VERSION").read_text().strip()
        shutil.rmtree(whole)
        (folder / "VERSION").write_text(f"upstream {upstream}\npackage qemu {version}\n")

    return store.build_once("qemu-source", store.key_of(version, *quoted), make, 800)


def kernel_source() -> Path:
    """A folder with the quoted files at their kernel paths, and VERSION."""
    return _tree("kernel", PACKAGE, quoted_files(REPOSITORY))


def _tree(kind: str, package: str, quoted: list[str]) -> Path:
    version = pins.source(package)

    def make(folder: Path) -> None:
        _unpack(_package(kind, package, version), package, quoted, folder)

    return store.build_once(f"{kind}-source", store.key_of(version, *quoted), make, 600)


def _package(kind: str, package: str, version: str) -> Path:
    """The folder with the packed source (138 MB) of that version."""

    def make(folder: Path) -> None:
        archive.need("xz")
        with phase(f"kernel source: fetching Debian's {package} {version}"):
            done, cause = archive.run(
                [
                    "mmdebstrap",
                    "--variant=extract",
                    f"--include={package}={version}",
                    f"--extract-hook=download /usr/src/{package}.tar.xz {shlex.quote(f'{folder}/source.tar.xz')}",
                    f"--extract-hook=download /usr/share/doc/{package}/changelog.Debian.gz"
                    f" {shlex.quote(f'{folder}/changelog.gz')}",
                    "--format=null",
                    *archive.of(source.SUITE),
                ]
            )
        if not done:
            raise LabError(f"{package} {version}, which was recorded, did not come from the archive: {cause}", NEXT)
        changelog = gzip.decompress((folder / "changelog.gz").read_bytes()).decode()
        found = re.findall(r"\A\S+ \((\S+)\)", changelog)[0]
        (folder / "version").write_text(found)

    return store.build_once(f"{kind}-package", store.key_of(version), make, 600)


def _unpack(packed: Path, package: str, quoted: list[str], folder: Path) -> None:
    version = (packed / "version").read_text()
    wanted = [f"{package}/{path}" for path in quoted]
    with phase(f"kernel source: unpacking {len(quoted)} quoted files"):
        result = (
            subprocess.run(
                [
                    "tar",
                    "-xJf",
                    packed / "source.tar.xz",
                    "-C",
                    folder,
                    "--strip-components=1",
                    "--occurrence=1",
                    *wanted,
                ],
                capture_output=True,
                text=True,
            )
            if wanted
            else None
        )
    if result and result.returncode != 0:
        raise LabError(f"{package} {version}: {result.stderr.strip()}", "fix the path in the page that quotes it")
    upstream = version.partition("-")[0]
    (folder / "VERSION").write_text(f"upstream {upstream}\npackage {package} {version}\n")
