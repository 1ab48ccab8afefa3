"""Where does the project keep what it makes? Nothing is written outside these folders."""

import hashlib
import os
import tempfile
from pathlib import Path

import platformdirs

NAME = "where-packets-wait"
REPOSITORY = Path(__file__).resolve().parent.parent
LABS = REPOSITORY / "labs"
VM_IMAGE = REPOSITORY / "vm-image"


def cache() -> Path:
    """The user's cache: can be deleted at any time, costs only the time to make it again."""
    return _folder(Path(platformdirs.user_cache_dir(NAME)))


def data() -> Path:
    """What must not be lost: the reader's progress."""
    return _folder(Path(platformdirs.user_data_dir(NAME)))


def run() -> Path:
    """Sockets and process ids. Short, because a unix socket's path holds 107 bytes."""
    base = os.environ.get("XDG_RUNTIME_DIR") or tempfile.gettempdir()
    key = hashlib.sha256(str(cache()).encode()).hexdigest()[:8]
    return _folder(Path(base) / f"packets-{os.getuid()}-{key}")


def _folder(path: Path) -> Path:
    path.mkdir(mode=0o700, parents=True, exist_ok=True)
    return path
