"""What does a ./lab leave that is killed, or interrupted, while a guest of its starts or runs?

QEMU is here a program of ours that listens on its control socket. Who starts it is another process, as ./lab is.
"""

import contextlib
import fcntl
import json
import os
import pty
import shutil
import signal
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest

from host import paths
from host.debian import archive
from host.paths import REPOSITORY
from host.vm import machine
from host.vm.machine import Guest
from tests.attacks.conftest import DEADLINE_S, until

QEMU = """
import socket, sys, time
words = sys.argv[1:]
listening = socket.socket(socket.AF_UNIX)
listening.bind(words[words.index("-qmp") + 1].removeprefix("unix:").split(",")[0])
listening.listen()
asker = listening.accept()[0]
if "greets" in words:
    asker.send(b"{}")
time.sleep(600)
"""
LAB = """
import sys, time
import click
from host import commands
from host.phases import phase
from host.vm import machine
from tests.attacks.test_left_behind import command

@click.group(cls=commands.Commands)
def main():
    pass

@main.command()
@click.argument("how")
@click.argument("words", nargs=-1)
def start(how, words):
    with phase("starting"):
        guest = machine.start(command, machine.new_folder(), list(words), how == "outlives")
    print("started", flush=True)
    time.sleep(600)

commands.end_as_by_ctrl_c()
main()
"""
CALL = [sys.executable, "-P", "-c", LAB, "start"]
ENDED = {signal.SIGINT: 130, signal.SIGTERM: 143, signal.SIGHUP: 129}  # as a shell has it


def command(port: int) -> list[str]:
    return [sys.executable, "-P", "-c", QEMU]


