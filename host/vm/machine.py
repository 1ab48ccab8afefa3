"""How is a guest started, and how is it ended? As a process of QEMU that this module starts,
watches while it wakes, and kills by its id."""

import contextlib
import json
import os
import signal
import socket
import subprocess
import tempfile
import time
from dataclasses import dataclass, field
from pathlib import Path

from core.files import write_whole
from core.waiting import poll
from host import locks, paths, store
from host.errors import LabError
from host.sandbox.confined import SSHD_PORT
from host.vm import ssh

START_DEADLINE_S = 60
DEATH_GRACE_S = 5
END_DEADLINE_S = 10  # of what SIGKILL ends in milliseconds
# The largest file that QEMU may write: a guest shall not fill the disk. Its memory is a file that QEMU maps.
MOST_WRITTEN_BYTES = 16 << 20
NEEDS_MIB = 2 * MOST_WRITTEN_BYTES >> 20  # what it prints, and its sockets; with no room for them it never wakes
PRLIMIT = ("prlimit", "--core=0", f"--fsize={MOST_WRITTEN_BYTES}")
# What is confined ends with its parent. This is one that lives as long as QEMU does.
PARENT = ("sh", "-c", '"$@"; exit $?', "sh")
# Keeps what the console prints. The kernel ends who writes too large a file by SIGXFSZ, which QEMU's threads block; so
# this does, and then it ends QEMU, whose process id is $0.
CONSOLE_KEEPER = f'{" ".join(PRLIMIT)} cat || kill -KILL "$0"'
LAST_WORDS_BYTES = 2000
# What the guest's console shows when sshd listens, and when everything is up (fork_server.py).
SSHD_LINE, READY_LINE = b"Server listening", b"lab: ready"
# Signals that no guest brings upon its QEMU; the second is for mapped memory, when no page is left for it.
OF_THIS_MACHINE = (signal.SIGKILL, signal.SIGBUS)
# What QEMU says when it ends by itself because of another such signal (qemu_kill_report() in its softmmu/runstate.c).
TOLD_TO_END = "terminating on signal"


class GuestDied(LabError):
    """QEMU ended, or the guest did not answer in time."""


class GuestSilent(GuestDied):
    """The latter: its QEMU is there, and this machine may have been too busy for it."""


