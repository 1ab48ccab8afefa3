"""How do we take files from Debian's archive without root, and without installing anything? By mmdebstrap: it makes
a root file system that is thrown away, and what was asked for is copied out of it as this user's."""

import contextlib
import os
import shlex
import shutil
import subprocess
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path

from core.waiting import poll
from host import locks
from host.debian import installed, namespaces
from host.paths import FETCHING

ENDED_WITH_US = ("setpriv", "--pdeathsig", "TERM")  # the kernel sends it when we end, however that is
# Told to end, mmdebstrap first waits for the apt that it has called, for minutes maybe, and apt is told nothing. So a
# shell is told, and kills its whole process group, which is one of its own: see `started`. What they leave, we remove.
ALL_ENDED_WITH_US = (
    *ENDED_WITH_US,
    *("sh", "-c", 'trap "kill -KILL 0" HUP INT TERM; setpriv --pdeathsig KILL "$@" & wait $!', "sh"),
)
GONE_S = 10  # until the kernel has released what was killed, on a busy machine
UNPACKED = "where-packets-wait-{user}-"  # how a folder's name begins into which it unpacks
THE_BOOKS = "bookworm"  # which LAB_ARCHIVE is about
APT = "APT_CONFIG=$MMDEBSTRAP_APT_CONFIG"
APT_GET = f"{APT} apt-get -qq -o APT::Sandbox::User=root"
# A line for sources beside each line for packages. Which of the two forms mmdebstrap writes depends on its version.
WITH_SOURCES = [
    r"""--setup-hook=find "$1/etc/apt" -name '*.list' -exec sed -i 's/^deb \(.*\)/&\ndeb-src \1/' {} +""",
    r"""--setup-hook=find "$1/etc/apt" -name '*.sources' -exec sed -i 's/^Types: deb$/& deb-src/' {} +""",
]


def need(*names: str) -> None:
    """Make sure of what fetching takes, and of these commands, before anything is downloaded."""
    namespaces.need()
    installed.need("mmdebstrap", "newuidmap", *names)


def release_alone(suite: str) -> list[str]:
    """Options that take the suite's updates away, in whichever of the two forms."""
    return [
        rf"""--setup-hook=find "$1/etc/apt" -name '*.list' -exec sed -i '/{suite}-/d' {{}} +""",
        rf"""--setup-hook=find "$1/etc/apt" -name '*.sources' -exec perl -00 -i -pe"""
        rf""" 's/ {suite}-\S+//g; $_ = "" unless / {suite}\b/' {{}} +""",
    ]


def of(suite: str, written: str = "-") -> list[str]:
    """The last words of mmdebstrap's command: the suite, the file that it writes (stdout), and, for the book's Debian,
    if LAB_ARCHIVE names one, the archive that it takes instead of Debian's: an address, or a file as sources.list(5)
    says. The lists of a past day's archive were signed for some days, and may have expired."""
    named = os.environ.get("LAB_ARCHIVE") if suite == THE_BOOKS else ""
    return [suite, written, *(["--aptopt=Acquire::Check-Valid-Until false", named] if named else [])]


def by_apt(suite: str, script: str, name: str, folder: Path, *options: str) -> list[str]:
    """The command for a root file system in which nothing is installed: only its apt is used, by a shell script in
    an empty folder of that name. `copy-out` brings it into `folder`."""
    return [
        "mmdebstrap",
        "--variant=custom",
        "--format=null",
        f"--mode={mode()}",
        *options,
        f'--customize-hook=mkdir "$1/{name}" && cd "$1/{name}" && {script}',
        f"--customize-hook=copy-out /{name} {shlex.quote(str(folder))}",
        *of(suite),
    ]


def mode() -> str:
    """mmdebstrap's: root is used where we are root, a user namespace elsewhere."""
    return "root" if os.getuid() == 0 else "unshare"