@pytest.fixture(autouse=True)
def run_folder(tmp_path, monkeypatch):
    """The run folder, of this test alone; none of its guests is left."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    base = tempfile.mkdtemp(prefix="packets-test-", dir="/tmp")  # short, for unix sockets
    monkeypatch.setenv("LAB_RUN_DIR", base)
    yield paths.run()
    for pid in qemu_pids():
        os.kill(pid, signal.SIGKILL)
    shutil.rmtree(base)


@pytest.fixture(autouse=True)
def signals_are_heard():
    """Who starts the tests in the background, or by nohup, has some ignored, and that is handed down."""
    before = {number: signal.signal(number, signal.SIG_DFL) for number in (signal.SIGHUP, signal.SIGTERM)}
    before[signal.SIGINT] = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    for number, handler in before.items():
        signal.signal(number, handler)


def qemu_pids() -> list[int]:
    """The process ids of the QEMUs of this test."""
    found, ours = [], f"unix:{paths.run()}".encode()
    for process in Path("/proc").glob("[0-9]*/cmdline"):
        with contextlib.suppress(OSError):
            if any(word.startswith(ours) for word in process.read_bytes().split(b"\0")):
                found.append(int(process.parent.name))
    return found


@pytest.fixture
def lab():
    """lab(*words): another process that starts a guest and stays."""
    started = []

    def start(*words):
        ours = os.environ | {"PYTHONPATH": str(REPOSITORY)}
        started.append(subprocess.Popen([*CALL, *words], env=ours, stdout=subprocess.PIPE, text=True))
        return started[-1]

    yield start
    for process in started:
        process.kill()
        process.communicate()


@pytest.fixture
def running(lab, run_folder):
    """A guest that outlives the ./lab that started it, and this ./lab."""
    starter = lab("outlives", "greets")
    assert starter.stdout.readline() == "started\n"
    (folder,) = run_folder.glob("guest-*")
    return Guest.saved(folder), starter


def kill(process) -> None:
    process.kill()
    process.wait()


def is_locked(folder: Path) -> bool:
    """Whether systemd-tmpfiles, which tries this before it looks into a folder, passes it by."""
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        return False
    except BlockingIOError:
        return True
    finally:
        os.close(descriptor)


def test_qemu_inherits_no_folder(running):
    """A descriptor of one leads into it, also out of namespaces in which it cannot be seen."""
    guest, _ = running
    opened = [os.readlink(each) for each in Path(f"/proc/{guest.pid}/fd").iterdir()]
    assert len(opened) > 3 and not any(map(os.path.isdir, opened)), opened


def test_the_run_folder_of_a_guest_does_not_age(running, run_folder):
    guest, starter = running
    kill(starter)
    assert is_locked(run_folder)
    guest.end()
    until(lambda: not is_locked(run_folder))


def test_a_guest_is_left_alone_while_its_starter_lives(running):
    machine.sweep()
    assert qemu_pids() == [running[0].pid]


def test_a_killed_starter_is_known_though_its_process_id_was_given_again(running):
    guest, starter = running
    kill(starter)
    written = json.loads((guest.folder / "guest.json").read_text())
    (guest.folder / "guest.json").write_text(json.dumps(written | {"starter": os.getpid()}))
    machine.sweep()
    assert not qemu_pids() and not guest.folder.exists()


def test_the_readers_guest_is_nobodys_to_end(running, run_folder):
    guest, starter = running
    (run_folder / "up-stock").symlink_to(guest.folder)
    kill(starter)
    machine.sweep()
    assert qemu_pids() == [guest.pid] and Guest.saved(run_folder / "up-stock").alive()


def test_what_starts_is_left_alone_and_ended_when_its_starter_was_killed(lab, run_folder):
    starter = lab("outlives", "says nothing")
    until(qemu_pids)
    machine.sweep()
    assert qemu_pids()
    kill(starter)
    # Not by the first look: a child that it was about to start has its lock until it is another program.
    until(lambda: machine.sweep() or not qemu_pids())
    assert not list(run_folder.glob("guest-*"))


def test_a_guest_of_an_older_lab_is_ended_when_that_was(running):
    guest, starter = running
    (guest.folder / "starter").unlink()
    machine.sweep()
    assert qemu_pids() == [guest.pid]
    kill(starter)
    machine.sweep()
    assert not qemu_pids() and not guest.folder.exists()


def test_a_folder_without_a_guest_is_removed_unless_it_may_be_of_an_older_lab_that_starts_one(run_folder):
    new, old = run_folder / "guest-new", run_folder / "guest-old"
    for folder in (new, old):
        folder.mkdir()
    os.utime(old, (0, 0))
    machine.sweep()
    assert new.exists() and not old.exists()


@pytest.mark.parametrize("outlives", ["outlives", "ends with it"])
@pytest.mark.parametrize("number", ENDED, ids=lambda number: number.name)
def test_a_signal_while_qemu_starts_ends_it(lab, run_folder, outlives, number):
    starter = lab(outlives, "says nothing")
    until(qemu_pids)
    starter.send_signal(number)
    assert starter.wait(DEADLINE_S) == ENDED[number]
    assert not qemu_pids() and not list(run_folder.glob("guest-*"))


def test_a_terminal_that_closes_while_qemu_starts_ends_it(run_folder):
    """It takes away where the status line is written, too."""
    pid, terminal = pty.fork()
    if not pid:
        os.execve(CALL[0], [*CALL, "outlives", "says nothing"], os.environ | {"PYTHONPATH": str(REPOSITORY)})
    until(qemu_pids)
    os.close(terminal)
    assert os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) == ENDED[signal.SIGHUP]
    assert not qemu_pids() and not list(run_folder.glob("guest-*"))


def test_what_nohup_has_ignored_is_ignored(run_folder):
    program = """
