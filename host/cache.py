"""What is in the cache, and what of it may go? Of each kind what was used last stays, and so does what a process still
uses. The rest is of an older recipe, or of another checkout, which makes it again when it is called."""

import contextlib
import re
import shutil
import time
from dataclasses import asdict, dataclass
from pathlib import Path

from host import locks, paths, store

# As host/store.py names what it keeps, and ./lab an environment; what is cut short ends in ".part".
KEPT = re.compile(r"(?P<kind>.+)-(?:[0-9a-f]{16}|[0-9a-f]{12}|ed25519)(?P<half_made>\.part)?")


@dataclass(frozen=True)
class Kept:
    """A folder of the cache: its size on the disk, when it was `used` last, and why it stays; "" if it may go."""

    name: str
    mib: int
    used: str
    stays: str


def listing() -> list[Kept]:
    """All that the store has made and ./lab's environments, by kind, in each what was used last first."""
    return [
        Kept(
            folder.name,
            store.mib([folder]),
            time.strftime("%Y-%m-%d %H:%M", time.localtime(folder.stat().st_mtime)),
            _stays(folder, folder == folders[0]),
        )
        for _, folders in sorted(_by_kind().items())
        for folder in folders
    ]


def remove() -> list[str]:
    """Remove what may go; returns its names. Of each kind it is looked at again when nobody makes one of that kind."""
    removed = []
    for kind, folders in sorted(_by_kind().items()):
        if _idle(folders):
            with store.locked(kind):
                for folder in _idle(_by_kind().get(kind, [])):
                    shutil.rmtree(folder, ignore_errors=True)
                    removed.append(folder.name)
    return removed


def _idle(folders: list[Path]) -> list[Path]:
    """Those of one kind's that may go."""
    return [folder for folder in folders if not _stays(folder, folder == folders[0])]


def text(found: list[Kept]) -> str:
    """A line for each, and what may go in all."""
    lines = [f"{each.mib:6} MiB  {each.name:<42} {each.used}  {each.stays or 'may go'}" for each in found]
    whole = sum(each.mib for each in found)
    idle = sum(each.mib for each in found if not each.stays)
    lines.append(f"{whole:6} MiB  in {paths.cache()}, of which {idle} MiB may go")
    return "\n".join([*lines, "  Next: ./lab cache --remove"] if idle else lines)


def as_json(found: list[Kept]) -> dict:
    """The same for programs."""
    return {"cache": str(paths.cache()), "kept": [asdict(each) for each in found]}


def _by_kind() -> dict[str, list[Path]]:
    """The cache's folders of each kind, what was used last first, and what is half made last."""
    found: dict[str, list[tuple[bool, float, Path]]] = {}
    for folder in paths.cache().iterdir():
        if (named := KEPT.fullmatch(folder.name)) and folder.is_dir():
            order = (bool(named["half_made"]), -folder.stat().st_mtime, folder)
            found.setdefault(named["kind"], []).append(order)
    return {kind: [folder for *_, folder in sorted(orders)] for kind, orders in found.items()}


def _stays(folder: Path, is_first: bool) -> str:
    """Why it stays; "" if it may go."""
    if folder.suffix == ".part":
        return ""
    if is_first:
        return "used last"
    if not locks.is_free(folder) or _is_named_by_a_process(folder):
        return "in use"
    return ""


def _is_named_by_a_process(folder: Path) -> bool:
    """Whether a process has it on its command line, as QEMU has its disk, its memory and its program."""
    names = {bytes(folder), paths.in_option(folder).encode()}
    for process in Path("/proc").glob("[0-9]*/cmdline"):
        with contextlib.suppress(OSError):  # it has ended
            command = process.read_bytes()
            if any(name in command for name in names):
                return True
    return False
