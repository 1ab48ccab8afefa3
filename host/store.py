"""How is a thing that takes minutes made once, and never found half made?

Each lives in a folder named after a key of what it was made from. It is written aside and renamed
when whole, under a lock, and described by a list of its files' sizes that is checked before use.
"""

import contextlib
import functools
import hashlib
import json
import os
import shutil
import subprocess
from collections.abc import Callable, Iterable
from pathlib import Path

from filelock import FileLock, Timeout

from core.files import write_whole
from host.errors import LabError
from host.paths import cache, shared
from host.phases import say

LIST = "files.json"
ANY_KEY = "[0-9a-f]" * 16  # in a pattern, so that a kind is not taken for one whose name it begins
SECOND_NS = 10**9
ELSEWHERE = ", or set XDG_CACHE_HOME to a folder with more"


def key_of(*parts: str | bytes | Path) -> str:
    """A short key of strings, and of the contents and names of files and folders."""
    digest = hashlib.sha256()
    for part in parts:
        if isinstance(part, Path):
            for file in _files(part):
                digest.update(file.relative_to(part.parent).as_posix().encode() + b"\0")
                digest.update(file.read_bytes() + b"\0")
        else:
            digest.update((part.encode() if isinstance(part, str) else part) + b"\0")
    return digest.hexdigest()[:16]


def _files(path: Path) -> Iterable[Path]:
    return [path] if path.is_file() else sorted(p for p in path.rglob("*") if p.is_file())


@contextlib.contextmanager
def locked(name: str):
    """One `./lab` at a time does this; the others say that they wait."""
    lock = FileLock(cache() / f"{name}.lock")
    try:
        lock.acquire(blocking=False)
    except Timeout:
        say(f"{name}: another ./lab is at it; waiting for that one")
        lock.acquire()
    try:
        yield
    finally:
        lock.release()


def damage(folder: Path) -> str | None:
    """What is wrong with a stored folder, or None if it is as it was written.

    Compares sizes and times, not contents: hashing a gigabyte at each start would cost more than
    making it. Times by the second, because tar archives, a container image's layers too, have no more.
    """
    try:
        listed = json.loads((folder / LIST).read_text())
    except FileNotFoundError:
        return "missing"
    except (OSError, ValueError) as error:
        return f"its list cannot be read ({error})"
    if not (
        isinstance(listed, dict)
        and listed
        and all(isinstance(entry, list) and len(entry) == 2 for entry in listed.values())
    ):
        return "its list cannot be read (it is no list of files)"
    for name, (size, mtime_ns) in listed.items():
        try:
            found = (folder / name).stat()
        except OSError:
            return f"{name} is missing"
        if found.st_size != size:
            return f"{name} holds {found.st_size} bytes where {size} were written"
        if found.st_mtime_ns // SECOND_NS != mtime_ns // SECOND_NS:
            return f"{name} was changed after it was made"
    return None


def _in_use(folder: Path) -> bool:
    """Whether the folder is whole; if it is, it counts as used last, see _discard_others."""
    if damage(folder) is not None:
        return False
    try:
        os.utime(folder)
    except FileNotFoundError:  # another ./lab has discarded it in this moment
        return False
    return True


def stored(pattern: str) -> list[Path]:
    """What there is of these names, in this user's cache and in the one that is shared."""
    return [path for base in (cache(), shared()) if base for path in base.glob(pattern)]


def build_once(kind: str, key: str, make: Callable[[Path], None], needs_mib: int = 0, own: bool = False) -> Path:
    """Build the folder `kind-key` by `make(folder)`, if it is not there whole. One in the shared cache is taken as it
    is, or copied, if a user needs it as their `own`: to be written, or to be read by nobody else."""
    folder = cache() / f"{kind}-{key}"
    if _in_use(folder):
        return folder
    if theirs := _in_shared(folder.name):
        if not own:
            return theirs
        make = functools.partial(_copy, theirs)
    with locked(kind):
        reason = damage(folder)
        if reason is None:
            return folder
        if folder.exists():
            say(f"{kind}: the stored one is damaged ({reason}); making it again")
            shutil.rmtree(folder, ignore_errors=True)
        _make_aside(kind, folder, make, needs_mib)
        _discard_others(kind, folder)
    return folder


