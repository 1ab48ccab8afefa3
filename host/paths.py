"""Where does the project keep what it makes? In these folders, in work/ and _build/ of the checkout,
and as kernelspecs where Jupyter looks for them."""

import hashlib
import os
from pathlib import Path

import platformdirs

NAME = "where-packets-wait"
REPOSITORY = Path(__file__).resolve().parent.parent
LABS = REPOSITORY / "labs"
VM_IMAGE = REPOSITORY / "vm-image"
FETCHING = REPOSITORY / "host" / "fetching"  # shell scripts, for they are needed before there is a Python


def cache() -> Path:
    """The user's cache: can be deleted at any time, costs only the time to make it again."""
    return _folder(Path(platformdirs.user_cache_dir(NAME)))


def shared() -> Path | None:
    """A copy of somebody's cache from which this user reads, and into which nobody writes; None if none is named."""
    named = os.environ.get("LAB_SHARED_CACHE")
    return Path(named).resolve() if named else None


def data() -> Path:
    """What must not be lost: the reader's progress."""
    return _folder(Path(platformdirs.user_data_dir(NAME)))


def run() -> Path:
    """Sockets and process ids. Short, because a unix socket's path holds 107 bytes, and the same
    from a login, a cron job or an editor, so that each finds the guest that another left up."""
    key = hashlib.sha256(str(cache()).encode()).hexdigest()[:8]
    base = os.environ.get("LAB_RUN_DIR", "/tmp")
    folder = _folder(Path(base).resolve() / f"packets-{os.getuid()}-{key}")
    owner = folder.lstat()
    if owner.st_uid != os.getuid() or owner.st_mode & 0o077:
        raise PermissionError(f"{folder} is not this user's alone; remove it")
    return folder


def lost_guests() -> Path:
    """A line for each guest that did not wake, or in tests hold still, and in whose place another was tried."""
    return run() / "lost"


def in_option(path: Path) -> str:
    """A path in an option of QEMU's: a comma ends a value there, a doubled one is a comma."""
    return str(path).replace(",", ",,")


def _folder(path: Path) -> Path:
    path.mkdir(mode=0o700, parents=True, exist_ok=True)
    return path
