"""Can who has taken over QEMU do what its user can? Its own control protocol would, for whoever asks: it starts
programs (`exec:` is an address there), opens files, makes some, and connects to ports.
"""

import contextlib
import functools
import json
import mmap
import os
import signal
import socket
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest
from qemu.qmp import QMPError
from qemu.qmp.legacy import QEMUMonitorProtocol

from host import locks
from host.sandbox import confined
from host.vm import machine, profile, snapshot
from tests.attacks.conftest import until

SO_ACCEPTCON = 1 << 16  # __SO_ACCEPTCON, include/uapi/linux/net.h
# Paused (-S), because one that begins to run says so to whoever has just connected, before its greeting.
QEMU = ["qemu-system-x86_64", "-machine", "none", "-nodefaults", "-display", "none", "-S"]


def listens(path: Path) -> bool:
    """Whether somebody listens at this socket: its file is there a moment before."""
    name = os.fsencode(path)
    for line in Path("/proc/net/unix").read_bytes().splitlines():
        fields = line.split()  # Num RefCount Protocol Flags Type St Inode Path
        if fields[-1] == name and int(fields[3], 16) & SO_ACCEPTCON:
            return True
    return False


@pytest.fixture
def does(tmp_path):
    """does(*options): whether a program that a QEMU with these options is asked to run has run."""

    def tried(*options) -> bool:
        path, done = tmp_path / "qmp", tmp_path / "done"
        process = subprocess.Popen([*QEMU, *options, "-qmp", f"unix:{path},server=on,wait=off"])
        monitor = QEMUMonitorProtocol(str(path))
        try:
            until(lambda: listens(path) or process.poll() is not None)
            monitor.connect()
            with contextlib.suppress(QMPError, EOFError, OSError):  # it may be ended for having tried
                monitor.cmd("migrate", uri=f"exec:touch {done}")
                until(lambda: done.exists() or monitor.cmd("query-migrate").get("status") == "failed")
            return done.exists()
        finally:
            process.kill()
            process.wait()
            with contextlib.suppress(QMPError, EOFError, OSError):
                monitor.close()
            path.unlink(missing_ok=True)

    return tried


def test_qemu_starts_no_program(does):
    assert not does(*profile.SANDBOX)
    assert does(), "the attack does not work, so it says nothing of the wall"


def test_what_it_is_given_leads_to_no_file(tmp_path):
    """A descriptor that is open for reading can be opened anew for writing, also where its file cannot be seen."""
    (tmp_path / "state").write_bytes(b"kept")

    def overwritten(descriptor: int) -> bool:
        with open(f"/proc/self/fd/{descriptor}", "wb") as again:
            again.write(b"evil")
        return (tmp_path / "state").read_bytes() == b"evil"

    with snapshot._copy_in_memory(tmp_path / "state") as given:
        assert os.read(given, 9) == b"kept" and not overwritten(given)
    with open(tmp_path / "state", "rb") as opened:
        assert overwritten(opened.fileno()), "the attack does not work, so it says nothing of the wall"


def opens(monitor, folder: Path, port: int) -> bool:
    """A file of the home."""
    monitor.cmd("blockdev-add", driver="file", **{"node-name": "home", "filename": str(folder / "secret")})
    return True


def makes(monitor, folder: Path, port: int) -> bool:
    """A file beside it."""
    to = {"type": "file", "data": {"out": str(folder / "made")}}
    monitor.cmd("chardev-add", id="made", backend=to)
    return (folder / "made").exists()


def connects(monitor, folder: Path, port: int) -> bool:
    """To a port of this machine's loopback device."""
    to = {"type": "inet", "data": {"host": "127.0.0.1", "port": str(port)}}
    monitor.cmd("chardev-add", id="port", backend={"type": "socket", "data": {"addr": to, "server": False}})
    return True