def build_resumable(kind: str, key: str, resume: Callable[[Path], Iterable[Path]], needs_mib: int = 0) -> Path:
    """Build the folder `kind-key`, going on where an earlier call was cut short: `resume(folder)` finds in it what that
    left, and returns the files that make it whole. Else like `build_once`."""
    folder = cache() / f"{kind}-{key}"
    if _in_use(folder):
        return folder
    if theirs := _in_shared(folder.name):
        return theirs
    with locked(kind):
        if damage(folder) is not None:
            if not folder.exists():
                need_space(kind, needs_mib, cache(), ELSEWHERE)
                folder.mkdir(mode=0o700)
            (folder / LIST).unlink(missing_ok=True)
            try:
                _write_list(folder, resume(folder))
            except OSError as error:
                raise LabError(f"{kind}: {error}", "fix what it names, then the same ./lab call") from error
            _discard_others(kind, folder)
    return folder


def _in_shared(name: str) -> Path | None:
    """The folder of that name in the shared cache, if it is whole and this user may read it."""
    base = shared()
    if not base:
        return None
    reason = damage(base / name)
    if reason is None:
        return base / name
    if reason != "missing":
        say(f"{base / name}: not used ({reason})")
    return None


def _copy(theirs: Path, folder: Path) -> None:
    """Copy all that the shared folder lists, with its times, and for nobody else."""
    say(f"{theirs.name}: copying the shared one")
    files = [theirs / name for name in json.loads((theirs / LIST).read_text())]
    result = subprocess.run(
        ["cp", "--preserve=timestamps", "--reflink=auto", "--sparse=always", *files, folder], stderr=subprocess.PIPE
    )
    if result.returncode:
        raise OSError(result.stderr.decode(errors="replace").strip())
    for file in folder.iterdir():
        file.chmod(0o600)


def generation(folder: Path) -> int | None:
    """The generation of what is in this folder: a number that changes when it is made again; None if it is empty."""
    try:
        return (folder / LIST).stat().st_mtime_ns
    except OSError:
        return None


def discard(kind: str, folder: Path, meant: int | None) -> None:
    """Remove what was made, if its `generation()` is still the one that was meant: another process may have discarded
    that one, and made it again. The next call that needs it makes it."""
    gone = folder.with_name(f"{folder.name}.part")  # so that it is whole or not there, for who reads in it meanwhile
    with locked(kind):
        if generation(folder) == meant and folder.exists():
            shutil.rmtree(gone, ignore_errors=True)
            os.rename(folder, gone)
            shutil.rmtree(gone, ignore_errors=True)


def mib(folders: Iterable[Path]) -> int:
    """What is in these folders, as the disk has it."""
    return sum(file.lstat().st_blocks for folder in folders for file in folder.rglob("*")) >> 11  # 512 bytes each


def need_space(what: str, needs_mib: int, folder: Path, elsewhere: str = "") -> None:
    """An error if so much is not free in this folder; it says what to do, and what else (`elsewhere`)."""
    free_mib = shutil.disk_usage(folder).free >> 20
    if free_mib < needs_mib:
        raise LabError(
            f"{what}: needs {needs_mib} MiB in {folder}, and {free_mib} MiB are free there",
            f"free some space{elsewhere}; then the same ./lab call",
        )


def _write_list(folder: Path, files: Iterable[Path]) -> None:
    """What `damage` compares with; written last, for it says that the folder is whole."""
    listed = {path.relative_to(folder).as_posix(): (path.stat().st_size, path.stat().st_mtime_ns) for path in files}
    write_whole(folder / LIST, json.dumps(listed))


def _make_aside(kind: str, folder: Path, make: Callable[[Path], None], needs_mib: int) -> None:
    aside = folder.with_name(f"{folder.name}.part")  # a kind may have a dot in its name
    for half_made in {aside, *_of_kind(kind, ".part")}:  # by one that was killed: nobody else makes such a one now
        shutil.rmtree(half_made, ignore_errors=True)
    need_space(kind, needs_mib, cache(), ELSEWHERE)
    aside.mkdir(mode=0o700)
    try:
        make(aside)
        _write_list(aside, _files(aside))
        os.rename(aside, folder)
    except OSError as error:
        raise LabError(f"{kind}: {error}", "fix what it names, then the same ./lab call") from error
    finally:
        shutil.rmtree(aside, ignore_errors=True)


def _discard_others(kind: str, made: Path) -> None:
    """Keep the one just made and the one used last before it (another checkout's, say)."""
    others = [folder for folder in _of_kind(kind) if folder != made]
    for folder in sorted(others, key=lambda path: path.stat().st_mtime)[:-1]:
        shutil.rmtree(folder, ignore_errors=True)


def _of_kind(kind: str, suffix: str = "") -> list[Path]:
    """The folders of this kind, not those of one whose name begins so."""
    return list(cache().glob(f"{kind}-{ANY_KEY}{suffix}"))
