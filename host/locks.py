"""Which process still uses a guest's folder? The kernel says: it releases a lock of flock(2) when the process that took
it has ended, however it ended. A process id says less, because the kernel gives it to another process later."""

import contextlib
import fcntl
import os
import time
from pathlib import Path

from host import paths

# In a guest's folder: the ./lab that started it keeps this file locked for as long as it lives.
STARTER = "starter"
NEW_S = 600  # so young a folder without that file may be of an older ./lab, which is about to start a guest in it


def hold(folder: Path) -> int:
    """Lock STARTER until the descriptor that this returns is closed, or this process ends; QEMU does not inherit it
    (PEP 446). The file gets its name when it is locked, so that nobody finds it free before."""
    aside = folder / f"{STARTER}.part"
    lock = os.open(aside, os.O_RDWR | os.O_CREAT, 0o600)
    fcntl.flock(lock, fcntl.LOCK_EX)
    aside.rename(folder / STARTER)
    return lock


def starter_lives(folder: Path, pid: int) -> bool:
    """Whether the ./lab that started the guest in this folder still runs. An older ./lab took no lock: then `pid`, its
    process id, is all that there is to ask for."""
    try:
        with open(folder / STARTER) as file:
            fcntl.flock(file, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except BlockingIOError:
        return True
    except FileNotFoundError:
        return os.path.exists(f"/proc/{pid}")
    return False


def starter_is_gone(folder: Path) -> bool:
    """Whether the ./lab that made this folder has ended before it wrote down a guest there, and so no process id."""
    with contextlib.suppress(FileNotFoundError):  # its owner has removed it since we listed it
        settled = (folder / STARTER).exists() or time.time() - folder.stat().st_mtime > NEW_S
        return settled and not starter_lives(folder, 0)
    return False


def monitor_at(folder: Path) -> str:
    """QEMU's option for its control socket, by which a guest's process is known: no other has it in its command."""
    return f"unix:{paths.in_option(folder / 'qmp')},server=on,wait=off"


def processes_in(folder: Path) -> list[int]:
    """The process ids of the QEMU that was started in this folder, written down or not, and of what confines it."""
    # The second is how a confined QEMU is named.
    ours = {(b"-qmp", os.fsencode(monitor_at(folder))), (b"-name", os.fsencode(paths.in_option(folder / "qmp")))}
    found = []
    for process in Path("/proc").glob("[0-9]*"):
        with contextlib.suppress(OSError):  # it has ended
            words = (process / "cmdline").read_bytes().split(b"\0")
            if ours.intersection(zip(words, words[1:])) and process.stat().st_uid == os.getuid():
                found.append(int(process.name))
    return found


def is_free(folder: Path) -> bool:
    """Whether nobody holds the lock of `kept_from_ageing`. Raises FileNotFoundError if there is no such folder."""
    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    finally:
        os.close(descriptor)
    return True


def kept_from_ageing(folder: Path) -> int:
    """Lock a folder in /tmp against ageing, and return the descriptor, to be inherited: while a process has it open,
    systemd-tmpfiles leaves the folder and all that is in it alone, however old (tmpfiles.d(5))."""
    lock = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    fcntl.flock(lock, fcntl.LOCK_SH)
    return lock
