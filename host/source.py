"""Which kernel lines does the book quote? Those of Debian's source package of the guest's kernel,
fetched from the archive and never committed."""

import gzip
import re
import shlex
import subprocess
from pathlib import Path

from book._ext.kernel_source import quoted_files
from host import debian, store
from host.image import Image, environment
from host.paths import REPOSITORY, cache
from host.phases import LabError, phase

SUITE, PACKAGE = "bookworm", "linux-source-6.1"


def kernel_source() -> Path:
    """A folder with the quoted files at their kernel paths, and VERSION."""
    quoted = quoted_files(REPOSITORY)
    version = _image_version()
    key = store.key_of(version or "current", *quoted)

    def make(folder: Path) -> None:
        _unpack(_package(version), quoted, folder)

    return store.made("kernel-source", key, make, 600)


def _image_version() -> str | None:
    """The kernel version of the newest image, if one was built; the book can do without."""
    images = [path for path in cache().glob("image-*") if store.damage(path) is None]
    if not images:
        return None
    return Image(max(images, key=lambda path: path.stat().st_mtime)).kernel_version


def _package(version: str | None) -> Path:
    """The folder with the packed source (138 MB) of that version, or of the archive's current."""

    def make(folder: Path) -> None:
        debian.need("mmdebstrap", "newuidmap", "xz")
        name = f"{PACKAGE}={version}" if version else PACKAGE
        with phase(f"kernel source: fetching Debian's {name}"):
            result = subprocess.run(
                ["mmdebstrap", "--variant=extract", f"--include={name}",
                 f"--extract-hook=download /usr/src/{PACKAGE}.tar.xz {shlex.quote(f'{folder}/source.tar.xz')}",
                 f"--extract-hook=download /usr/share/doc/{PACKAGE}/changelog.Debian.gz"
                 f" {shlex.quote(f'{folder}/changelog.gz')}",
                 "--format=null", SUITE, "-"],
                env=environment(), stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True,
            )
        if result.returncode != 0:
            errors = [line for line in result.stderr.splitlines() if line.startswith("E:")]
            raise LabError(
                f"kernel source: {errors[0] if errors else result.stderr[-300:]}",
                "if the archive has moved on: rm -r " + str(cache() / "image-*") + " && ./lab up",
            )
        changelog = gzip.decompress((folder / "changelog.gz").read_bytes()).decode()
        found = re.match(r"\S+ \((\S+)\)", changelog)[1]
        (folder / "version").write_text(found)

    return store.made("kernel-package", store.key_of(version or "current"), make, 600)


def _unpack(package: Path, quoted: list[str], folder: Path) -> None:
    version = (package / "version").read_text()
    wanted = [f"{PACKAGE}/{path}" for path in quoted]
    with phase(f"kernel source: unpacking {len(quoted)} quoted files"):
        result = subprocess.run(
            ["tar", "-xJf", package / "source.tar.xz", "-C", folder, "--strip-components=1",
             "--occurrence=1", *wanted],
            capture_output=True, text=True,
        ) if wanted else None
    if result and result.returncode != 0:
        raise LabError(f"kernel source {version}: {result.stderr.strip()}",
                       "mend the path in the page that quotes it")
    upstream = version.partition("-")[0]
    (folder / "VERSION").write_text(f"upstream {upstream}\npackage {PACKAGE} {version}\n")
