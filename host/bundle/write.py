"""How does the lab get onto a machine that has no network? As one file, which `./lab start --bundle FILE` takes in by
take.sh: folders of the cache and the site, a tar archive packed by gzip, because every Debian has both. Most of it is
packed already, so another compressor would gain little. From the same folders it is the same file, byte for byte."""

import contextlib
import gzip
import hashlib
import io
import os
import subprocess
import tarfile
import tempfile
from collections.abc import Iterator
from pathlib import Path

from host import store
from host.bundle import contents
from host.errors import LabError
from host.paths import REPOSITORY, cache
from host.phases import phase
from host.site import build
from host.tab import state

SUMS = "SHA256SUMS"  # first in it, so that it can be read without the rest; in its first line size and commit
SITE = "site"


def write(file: Path) -> int:
    """Write the bundle to `file`; returns its size in bytes."""
    if not file.parent.is_dir():
        raise LabError(f"{file}: there is no folder {file.parent}", f"mkdir -p {file.parent}")
    folders = contents.folders()
    state.state()  # for the site, in which chapter 1 runs
    with tempfile.TemporaryDirectory(dir=cache()) as made:
        site = build.book(Path(made), from_folder=True).rename(Path(made) / SITE)
        pack([*folders, site], file)
    return file.stat().st_size


def pack(folders: list[Path], file: Path) -> None:
    """Pack these folders, each under its own name, and before them the checksums of their files."""
    store.need_space("bundle", store.mib(folders), file.parent)
    aside = file.with_name(f".{file.name}.part")
    try:
        with phase("bundle: checksums"):
            files = [(name, path) for name, path in _files(folders) if not path.is_symlink()]
            sums = f"# {sum(path.stat().st_size for _, path in files) >> 10} KiB, of commit {_commit()}\n"
            sums += "".join(f"{_sha256(path)}  {name}\n" for name, path in files)
        with (
            phase("bundle: packing it") as progress,
            open(aside, "wb") as written,
            gzip.GzipFile("", "wb", compresslevel=1, fileobj=written, mtime=0) as packed,
            tarfile.open(mode="w", fileobj=packed, format=tarfile.PAX_FORMAT) as archive,
        ):
            first = tarfile.TarInfo(SUMS)
            first.size = len(sums)
            archive.addfile(first, io.BytesIO(sums.encode()))
            for name, path in _files(folders):
                _add(archive, name, path)
                progress(f"{written.tell() >> 20} MiB")
        os.rename(aside, file)
    except OSError as error:
        raise LabError(f"bundle: {error}", "fix what it names, then the same ./lab call") from error
    finally:
        aside.unlink(missing_ok=True)


def _commit() -> str:
    """What this checkout is of; "" if it is no clone."""
    asked: list[str | Path] = ["git", "-c", "safe.directory=*", "-C", REPOSITORY, "rev-parse", "HEAD"]
    with contextlib.suppress(FileNotFoundError):
        return subprocess.run(asked, capture_output=True, text=True).stdout.strip()
    return ""


def _files(folders: list[Path]) -> Iterator[tuple[str, Path]]:
    """Each file and symbolic link, and its name in the bundle. No folder has an entry of its own, because the store
    keeps in its time when it was used last."""
    for folder in folders:
        for path in sorted(folder.rglob("*")):
            if path.is_symlink() or path.is_file():
                yield f"{folder.name}/{path.relative_to(folder).as_posix()}", path


def _sha256(path: Path) -> str:
    with open(path, "rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _add(archive: tarfile.TarFile, name: str, path: Path) -> None:
    """Add one file, with nothing of this user. Its time is kept, because store.damage() compares it; the site's files
    have none, because they were made just now."""
    entry = archive.gettarinfo(path, name)
    entry.uid = entry.gid = 0
    entry.mtime = 0 if name.startswith(f"{SITE}/") else int(path.lstat().st_mtime)
    entry.uname = entry.gname = ""
    entry.mode = 0o700 if entry.mode & 0o100 else 0o600
    if not entry.isreg():
        archive.addfile(entry)
        return
    with open(path, "rb") as file:
        archive.addfile(entry, file)