@dataclass
class Guest:
    """A running guest: QEMU's process id and the loopback port of the guest's sshd."""

    folder: Path
    pid: int
    port: int
    starter: int = field(default_factory=os.getpid, compare=False)  # the ./lab that started it
    process: subprocess.Popen | None = field(default=None, repr=False, compare=False)  # if we started it
    lock: int | None = field(default=None, repr=False, compare=False)  # then also the descriptor of our lock

    @property
    def console(self) -> Path:
        return self.folder / "console"

    @property
    def connection(self) -> ssh.Connection:
        return ssh.Connection(self.folder, self.port)

    def alive(self) -> bool:
        """Whether the process with this id is still the QEMU that was started in this folder."""
        try:
            command = Path(f"/proc/{self.pid}/cmdline").read_bytes()
        except OSError:
            return False
        return os.fsencode(paths.in_option(self.folder / "qmp")) in command

    def survived(self, status: int) -> bool:
        """Whether the guest is alive after a call over ssh that ended with this status. One whose connection broke is
        waited for, because a connection may be gone before the QEMU that it led to."""
        if status == ssh.CONNECTION_LOST:
            poll(lambda: not self.alive(), DEATH_GRACE_S, 0.05)
        return self.alive()

    def abandoned(self) -> bool:
        """Whether nobody will end the guest: it is not the reader's, and the ./lab that started it was killed."""
        if locks.starter_lives(self.folder, self.starter):
            return False  # asked first, for it may make the guest the reader's and end meanwhile
        return self.folder.resolve() not in {link.resolve() for link in paths.run().glob("up-*")}

    def death(self) -> str:
        """How QEMU ended, as far as the one who started it can know."""
        if self._printed_too_much():
            return f"its console printed {MOST_WRITTEN_BYTES >> 20} MiB, and it was ended for that"
        if self.process is None:
            return "QEMU is gone"
        try:
            status = self.process.wait(5)  # its memory may go before it does
        except subprocess.TimeoutExpired:
            return "QEMU is about to end"
        by = _signal_of(status)
        if by <= 0:
            return f"QEMU ended with status {status}"
        with contextlib.suppress(ValueError):  # most real-time signals have no name
            return f"QEMU ended by {signal.Signals(by).name}"
        return f"QEMU ended by signal {by}"

    def was_killed(self) -> bool:
        """Whether QEMU, which we started and which is gone, was ended by somebody else on this machine, or for want of
        memory. A guest can end its own, or have it crash; to have it killed, it can only print too much."""
        if not self.process or self._printed_too_much():
            return False
        status = self.process.poll()
        if status is None:  # and not even that in the seconds that death() gives it
            return True
        return _signal_of(status) in OF_THIS_MACHINE or TOLD_TO_END in end_of(
            self.folder / "qemu.log", LAST_WORDS_BYTES
        )

    def _printed_too_much(self) -> bool:
        with contextlib.suppress(OSError):
            return self.console.stat().st_size >= MOST_WRITTEN_BYTES
        return False

    def end(self) -> None:
        """Kill QEMU, what confines it and the open ssh connection, remove the run's folder. Safe to call twice."""
        self.connection.close()
        ended = {self.pid}

        def are_gone() -> bool:
            running = locks.processes_in(self.folder)
            for pid in running:
                with contextlib.suppress(ProcessLookupError, PermissionError):  # the second: of another user by now
                    os.kill(pid, signal.SIGKILL)
            ended.update(running)
            self._reap(ended)
            return not running

        poll(are_gone, END_DEADLINE_S, 0.01)
        for path in sorted(self.folder.glob("*")):
            path.unlink(missing_ok=True)
        with contextlib.suppress(OSError):
            self.folder.rmdir()
        if self.lock is not None:
            os.close(self.lock)
            self.lock = None

    def _reap(self, pids: set[int]) -> None:
        """Reap those of these processes that we started and that have ended."""
        for pid in pids - {0}:  # 0 would be any child of ours
            if self.process and self.process.pid == pid:
                self.process.poll()
                continue
            with contextlib.suppress(ChildProcessError):  # it is none of ours
                os.waitpid(pid, os.WNOHANG)

    def save(self) -> None:
        """Write down process id and port, so that a later ./lab finds this guest."""
        known = {"pid": self.pid, "port": self.port, "starter": self.starter}
        write_whole(self.folder / "guest.json", json.dumps(known))

    @classmethod
    def saved(cls, folder: Path) -> "Guest | None":
        """The guest written down in `folder`, or None; it may have died since."""
        try:
            return cls(folder=folder.resolve(), **json.loads((folder / "guest.json").read_text()))
        except (OSError, ValueError, TypeError):
            return None


def new_folder() -> Path:
    """A fresh folder for a guest's sockets and console."""
    sweep()
    store.need_space("guest", NEEDS_MIB, paths.run())
    return Path(tempfile.mkdtemp(prefix="guest-", dir=paths.run()))


def sweep() -> None:
    """End the guests that are dead or abandoned and remove their folders: a ./lab that was killed could not."""
    for folder in paths.run().glob("guest-*"):
        never_finished = locks.starter_is_gone(folder)  # before we look if it has written the guest down
        guest = Guest.saved(folder)
        if guest and (not guest.alive() or guest.abandoned()):
            guest.end()
        elif not guest and never_finished:
            _end_unknown(folder)


def _end_unknown(folder: Path, lock: int | None = None) -> None:
    """End the QEMU of this folder, if there is one, though its process id is not written down."""
    Guest(folder, pid=0, port=0, lock=lock).end()


def start(command_for_port, folder: Path, extra: list[str], outlives_us: bool, confine=None) -> Guest:
    """Start QEMU with `command_for_port(port) + extra`; its output goes to `folder`.

    A guest that does not outlive us is killed by the kernel when this process ends, however it
    ends. The port is picked free and tried again with another if somebody took it meanwhile; `confine`
    is a context manager like `confined.guest`, with which the port is no port of this machine.
    """
    lock = locks.hold(folder)
    try:
        for _ in range(5):
            port = SSHD_PORT if confine else _free_port()
            with (confine or _open)(folder, [*command_for_port(port), *extra]) as (command, inherited):
                command = [*PRLIMIT, *command]
                if not outlives_us:
                    command = ["setpriv", "--pdeathsig", "KILL", *command]
                elif confine:
                    command = [*PARENT, *command]
                process = _started(command, folder, inherited)
            if _came_up(process, folder):
                guest = Guest(folder, process.pid, port, process=process, lock=lock)
                guest.save()
                return guest
            said = end_of(folder / "qemu.log", LAST_WORDS_BYTES).strip()
            if process.returncode is None:
                raise GuestDied(f"QEMU did not come up within {START_DEADLINE_S} s\n{said}", "./lab doctor")
            if "host forwarding" not in said:
                break
        raise GuestDied(f"QEMU ended at once: {said or process.returncode}", "./lab doctor")
    except BaseException:  # Ctrl-C may come when it runs, and before we know its process id
        _end_unknown(folder, lock)
        raise


