"""How do we get the source of a Debian package, patched as Debian builds it? From the archive of the
guest's suite, whatever the host's own release and whether its apt knows of sources or not."""

import os
import re
import shlex
import subprocess
from pathlib import Path

from host import debian, store
from host.image import environment
from host.phases import LabError, phase

SUITE = "bookworm"  # vm-image/packages.toml's: one source for every host


def fetched(package: str) -> Path:
    """The folder with the source package's files as the archive has them, and `version`."""

    def fetch(folder: Path) -> None:
        debian.need("mmdebstrap", "newuidmap", "xz")
        with phase(f"{package} source: fetching Debian's package"):
            result = subprocess.run(
                _fetch(package, folder), env=environment(), stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True,
            )
        errors = [line for line in result.stderr.splitlines() if line.startswith("E:")]
        found = list(folder.glob(f"source/{package}_*.dsc"))
        if result.returncode != 0 or not found:
            raise LabError(f"{package} source: {errors[0] if errors else result.stderr[-300:]}",
                           "mend what it names, then the same ./lab call")
        version = re.search(r"^Version: (\S+)$", found[0].read_text(), re.MULTILINE)[1]
        (folder / "version").write_text(version)

    return store.made(f"{package}-package", store.key_of(SUITE), fetch, 600)


def _fetch(package: str, folder: Path) -> list[str]:
    """A root file system in which nothing is installed: only its apt is used, with a line for
    sources beside each line for packages. `copy-out` brings the files over as this user's."""
    apt = "APT_CONFIG=$MMDEBSTRAP_APT_CONFIG apt-get -qq -o APT::Sandbox::User=root"
    return [
        "mmdebstrap", "--variant=custom", "--format=null",
        f"--mode={'root' if os.getuid() == 0 else 'unshare'}",
        # Which of the two forms mmdebstrap writes depends on its version.
        r"""--setup-hook=find "$1/etc/apt" -name '*.list' -exec sed -i 's/^deb \(.*\)/&\ndeb-src \1/' {} +""",
        r"""--setup-hook=find "$1/etc/apt" -name '*.sources' -exec sed -i 's/^Types: deb$/& deb-src/' {} +""",
        f'--customize-hook=mkdir "$1/source" && cd "$1/source" && {apt} source --download-only {package}',
        f"--customize-hook=copy-out /source {shlex.quote(str(folder))}",
        SUITE, "-",
    ]


def unpack(package: str, folder: Path) -> None:
    """The source of `package` with Debian's patches applied, below `folder`."""
    debian.need("xz", "patch")
    files = fetched(package) / "source"
    for archive in files.glob("*.tar.*"):
        # The packaging, debian/, has no folder of its own around it.
        strip = [] if ".debian." in archive.name else ["--strip-components=1"]
        _run(["tar", "-xf", str(archive), "-C", str(folder), *strip], folder)
    patches = folder / "debian" / "patches"
    for line in (patches / "series").read_text().splitlines():
        name = line.partition("#")[0].strip()
        if name:
            apply(patches / name, folder)


def apply(patch: Path, folder: Path) -> None:
    """Apply one patch to the tree in `folder`; raises if it does not fit."""
    _run(["patch", "-s", "-p1", "-d", str(folder), "-i", str(patch)], folder)


def _run(command: list[str], folder: Path) -> None:
    result = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, text=True)
    if result.returncode != 0:
        said = (result.stdout + result.stderr).strip()[-500:]
        raise LabError(f"source in {folder}: {command[0]} failed: {said}", "./lab doctor")