@contextlib.contextmanager
def started(command: list[str], **popen) -> Iterator[subprocess.Popen]:
    """mmdebstrap, started, and ended with the block; keyword arguments go to subprocess.Popen. It unpacks into a folder
    of its own, which goes when it ends; if we are killed, it ends, and the next call of ours removes the folder."""
    _sweep()
    prefix = UNPACKED.format(user=os.getuid())
    with contextlib.ExitStack() as undone:
        aside = Path(tempfile.mkdtemp(prefix=f".{prefix}", dir=unpacks_in()))
        undone.callback(shutil.rmtree, aside, ignore_errors=True)  # if it gets no further
        aside.chmod(0o711)  # in a user namespace, it is another user to whom all in it belongs
        lock = locks.kept_from_ageing(aside)  # and mmdebstrap inherits it: what still works in there is left alone
        folder = aside.rename(aside.with_name(aside.name[1:]))  # now that it is locked, so that nobody finds it free
        undone.callback(_remove_when_free, folder)
        undone.callback(os.close, lock)
        process = subprocess.Popen(
            [*ALL_ENDED_WITH_US, *_own_mounts(), "sh", FETCHING / "apts-proxy.sh", *command],
            env={**os.environ, "TMPDIR": str(folder), "LC_ALL": "C.UTF-8"},
            stdin=subprocess.DEVNULL,
            pass_fds=[lock],
            start_new_session=True,  # for ALL_ENDED_WITH_US
            **popen,
        )
        with process:
            try:
                yield process
            finally:
                if process.poll() is None:
                    process.terminate()


@contextlib.contextmanager
def scratch(prefix: str, base: Path) -> Iterator[Path]:
    """A folder in `base` for a program that works as the root of a user namespace, as buildah does; removed with the
    block, together with what such a one has left behind that was killed."""
    for left in base.glob(f"{prefix}*"):
        with contextlib.suppress(FileNotFoundError):  # somebody else has removed it meanwhile
            if locks.is_free(left):
                _remove(left)
    aside = Path(tempfile.mkdtemp(prefix=f".{prefix}", dir=base))
    lock = locks.kept_from_ageing(aside)
    folder = aside.rename(aside.with_name(aside.name[1:]))  # now that it is locked, so that nobody finds it free
    try:
        yield folder
    finally:
        os.close(lock)
        _remove(folder)


def _own_mounts() -> list[str]:
    """What keeps mmdebstrap's mounts its own. As root it mounts /proc and /sys below its root, where all of the machine
    would see them, and they would outlive it if it is killed. In a user namespace they are anyway."""
    return ["unshare", "--mount"] if os.getuid() == 0 else []


def unpacks_in() -> Path:
    """Where mmdebstrap unpacks: /tmp may be memory, so prefer the disk."""
    return Path(os.environ.get("TMPDIR") or "/var/tmp")


def _sweep() -> None:
    """Remove each folder of ours in which nothing works any more."""
    for folder in unpacks_in().glob(UNPACKED.format(user=os.getuid()) + "*"):
        with contextlib.suppress(FileNotFoundError):  # another ./lab has removed it in this moment
            if folder.lstat().st_uid == os.getuid() and not folder.is_symlink() and locks.is_free(folder):
                _remove(folder)


def _remove_when_free(folder: Path) -> None:
    """Remove a folder, once what was killed in it has ended; if that takes too long, the next call of ours does."""
    with contextlib.suppress(FileNotFoundError):  # another ./lab has removed it in this moment
        poll(lambda: locks.is_free(folder), GONE_S, 0.01)
    _sweep()


def _remove(folder: Path) -> None:
    """What is in it belongs to the users of a namespace, unless we are root: unshare(1)."""
    as_their_root = [] if os.getuid() == 0 else ["unshare", "--map-auto", "--map-root-user"]
    removing: list[str | Path] = [*as_their_root, "rm", "-rf", "--one-file-system", folder]
    subprocess.run(removing, stdin=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    shutil.rmtree(folder, ignore_errors=True)  # the folder itself is ours


def run(command: list[str], heard: Callable[[str], None] = lambda line: None) -> tuple[bool, str]:
    """Run a command; return whether it ended well, and the line that says why not. `heard` is given each line that it
    says meanwhile."""
    said = []
    with started(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True) as process:
        for line in process.stderr:
            said.append(line)
            heard(line.rstrip("\n"))
        process.wait()
    errors = [line.rstrip("\n") for line in said if line.startswith("E:")]
    return process.returncode == 0, errors[0] if errors else "".join(said)[-300:]