@pytest.fixture
def home():
    """A folder with a file in it; not below /tmp, where what is confined has a folder of its own."""
    with tempfile.TemporaryDirectory(dir="/var/tmp") as folder:
        Path(folder, "secret").write_text("of the home" * 100)
        Path(folder, "memory").touch()
        yield Path(folder)


def started(home: Path, is_confined: bool, outlives_us: bool = False) -> machine.Guest:
    """QEMU, as the lab starts it."""
    run = Path(tempfile.mkdtemp(prefix="packets-test-", dir="/tmp"))  # short, for unix sockets
    confine = functools.partial(confined.guest, reads=[], memory=home / "memory") if is_confined else None
    return machine.start(lambda port: [*QEMU, *profile.SANDBOX], run, [], outlives_us, confine)


@pytest.mark.parametrize("attack", [opens, makes, connects])
def test_qemu_has_nothing_of_its_user(home, attack):
    def harmed(is_confined: bool) -> bool:
        guest = started(home, is_confined)
        try:
            with socket.create_server(("127.0.0.1", 0)) as server, snapshot._monitor(guest) as monitor:
                try:
                    return attack(monitor, home, server.getsockname()[1])
                except QMPError:
                    return False
        finally:
            guest.end()

    assert not harmed(True)
    assert harmed(False), "the attack does not work, so it says nothing of the wall"


@pytest.mark.parametrize("killed", ["QEMU", "what confines it", "nobody"])
def test_of_one_that_outlives_us_nothing_is_left(home, killed):
    guest = started(home, True, outlives_us=True)
    try:
        (qemu,) = [each for each in locks.processes_in(guest.folder) if "qemu" in os.readlink(f"/proc/{each}/exe")]
        assert guest.alive() and guest.pid != qemu
        if killed != "nobody":
            os.kill({"QEMU": qemu, "what confines it": guest.pid}[killed], signal.SIGKILL)
            until(lambda: not guest.alive())
    finally:
        guest.end()
    assert not locks.processes_in(guest.folder) and not guest.folder.exists()


LAB = """
import sys
from pathlib import Path
from tests.attacks.test_monitor import started
print(started(Path(sys.argv[1]), True, outlives_us=sys.argv[2] == "outlives").folder, flush=True)
sys.stdin.read()
"""


@pytest.mark.parametrize("how", ["outlives", "ends"])
def test_one_that_is_confined_ends_with_its_starter_unless_it_is_to_outlive_it(home, how):
    starting = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "text": True}
    with subprocess.Popen([sys.executable, "-P", "-c", LAB, str(home), how], **starting) as starter:
        guest = machine.Guest.saved(Path(starter.stdout.readline().strip()))
        assert guest.alive()
        starter.kill()
    try:
        if how == "ends":
            until(lambda: not locks.processes_in(guest.folder))
        assert guest.alive() == (how == "outlives")
    finally:
        guest.end()


def by_mapping(opened) -> None:
    """As QEMU could: it has looked at the page before, so the kernel has it mapped."""
    with mmap.mmap(opened.fileno(), 0, mmap.MAP_SHARED) as mapped:
        assert mapped[0] == 0
        mapped[0] = 1


def by_writing(opened) -> None:
    opened.write(b"evil")


@pytest.mark.parametrize("attack", [by_mapping, by_writing])
def test_memory_that_others_go_on_from_is_not_written_unseen(home, attack):
    """It can be written: QEMU has its file open for that. And when it was, whoever writes can set back."""
    ram = home / "ram"
    ram.write_bytes(bytes(9999))
    (home / snapshot.KEPT_AS).write_text(json.dumps(snapshot._kept_as(ram)))
    before = ram.stat()
    assert not snapshot._written_since(home)
    with open(ram, "r+b") as opened:
        attack(opened)
    os.utime(ram, ns=(before.st_atime_ns, before.st_mtime_ns))
    assert (ram.stat().st_size, ram.stat().st_mtime_ns) == (before.st_size, before.st_mtime_ns)  # what store looks at
    assert snapshot._written_since(home)
