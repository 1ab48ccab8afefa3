"""How does a guest's root file system become a disk? Debian's packages by mmdebstrap, whose archive mksquashfs packs
while it comes."""

import re
import subprocess
import time
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from host.debian import archive
from host.errors import LabError
from host.paths import cache
from host.phases import phase

# Levels of zstd. SMALL saves 7 % of the VM's disk, and takes two cores 160 s where QUICK takes 14: it is for what pages
# fetch.
QUICK, SMALL = 6, 15
NOT_THERE = "Unable to locate package|has no installation candidate"  # apt's words
NEEDS_MIB = 4500  # of the VM's: unpacked guest, its packages and the packed disk, for a moment all at once


class NotInArchive(LabError):
    """The archive has none of a package that was asked for."""


@dataclass(frozen=True)
class Root:
    """What it is made of: `packages` of a `suite`, without what the patterns `left_out` name and those of `included` do
    not, and the `hooks` of mmdebstrap that finish it; further `options` are mmdebstrap's; packed at this `level`."""

    suite: str
    packages: Iterable[str]
    left_out: Iterable[str]
    hooks: Iterable[str]
    options: Iterable[str] = ()
    included: Iterable[str] = ()
    level: int = QUICK

    def command(self, written: str = "-") -> list[str]:
        """The command line, for an archive in the file `written` (stdout); root is used where we are root, a user
        namespace elsewhere."""
        return [
            "mmdebstrap",
            "--variant=minbase",
            "--format=tar",
            f"--mode={archive.mode()}",
            *self.options,
            f"--include={','.join(self.packages)}",
            '--aptopt=APT::Install-Recommends "false"',
            *[f"--dpkgopt=path-exclude={pattern}" for pattern in self.left_out],
            *[f"--dpkgopt=path-include={pattern}" for pattern in self.included],  # of dpkg's rules the last one counts
            *[f"--customize-hook={hook}" for hook in self.hooks],
            *archive.of(self.suite, written),
        ]


def packed(root: Root, disk: Path, what: str) -> None:
    """Make the disk, a squashfs; `what` is its name on the terminal and that of its log. Raises NotInArchive for a
    package that the archive does not have, and LabError for what else ended the build."""
    log = cache() / f"{what.replace(' ', '-')}.log"
    with phase(f"{what}: building it (once, two to four minutes)") as progress:
        with open(log, "w") as errors, archive.started(root.command(), stdout=subprocess.PIPE, stderr=errors) as build:
            pack = subprocess.Popen(
                [*archive.ENDED_WITH_US, "mksquashfs", "-", disk, *from_tar(root.level)],
                stdin=build.stdout,
                stdout=errors,
                stderr=errors,
            )
            try:
                while build.poll() is None or pack.poll() is None:
                    # mksquashfs reads up to the archive's end, and not the zeros behind that: somebody has to have the
                    # pipe open while they are written. If it failed, nobody does, which ends mmdebstrap.
                    if pack.poll():
                        build.stdout.close()
                    progress(_last_step(log))
                    time.sleep(0.5)
            finally:
                build.stdout.close()
                if pack.poll() is None:
                    pack.terminate()
                    pack.wait()
    if build.returncode or pack.returncode:
        cause = _cause(what, log)
        failure = NotInArchive if re.search(NOT_THERE, cause) else LabError
        raise failure(cause, "fix what it names, then the same ./lab call")


def from_tar(level: int) -> list[str]:
    """The options of mksquashfs for a tar archive that comes to it, at this level of zstd."""
    return ["-tar", *_squashfs(level)]  # first, because it turns fragments for tails on


def squashing(folder: Path | str, disk: Path) -> list[str]:
    """The command that packs a folder, for a page to fetch."""
    return ["mksquashfs", str(folder), str(disk), *_squashfs(SMALL)]


def _squashfs(level: int) -> list[str]:
    return [
        *("-comp", "zstd", "-Xcompression-level", str(level)),
        # With a file's tail in a fragment, Linux 6.1 leaves what was there behind its end: tests/guest/test_disk.py.
        "-no-tailends",
        *("-noappend", "-no-progress", "-quiet"),
    ]


def _last_step(log: Path) -> str:
    steps = re.findall(r"^I: (.*)$", log.read_text(errors="replace"), re.MULTILINE)
    return steps[-1] if steps else ""


def _cause(what: str, log: Path) -> str:
    """One line of cause from a failed build's log, and where the whole log is."""
    text = log.read_text(errors="replace")
    if re.search("No space left on device|enough free space", text):  # the system's words, and apt's
        cause = f"the disk is full (about {NEEDS_MIB} MiB are needed in {archive.unpacks_in()} and {cache()})"
    else:
        errors = re.findall(r"^(?:E|FATAL ERROR|dpkg: error).*$", text, re.MULTILINE)
        cause = errors[0] if errors else "see the log"
    return f"{what}: {cause}\n  The whole log: {log}"