import os, signal
from host import commands
signal.signal(signal.SIGHUP, signal.SIG_IGN)
commands.end_as_by_ctrl_c()
os.kill(os.getpid(), signal.SIGHUP)
"""
    assert subprocess.run([sys.executable, "-c", program], cwd=REPOSITORY).returncode == 0


def test_each_signal_that_ends_qemu_has_a_name():
    for number, said in {9: "QEMU ended by SIGKILL", 40: "QEMU ended by signal 40"}.items():
        process = subprocess.Popen(["sh", "-c", f"kill -{number} $$"])
        assert Guest(Path("/nowhere"), process.pid, 0, process=process).death() == said


UNPACKING = 'mkdir "$TMPDIR/root" && echo "$TMPDIR" && '


@pytest.fixture
def unpacks_in(tmp_path, monkeypatch):
    """Where mmdebstrap unpacks."""
    folder = tmp_path / "unpacked"
    folder.mkdir()
    monkeypatch.setenv("TMPDIR", str(folder))
    return folder


@pytest.fixture
def unpacked(unpacks_in):
    """unpacked(shell text): what is left of it there."""

    def left(shell: str) -> list[Path]:
        with archive.started(["sh", "-c", UNPACKING + shell], stdout=subprocess.PIPE, text=True) as process:
            folder = Path(process.stdout.readline().strip())
            assert folder.parent == unpacks_in and (folder / "root").is_dir()
            process.wait()
        return list(unpacks_in.iterdir())

    return left


def test_what_a_killed_mmdebstrap_has_unpacked_is_removed(unpacked):
    assert not unpacked("kill -KILL $$")


def test_what_a_killed_mmdebstrap_has_mounted_is_gone(unpacked, unpacks_in):
    """As root it mounts /proc and /sys in there. Nobody else can mount anything outside of a user namespace."""
    mount = 'mount -t tmpfs none "$TMPDIR/root" && touch "$TMPDIR/root/file"' if os.getuid() == 0 else "true"
    assert not unpacked(f"{mount} && kill -KILL $$")
    assert str(unpacks_in) not in Path("/proc/mounts").read_text()


def test_what_one_has_unpacked_whose_lab_was_killed_too_is_removed_by_the_next(unpacked, unpacks_in):
    both = (
        "import os, signal; from host.debian import archive\n"
        f"with archive.started(['sh', '-c', {UNPACKING + 'exec sleep 600'!r}], stdout=-1) as process:\n"
        " process.stdout.readline(); process.kill(); os.kill(os.getpid(), signal.SIGKILL)"
    )
    subprocess.run([sys.executable, "-P", "-c", both], env=os.environ | {"PYTHONPATH": str(REPOSITORY)})
    (left,) = unpacks_in.iterdir()
    assert (left / "root").is_dir()
    until(lambda: not unpacked("true"))


DEAF = "trap '' TERM HUP INT; " + UNPACKING + "sleep 1000000 & sleep 1000000"  # as mmdebstrap is while it waits for apt


def test_what_a_deaf_mmdebstrap_has_started_ends_with_the_block(unpacks_in):
    with archive.started(["sh", "-c", DEAF], stdout=subprocess.PIPE, text=True) as process:
        folder = Path(process.stdout.readline().strip())
    assert not working_in(folder) and not list(unpacks_in.iterdir())


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGTERM], ids=lambda number: number.name)
def test_what_a_deaf_mmdebstrap_has_started_ends_with_the_lab(unpacked, unpacks_in, number):
    program = (
        "import os; from host import commands; from host.debian import archive; commands.end_as_by_ctrl_c()\n"
        f"with archive.started(['sh', '-c', {DEAF!r}], stdout=-1) as process:\n"
        f" print(process.stdout.readline().decode(), end='', flush=True); os.kill(os.getpid(), {number:d})"
    )
    lab = subprocess.run(
        [sys.executable, "-P", "-c", program],
        env=os.environ | {"PYTHONPATH": str(REPOSITORY)},
        stdout=subprocess.PIPE,
        text=True,
    )
    folder = Path(lab.stdout.strip())
    assert folder.parent == unpacks_in
    if number == signal.SIGTERM:
        assert lab.returncode == ENDED[number] and not working_in(folder) and not folder.exists()
    until(lambda: not working_in(folder))
    until(lambda: not unpacked("true"))


def working_in(folder: Path) -> list[str]:
    """The processes that mmdebstrap has started there."""
    found = []
    for process in Path("/proc").glob("[0-9]*"):
        with contextlib.suppress(OSError):
            if f"TMPDIR={folder}".encode() in (process / "environ").read_bytes().split(b"\0"):
                found.append(process.name)
    return found


def test_where_another_still_unpacks_nothing_is_removed(unpacked):
    with archive.started(["sh", "-c", UNPACKING + "exec cat"], stdout=subprocess.PIPE, text=True) as process:
        folder = Path(process.stdout.readline().strip())
        assert unpacked("true") == [folder]


def test_a_link_of_that_name_is_not_followed(unpacked, unpacks_in, tmp_path):
    (tmp_path / "home").mkdir()
    (tmp_path / "home" / "letter").touch()
    name = archive.UNPACKED.format(user=os.getuid())
    (unpacks_in / f"{name}x").symlink_to(tmp_path / "home")
    unpacked("true")
    assert (tmp_path / "home" / "letter").exists()
