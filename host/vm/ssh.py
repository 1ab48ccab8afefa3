"""How do we talk to a guest? Over one ssh connection, kept open and shared by later calls. Each side knows the other by
a key of this installation."""

import contextlib
import os
import shlex
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from host import store
from host.debian import installed
from host.sandbox import confined
from host.vm import labs_sync

CLIENT = "/usr/local/lib/lab/fork_client"
GUEST_FOLDER = "/root/lab"
CONNECTION_LOST = 255  # ssh's own status: the connection broke
# The first call opens the connection, the later ones share it.
KEPT_OPEN = ("-o", "ControlMaster=auto", "-o", "ControlPersist=yes")


def keys() -> Path:
    """The folder with the client's and the guest's key pair, made once per installation."""

    def make(folder: Path) -> None:
        installed.need("ssh-keygen")
        for name in ("client", "guest"):
            subprocess.run(["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-C", name, "-f", folder / name], check=True)

    return store.build_once("keys", "ed25519", make, own=True)


def public_keys() -> bytes:
    """The public halves of both, which tell one installation's keys from another's."""
    ours = keys()
    return b"".join((ours / f"{name}.pub").read_bytes() for name in ("client", "guest"))


@dataclass(frozen=True)
class Connection:
    """The way to the guest whose run lives in `folder` and whose sshd is at `port` on loopback."""

    folder: Path
    port: int

    def arguments(self, *options: str, control: str = "ssh") -> list[str]:
        """ssh and its options, up to the host name. `control` names the connection kept open in our folder."""
        ours = keys()
        return [
            "ssh",
            "-F",
            "none",
            *(["-o", f"ProxyCommand={confined.ssh_command(self.folder)}"] if (self.folder / "sshd").exists() else []),
            "-q",
            "-S",
            str(self.folder / control),
            "-p",
            str(self.port),
            "-i",
            str(ours / "client"),
            "-o",
            "IdentitiesOnly=yes",
            "-o",
            "BatchMode=yes",
            "-o",
            "ConnectTimeout=20",
            "-o",
            f"UserKnownHostsFile={_quoted(self._known_hosts(ours))}",
            "-o",
            "HostKeyAlias=guest",
            "-o",
            "KexAlgorithms=curve25519-sha256",
            "-o",
            "Ciphers=aes128-gcm@openssh.com",
            "-o",
            "LogLevel=ERROR",
            "-o",
            "ServerAliveInterval=15",
            "-o",
            "ServerAliveCountMax=4",
            *options,
            "root@127.0.0.1",
        ]

    def _known_hosts(self, ours: Path) -> Path:
        known = self.folder / "known_hosts"
        if not known.exists():
            known.write_text(f"guest {(ours / 'guest.pub').read_text()}")
        return known

    def first_contact(self, deadline_s: float) -> bool:
        """Make a guest current: set its clock, copy what it lacks of labs/, and leave the connection open
        for later calls. False if it did not answer in time."""
        with labs_sync.packed(self.folder) as labs:
            try:
                result = subprocess.run(
                    [*self.arguments(*KEPT_OPEN), receive(labs)],
                    timeout=deadline_s,
                    stdin=labs.archive,
                    stdout=subprocess.DEVNULL,
                    stderr=subprocess.DEVNULL,
                )
                answered = result.returncode == 0
            except subprocess.TimeoutExpired:
                answered = False
        if not answered:
            labs.lost()
        return answered

    def close(self) -> None:
        """End the shared connection, if there is one."""
        if (self.folder / "ssh").exists():
            with contextlib.suppress(subprocess.TimeoutExpired):
                subprocess.run(self.arguments("-O", "exit"), capture_output=True, timeout=5)

    def run(self, command: list[str], **popen) -> subprocess.CompletedProcess:
        """Run one command in the guest; keyword arguments go to subprocess.run."""
        return subprocess.run([*self.arguments(*KEPT_OPEN), shlex.join(command)], **popen)

    @contextlib.contextmanager
    def started(self, command: list[str], **popen) -> Iterator[subprocess.Popen]:
        """Start a command in the guest, and wait for it at the end of the block, unless that ends by an exception."""
        with subprocess.Popen([*self.arguments(*KEPT_OPEN), shlex.join(command)], **popen) as process:
            try:
                yield process
            except BaseException:
                process.kill()
                raise

    def said(self, command: list[str], most_bytes: int, deadline_s: float) -> bytes:
        """The first `most_bytes` of what one command prints within the deadline; then it is ended."""
        pipes = {"stdin": subprocess.DEVNULL, "stdout": subprocess.PIPE, "stderr": subprocess.DEVNULL}
        with self.started(command, **pipes) as process:
            ending = threading.Timer(deadline_s, process.kill)
            ending.start()
            try:
                said = process.stdout.read(most_bytes)
                process.kill()
                return said
            finally:
                ending.cancel()

    def command(self, command: list[str]) -> int:
        """One command for a person: with a terminal where there is one, so that Ctrl-C reaches it."""
        terminal = ["-t"] if sys.stdin.isatty() and sys.stdout.isatty() else []
        return subprocess.run([*self.arguments(*terminal, *KEPT_OPEN), shlex.join(command)]).returncode

    def shell(self) -> int:
        """An interactive root shell; returns its exit status."""
        greeting = f"cd {GUEST_FOLDER}; exec bash -l"
        return subprocess.run([*self.arguments("-t", *KEPT_OPEN), greeting]).returncode


def module_command(module: str, *arguments: str) -> list[str]:
    """The guest command that runs a module as `python3 -m` beside labs/, with the slow imports already done."""
    return [CLIENT, module, *arguments]


def receive(labs: labs_sync.Update) -> str:
    """Bash text for the guest: set the clock if it is off (a restored one has the snapshot's), and
    bring labs/ up to date from the archive on stdin; one such call waits for another. The folder itself stays,
    for running kernels stand in it. Each process costs 30 ms under emulation, so there are few; busybox, linked
    statically, costs half of that."""
    now_s = time.time()
    return (
        f"off=$((EPOCHSECONDS - {now_s:.0f})); [ ${{off#-}} -le 2 ] || busybox date -u -s @{now_s:.0f} >/dev/null; "
        f"cd {GUEST_FOLDER} && {f'{{ flock 9 && {labs.unpack}; }} 9<.' if labs.unpack else 'true'}"
    )


def _quoted(path: Path) -> str:
    """ssh splits this option's value at blanks, unless quoted."""
    return '"' + os.fspath(path) + '"'