@contextlib.contextmanager
def _open(folder: Path, qemu: list[str]):
    """QEMU as this user, as `confined.guest` gives it confined."""
    yield [*qemu, "-qmp", locks.monitor_at(folder)], []


def _started(command: list[str], folder: Path, inherited: list[int]) -> subprocess.Popen:
    """QEMU, and beside it who keeps its console, until QEMU ends or has printed too much. That one holds the run
    folder, too: for QEMU, the descriptor would be a way into it."""
    prints, printed = os.pipe()
    run = locks.kept_from_ageing(folder.parent)
    command = [*command, "-chardev", f"file,id=console,path=/dev/fd/{printed}", "-serial", "chardev:console"]
    try:
        with open(folder / "qemu.log", "wb") as log, open(folder / "console", "wb") as console:
            process = subprocess.Popen(
                command,
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                start_new_session=True,
                pass_fds=[printed, *inherited],
            )
            subprocess.run(
                ["setsid", "--fork", "sh", "-c", CONSOLE_KEEPER, str(process.pid)],
                stdin=prints,
                stdout=console,
                stderr=subprocess.DEVNULL,
                pass_fds=[run],
            )
    finally:
        os.close(prints)
        os.close(printed)
        os.close(run)
    return process


def _came_up(process: subprocess.Popen, folder: Path) -> bool:
    """Wait until QEMU greets on its control socket, which it does once all devices are there."""

    def came_to() -> str:
        with contextlib.suppress(OSError), socket.socket(socket.AF_UNIX) as control:
            control.settimeout(START_DEADLINE_S)
            control.connect(str(folder / "qmp"))
            if control.recv(1):
                return "up"
        return "" if process.poll() is None else "ended"

    return poll(came_to, START_DEADLINE_S) == "up"


def wait_for_console(guest: Guest, line: bytes, deadline_s: float, progress=None) -> None:
    """Wait until the guest's console shows `line`."""

    def is_shown() -> bool:
        text = guest.console.read_bytes() if guest.console.exists() else b""
        if line in text:
            return True
        if not guest.alive():
            raise GuestDied(f"QEMU died while the guest booted\n{last_words(guest)}", "./lab doctor")
        if progress:
            progress("the slow imports" if SSHD_LINE in text else "the kernel")
        return False

    if not poll(is_shown, deadline_s, 0.05):
        raise GuestDied(f"the guest was not ready after {deadline_s:.0f} s\n{last_words(guest)}", "./lab doctor")


def wake(guest: Guest, deadline_s: float) -> None:
    """Wait until the guest's sshd answers, and make it current (see ssh.first_contact)."""
    deadline = time.monotonic() + deadline_s
    while (left_s := deadline - time.monotonic()) > 0:
        if guest.connection.first_contact(left_s):
            return
        if not guest.alive():
            raise GuestDied(f"QEMU died before the guest answered\n{last_words(guest)}", "./lab reset")
        time.sleep(0.05)
    raise GuestSilent(f"the guest did not answer in {deadline_s:.0f} s\n{last_words(guest)}", "./lab reset")


def last_words(guest: Guest, lines: int = 12) -> str:
    """The end of what QEMU and the guest's console said, for a person to read."""
    said = []
    for name in ("qemu.log", "console"):
        said += end_of(guest.folder / name, LAST_WORDS_BYTES).splitlines()[-lines:]
    return "\n".join(f"  | {line}" for line in said) or "  (it said nothing)"


def end_of(file: Path, most_bytes: int) -> str:
    """The last text of a file; "" if there is none."""
    try:
        with open(file, "rb") as opened:
            opened.seek(max(0, os.fstat(opened.fileno()).st_size - most_bytes))
            return opened.read().decode(errors="replace")
    except OSError:
        return ""


def _signal_of(status: int) -> int:
    """The signal by which QEMU ended, 0 or less if by none; bubblewrap adds 128 when it says it of what it has run."""
    return -status if status < 0 else status - 128


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]
