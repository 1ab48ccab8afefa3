"""What is a host? A network namespace that commands, Python threads and services run in.

It is a Mininet `Host`, so that what works on those works here; it starts three times as fast and
says what failed.
"""

import codecs
import contextlib
import ctypes
import os
import shlex
import signal
import subprocess
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from mininet.node import Host
from mininet.node import Node as MininetNode

from core.waiting import poll
from labs.errors import CannotTry
from labs.net.sockets import LISTEN, Socket, sockets

CLONE_NEWNET = 0x40000000  # include/uapi/linux/sched.h
_libc = ctypes.CDLL(None, use_errno=True)


class CommandFailed(RuntimeError):
    """A command on a host ended with a status other than 0."""


class NotReady(RuntimeError):
    """A service did not listen in time, or died; its last words are in the message."""


class InNamespace:
    """A Mininet node in a network namespace that is there already, that of the process `pid`. A thread steps into it by
    `inside`. Mininet's own calls, cmd() and what its command line uses, type into a bash there: what runs in the
    background goes on, and a directory or a variable stays. It is started when it is first typed into."""

    isSetup = True  # Mininet would have eight processes look for programs that the image has
    bash: subprocess.Popen | None = None
    shell: Any  # this and the following are Mininet's own
    pid: Any
    stdin: Any
    master: Any
    slave: Any

    @contextlib.contextmanager
    def inside(self) -> Iterator[None]:
        """Put this thread into the network namespace: sockets made in the block stay there."""
        with open("/proc/thread-self/ns/net") as home, open(f"/proc/{self.pid}/ns/net") as there:
            _setns(there.fileno())
            try:
                yield
            finally:
                _setns(home.fileno())

    def sendCmd(self, *command, **options) -> None:
        """Mininet's call, which its cmd() makes, too: a line for the bash."""
        if self._has_left():
            self.end_bash()
        if not self.stdin:  # which startShell() sets before it types a first line itself
            self._start_bash()
        super().sendCmd(*command, **options)

    def sendInt(self, *key: str) -> None:
        """Mininet's call: Ctrl-C for what runs in the bash. Of one that has ended (`exit`), nothing more would come."""
        if self._has_left():
            self.end_bash()
        else:
            super().sendInt(*key)

    def _has_left(self) -> bool:
        return self.bash is not None and self.bash.poll() is not None

    def _start_bash(self) -> None:
        """Mininet's own shell, as it starts one, with `inside` for the namespace that it would make."""
        holder, pid = self.shell, self.pid
        self.readbuf, self.decoder = "", codecs.getincrementaldecoder("utf-8")("replace")  # output may be anything
        try:
            self.shell, self.inNamespace = None, False
            with self.inside():
                MininetNode.startShell(self)
        except BaseException:  # Ctrl-C: who types next gets another
            self.bash = self.shell
            self.end_bash()
            raise
        else:
            self.bash = self.shell
        finally:
            self.shell, self.pid, self.inNamespace = holder, pid, True

    def end_bash(self) -> None:
        """Ends it, if there is one, or half of one."""
        if self.bash:
            self.bash.kill()
            self.bash.wait()
        if self.stdin:
            self.stdin.close()  # and with it the terminal's other end
        elif self.master is not None:
            os.close(self.master)
        if self.slave is not None:
            os.close(self.slave)
        self.bash = self.stdin = self.stdout = self.master = self.slave = None
        self.waiting = False


