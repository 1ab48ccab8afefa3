"""Can several people use one machine, each from an account of their own, with one cache that they only read?

Root makes two accounts, and removes them again. They may not read where this Python and the checkout lie, so in a mount
namespace of each call these folders are laid where everybody may.
"""

import json
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest

from core import cases
from host import paths
from host.vm import image, snapshot
from tests.guest.conclusive import conclusive
from tests.vm.conftest import REPOSITORY, held_up, lost, wake_s

pytestmark = [
    pytest.mark.skipif(os.getuid() != 0, reason="only root can make accounts"),
    pytest.mark.xdist_group("accounts"),
]
NAMES = [f"wpw-{os.getpid()}-{letter}" for letter in "ab"]
OPEN = """
set -e
mount -t tmpfs -o mode=755 none "$BASE/open"
number=0
for path in $PATHS; do
    number=$((number + 1)); mkdir "$BASE/open/$number"; mount --bind "$path" "$BASE/open/$number"
done
for closed in $CLOSED; do mount -t tmpfs -o mode=755 none "$closed"; done
number=0
for path in $PATHS; do
    number=$((number + 1)); mkdir -p "$path"; mount --bind "$BASE/open/$number" "$path"
done
cd /
exec setpriv --reuid "$ACCOUNT" --regid "$ACCOUNT" --init-groups env -i HOME="$BASE/$ACCOUNT" "$@"
"""
BUILDS = ("building it", "Python packages", "first boot")


class Machine:
    """The accounts' homes and what they share, below `base`."""

    def __init__(self, base: Path):
        self.base, self.shared = base, base / "shared"

    def call(self, account: str, *command: str, **variables: str) -> subprocess.CompletedProcess:
        """What a command of this account's comes to, with little set."""
        path = f"{sys.base_prefix}/bin:/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"
        ours = {"PATH": path, "LAB_SHARED_CACHE": str(self.shared), **variables}
        needed = [REPOSITORY, Path(sys.base_prefix)]
        closed = sorted({top for folder in needed for top in [_closed(folder)] if top})
        around = {
            **os.environ,
            "BASE": str(self.base),
            "ACCOUNT": account,
            "PATHS": " ".join(str(folder) for folder in needed if _closed(folder)),
            "CLOSED": " ".join(map(str, closed)),
        }
        words = ["unshare", "--mount", "sh", "-c", OPEN, "sh", *(f"{key}={ours[key]}" for key in ours), *command]
        return subprocess.run(words, env=around, capture_output=True, text=True, timeout=300 * max(1, wake_s()))

    def lab(self, account: str, *words: str, **variables: str) -> subprocess.CompletedProcess:
        return self.call(account, str(REPOSITORY / "lab"), *words, **variables)


def _closed(folder: Path) -> Path | None:
    """The first folder on the way there that others may not enter."""
    ways = [*reversed(folder.parents), folder]
    return next((way for way in ways if not way.stat().st_mode & 0o001), None)


def share(base: Path, *patterns: str) -> None:
    """Put a copy of this user's cache where everybody may read it, as book/reading.md says: of what a test needs."""
    for found in (path for pattern in patterns for path in paths.cache().glob(pattern)):
        subprocess.run(["cp", "-a", "--reflink=auto", "--sparse=always", found, base / "shared"], check=True)
    subprocess.run(["chmod", "-R", "go+rX", base / "shared"], check=True)


@pytest.fixture(scope="module")
def machine():
    base = Path(tempfile.mkdtemp(prefix="accounts-", dir="/var/tmp"))
    base.chmod(0o755)
    for folder in ("open", "shared"):
        (base / folder).mkdir()
    made = Machine(base)
    try:
        for name in NAMES:
            subprocess.run(["useradd", "--create-home", "--home-dir", base / name, name], check=True)
        snapshot.snapshot()
        share(base, Path(sys.prefix).name, image.image().folder.name, "keys-*", snapshot.snapshot().name)
        yield made
    finally:
        for name in NAMES:
            made.lab(name, "down")
            uid = subprocess.run(["id", "-u", name], capture_output=True, text=True).stdout.strip()
            subprocess.run(["userdel", name])
            for folder in Path("/tmp").glob(f"packets-{uid}-*"):
                shutil.rmtree(folder, ignore_errors=True)
        shutil.rmtree(base)


def state(folder: Path) -> list:
    return sorted((str(path), path.lstat().st_mtime_ns, path.lstat().st_mode) for path in folder.rglob("*"))


def test_each_has_a_guest_of_their_own_from_one_cache(machine):
    before = state(machine.shared)
    for name in NAMES:
        up = machine.lab(name, "up")
        assert up.returncode == 0, up.stderr
        if not os.access("/dev/kvm", os.W_OK):  # which these accounts may not use, and then another snapshot is made
            assert not [word for word in BUILDS if word in up.stderr], up.stderr
        written = machine.lab(name, "shell", "--", "sh", "-c", f"echo {name} >>/root/mine")
        assert written.returncode == 0, written.stderr
    for name in NAMES:
        assert machine.lab(name, "shell", "--", "cat", "/root/mine").stdout == f"{name}\n"
    assert state(machine.shared) == before


def test_nobody_gets_into_anothers_guest(machine):
    first, second = NAMES
    uid = machine.call(first, "id", "-u").stdout.strip()
    (run,) = Path("/tmp").glob(f"packets-{uid}-*")
    for path in (run, next(run.glob("guest-*/qmp")), next(run.glob("guest-*/sshd"))):
        tried = machine.call(second, "ls", str(path))
        assert tried.returncode and "Permission denied" in tried.stderr


@pytest.mark.part("machinery", why="copies chapter 2's QEMU and snapshot, and checks an answer in C")
def test_an_answer_in_c_is_compiled_with_a_qemu_only_read(machine):
    exercise = cases.exercise("rtl8139-tso/5")
    share(machine.base, "qemu-package-*", Path(snapshot.machine_setup("rtl8139")[0].qemu).parents[1].name)
    share(machine.base, snapshot.snapshot("rtl8139").name)
    before = state(machine.shared)
    (machine.base / "answer.c").write_text(exercise.solution.read_text())
    words = (NAMES[0], "check", exercise.id, str(machine.base / "answer.c"), "--json")
    verdict = conclusive(lambda: json.loads(machine.lab(*words).stdout), held_up, lost)
    assert verdict["verdict"] == "PASS", verdict
    assert state(machine.shared) == before
