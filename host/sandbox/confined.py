"""How does a program run on this machine without being able to do what its user can? In bubblewrap: QEMU, whose guest
may have found a hole in it, and C of a reader's.

It sees Debian's programs and libraries, the files that it is given, and those that it may write; no home, no other
process, and of the network a loopback device of its own; some system calls it has lost (filtered.py). See bwrap(1),
namespaces(7) and getrlimit(2).
"""

import contextlib
import functools
import os
import shlex
import socket
import subprocess
import sys
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from host import paths
from host.debian import installed, namespaces
from host.sandbox import filtered, relay

TEMPORARY_BYTES = 256 << 20  # of /tmp, which is memory
PROCESSES = 256  # and threads: QEMU has up to 64 that read its disk
MEMORY_BYTES = 8 << 30  # of addresses, of each process: a guest's memory, what is compiled of its code, and QEMU
FILTERED = Path(filtered.__file__).read_text()  # its text: whoever it runs as need not be able to read our folder
# Nothing adds up the memory of all processes of an answer's. When the machine's is short, the kernel shall end these
# first (proc(5), oom_score_adj), and not what the reader works with.
ENDED_FIRST = "1000"
# What of /etc Debian's compiler and linker need: `cc` is a link into the first, the second says where libraries are.
CONFIGURATION = ("/etc/alternatives", "/etc/ld.so.cache")
INSIDE = "mount into the container only what QEMU may reach"
SSHD_PORT = 2222  # of a guest on its own loopback device, where no other is


def confined(
    command: Sequence[str | Path],
    reads: Iterable[Path] = (),
    writes: Iterable[Path] = (),
    devices: Iterable[Path] = (),
    starts_in: Path = Path("/"),
    is_an_answers: bool = True,
) -> list[str]:
    """The command line that runs `command` confined. It may read the files and folders `reads`, and write the files
    `writes`, which are there already: it can make no others, but for what fits in TEMPORARY_BYTES. It is killed when
    whoever starts it ends; and if it `is_an_answers`, first of all when memory is short."""
    words: list[str | os.PathLike[str]] = [
        *("/usr/bin/python3", "-I", "-S", "-c", FILTERED, ENDED_FIRST if is_an_answers else ""),
        "bwrap",
        "--unshare-all",
        "--unshare-user",
        "--disable-userns",
        "--die-with-parent",
        "--new-session",
        "--cap-drop",
        "ALL",
    ]
    words += ["--clearenv"]
    for name, value in {"PATH": "/usr/bin:/bin", "LC_ALL": "C.UTF-8", "HOME": "/tmp", "TMPDIR": "/tmp"}.items():
        words += ["--setenv", name, value]
    words += ["--ro-bind", "/usr", "/usr"]
    for name in ("bin", "sbin", "lib", "lib32", "lib64", "libx32"):
        if os.path.islink(f"/{name}"):
            words += ["--symlink", os.readlink(f"/{name}"), f"/{name}"]
        else:
            words += ["--ro-bind-try", f"/{name}", f"/{name}"]
    for path in CONFIGURATION:
        words += ["--ro-bind-try", path, path]
    words += ["--proc", "/proc", "--dev", "/dev", "--size", str(TEMPORARY_BYTES), "--tmpfs", "/tmp"]
    for how, bound in (("--ro-bind", reads), ("--bind", writes), ("--dev-bind-try", devices)):
        for each in bound:
            words += [how, each, each]
    # What is left of the two is memory, and could be filled.
    words += ["--remount-ro", "/proc", "--remount-ro", "/dev", "--remount-ro", "/", "--chdir", starts_in]
    limits = ["prlimit", f"--nproc={PROCESSES}", f"--as={MEMORY_BYTES}"]
    return [os.fspath(word) for word in (*words, "--", *limits, *command)]


@functools.cache
def refusal() -> str:
    """Why nothing can be confined on this machine, and the command that changes it; "" if it can. It is tried."""
    if lacking := installed.missing(["bwrap"]):
        return f"{' '.join(lacking)} is not installed. Next: {installed.install_command(lacking)}"
    tried = subprocess.run(confined(["true"]), stdin=subprocess.DEVNULL, capture_output=True, text=True)
    if tried.returncode == 0:
        return ""
    said = (tried.stderr.strip().splitlines() or [f"it ended with status {tried.returncode}"])[-1]
    if namespaces.in_container():
        return f"bubblewrap cannot work in this container ({said}). Next: {INSIDE}"
    why, next = namespaces.switched_off() or (f"bubblewrap cannot work here ({said})", namespaces.OUTSIDE)
    return f"{why}. Next: {next}"


@contextlib.contextmanager
def guest(
    folder: Path, qemu: Sequence[str], reads: Iterable[Path], memory: Path, is_an_answers: bool = True
) -> Iterator[tuple[list[str], list[int]]]:
    """The command line for QEMU confined, and the file descriptors that it inherits; `qemu` is its own command line,
    `reads` the files that this names. To be started within the block.

    Its monitor (`qmp`) and the way to its sshd (`sshd`) are unix sockets that we make in `folder`: it gets no folder in
    which it could put others in their places. `memory` is the file that is its guest's memory.
    """
    with _listening(folder / "qmp") as monitor, _listening(folder / "sshd") as sshd:
        through = ["/usr/bin/python3", "-I", relay.__file__, "serve", str(sshd.fileno()), str(SSHD_PORT)]
        command = [
            *qemu,
            *("-chardev", f"socket,id=monitor,fd={monitor.fileno()},server=on,wait=off"),
            *("-mon", "chardev=monitor,mode=control"),
            *("-name", paths.in_option(folder / "qmp")),  # by which Guest.alive() knows it
        ]
        yield (
            confined(
                [*through, *command],
                [Path(relay.__file__), *reads],
                [memory],
                [Path("/dev/kvm")],
                is_an_answers=is_an_answers,
            ),
            [monitor.fileno(), sshd.fileno()],
        )


def ssh_command(folder: Path) -> str:
    """What ssh's ProxyCommand is for such a guest: the way to its sshd, for the shell."""
    words = [sys.executable, "-I", relay.__file__, "connect", str(folder / "sshd")]
    return shlex.join(words).replace("%", "%%")


def _listening(path: Path) -> socket.socket:
    path.unlink(missing_ok=True)
    listening = socket.socket(socket.AF_UNIX)
    listening.bind(str(path))
    listening.listen()
    return listening
