"""What of labs/ and core/ does a guest lack? All of it, or what has changed since its snapshot was kept: some hundred
files take half a second to unpack under emulation, and Python as long to compile."""

import contextlib
import functools
import hashlib
import json
import shlex
import subprocess
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import IO, cast

from host.paths import REPOSITORY

SENT = ("core", "labs", "tests/guest")
KEPT_BACK = ("solutions", "wrong")  # of each exercise: no answers lie where the reader looks for one
LIST = "labs.json"  # in a run's folder: what the guest woke with, until somebody has asked


@dataclass(frozen=True)
class Update:
    """An archive, to be the standard input of `unpack` in the guest. Either may be lacking: nothing to send, or
    nothing to do at all. `lost()` says that the guest was not reached: the next call is to bring the same."""

    archive: IO[bytes] | int = subprocess.DEVNULL
    unpack: str = ""
    lost: Callable[[], None] = lambda: None


def contents() -> dict[str, str]:
    """Each file that a guest gets, with the SHA-256 of its bytes and of its mode."""
    files = (
        file
        for folder in SENT
        for file in sorted((REPOSITORY / folder).rglob("*"))
        if file.is_file() and "__pycache__" not in file.parts and not _kept_back(file)
    )
    return {
        file.relative_to(REPOSITORY).as_posix(): hashlib.sha256(
            file.read_bytes() + b"%o" % file.stat().st_mode
        ).hexdigest()
        for file in files
    }


def _kept_back(file: Path) -> bool:
    """Whether a file is an answer in an exercise's folder, exercises/ex<n>/solutions/1.sh say."""
    return file.parent.name in KEPT_BACK and file.parents[2].name == "exercises"


def has(folder: Path, files: dict[str, str]) -> None:
    """Write down, in a snapshot's or a run's folder, what the guest has."""
    (folder / LIST).write_text(json.dumps(files))


def _gone(known: dict[str, str], files: dict[str, str]) -> list[str]:
    """What is to be removed from the guest: files, and folders of which no file is left. The latter
    go whole, for Python takes a folder that holds nothing but __pycache__ for a package."""
    left = {folder for name in files for folder in PurePosixPath(name).parents}
    return sorted(
        {
            str(next((folder for folder in reversed(path.parents) if folder not in left), path))
            for path in map(PurePosixPath, known.keys() - files.keys())
        }
    )


@contextlib.contextmanager
def packed(run: Path) -> Iterator[Update]:
    """What the guest of this run lacks. Only the first to ask is told of what it woke with: later a reader
    may have changed it, and gets all."""
    try:
        known = json.loads((run / LIST).read_text())
        (run / LIST).unlink()
    except (OSError, ValueError):
        known = {}
    files = contents()
    if known:
        names, gone = [name for name in files if files[name] != known.get(name)], _gone(known, files)
        unpack = " && ".join([f"rm -rf -- {shlex.join(gone)}"] * bool(gone) + ["tar -x"] * bool(names))
    else:
        names, unpack = list(SENT), "tar -x --recursive-unlink"
    lost = functools.partial(has, run, known)
    if not names:
        yield Update(unpack=unpack, lost=lost)
        return
    left_out = ["__pycache__", *(f"exercises/*/{kept}" for kept in KEPT_BACK)]
    excluded = [f"--exclude={pattern}" for pattern in left_out]
    command = ["tar", "-c", "-C", str(REPOSITORY), *excluded, "--owner=0", "--group=0", "--", *names]
    with subprocess.Popen(command, stdout=subprocess.PIPE) as tar:
        try:
            yield Update(cast(IO[bytes], tar.stdout), unpack, lost)
        finally:
            tar.stdout.close()