class Node(InNamespace, Host):
    """A Mininet host that says what failed, and that a Python thread may step into."""

    def startShell(self, mnopts: str | None = None) -> None:
        """Makes the namespace, held by a `cat` that ends when its input does, so with us.

        Mininet would hold it by an interactive bash, which takes three times as long to start.
        """
        self.shell = subprocess.Popen(
            ["mnexec", "-cdn", "cat"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, bufsize=0
        )
        self.shell.stdin.write(b"?")
        if not self.shell.stdout.read(1):  # the echo comes back once the namespace is there
            raise CannotTry(f"no namespace for {self.name}: are we root in the guest?", "./lab shell")
        self.pid, self.waiting = self.shell.pid, False

    def terminate(self) -> None:
        """Ends every process here, and with them the namespace."""
        if self.shell:
            self.end_processes()
        self.end_bash()
        if self.shell:
            self.shell.stdin.close()
            self.shell.kill()
            self.shell.wait()
            self.shell.stdout.close()
        self.shell = self.pid = None

    def on(self, *command: str, stdin: str = "") -> str:
        """Runs a command here and returns its output: on("ip", "route") or on("ip route").

        Raises CommandFailed with the command, its exit status and what it said.
        """
        return finish(self.start(*command), stdin)

    def start(self, *command: str, **popen) -> subprocess.Popen:
        """Starts a command here; keyword arguments go to subprocess.Popen.

        It gets the host's network and the guest's own file systems, /sys/kernel/debug included.
        """
        words = shlex.split(command[0]) if len(command) == 1 else list(command)
        pipes = dict(stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        with self.inside():
            try:
                process = subprocess.Popen(words, text=True, **pipes | popen)
            except FileNotFoundError as error:
                raise CannotTry(f"the guest has no command {words[0]!r}", "./lab reset") from error
        process.where = self.name
        return process

    def sysctl(self, settings: Mapping[str, str]) -> None:
        """Sets kernel parameters of this host: {"net/ipv4/ip_forward": "1"}."""
        with self.inside():
            for name, value in settings.items():
                Path("/proc/sys", name).write_text(value)

    def listening(self) -> set[int]:
        """TCP ports of this host on which something listens."""
        return {one.local_port for one in sockets(self.pid, "tcp", "tcp6") if one.state == LISTEN}

    def sockets(self) -> list[Socket]:
        """List this host's TCP sockets (IPv4)."""
        return sockets(self.pid, "tcp")

    def end_processes(self) -> None:
        """Ends every process here but its shell and us."""
        for pid in self.processes():
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)

    def processes(self) -> list[int]:
        """Ids of all processes in this host's namespace, but for its shell and for us."""
        ours = os.stat(f"/proc/{self.pid}/ns/net").st_ino
        found = []
        for folder in Path("/proc").glob("[0-9]*"):
            with contextlib.suppress(OSError):
                if (folder / "ns/net").stat().st_ino == ours:
                    found.append(int(folder.name))
        return [pid for pid in found if pid not in (self.pid, os.getpid())]


def _setns(descriptor: int) -> None:
    if _libc.setns(descriptor, CLONE_NEWNET):
        raise OSError(ctypes.get_errno(), "expected to enter a network namespace; are we root?")


def finish(process: subprocess.Popen, stdin: str = "") -> str:
    """Output of a command that `Node.start` started, once it has ended."""
    out, err = process.communicate(stdin)
    if process.returncode:
        command = shlex.join(process.args)
        lines = "\n".join(f"    {line}" for line in (err or out or "").strip().splitlines())
        raise CommandFailed(
            f"on {process.where}: `{command}` ended with status {process.returncode}, expected 0\n{lines}"
        )
    return out


@dataclass
class Service:
    """A program that serves on a host for as long as the topology stands."""

    process: subprocess.Popen
    node: Node
    port: int
    log: Path

    def wait(self, deadline_s: float = 60) -> None:
        """Returns once the port is listened on; raises NotReady with the program's last words."""
        poll(lambda: self.port in self.node.listening() or self.process.poll() is not None, deadline_s)
        if self.port not in self.node.listening():
            raise NotReady(
                f"expected `{shlex.join(self.process.args)}` to listen on port "
                f"{self.port} of {self.node.name}; it said:\n{self.log.read_text()}"
            )


def load_modules(*modules: str) -> None:
    """Has the kernel load those that it has not; raises CannotTry if one is not to be had."""
    absent = [name for name in modules if not Path("/sys/module", name.replace("-", "_")).exists()]
    if not absent:
        return
    loaded = subprocess.run(["modprobe", "-a", *absent], capture_output=True, text=True)
    if loaded.returncode:
        raise CannotTry(f"the kernel lacks a module: {loaded.stderr.strip()}", "./lab reset")


def at_once(commands: Sequence[tuple[Node, Sequence[str], str]]) -> list[str]:
    """Outputs of (host, command, standard input), all run at the same time."""
    with ThreadPoolExecutor(len(commands)) as pool:
        return list(pool.map(lambda one: one[0].on(*one[1], stdin=one[2]), commands))
