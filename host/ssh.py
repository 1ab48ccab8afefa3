"""How do we talk to a guest? Over one ssh connection, kept open and shared by later calls."""

import os
import shlex
import subprocess
from dataclasses import dataclass
from pathlib import Path

from host import image
from host.paths import LABS

CLIENT = "/usr/local/lib/lab/fork_client.py"
GUEST_FOLDER = "/root/lab"


@dataclass(frozen=True)
class Connection:
    """The way to the guest whose run lives in `folder` and whose sshd is at `port` on loopback."""

    folder: Path
    port: int

    def arguments(self, *options: str, shared: bool = True) -> list[str]:
        """ssh and its options, up to the host name. `shared` uses the connection kept open."""
        keys = image.keys()
        control = ["-S", str(self.folder / "ssh")] if shared else ["-S", "none"]
        return [
            "ssh", "-F", "none", "-q", *control, "-p", str(self.port), "-i", str(keys / "client"),
            "-o", "IdentitiesOnly=yes", "-o", "BatchMode=yes", "-o", "ConnectTimeout=20",
            "-o", f"UserKnownHostsFile={_quoted(self._known_hosts(keys))}",
            "-o", "HostKeyAlias=guest", "-o", "KexAlgorithms=curve25519-sha256",
            "-o", "Ciphers=aes128-gcm@openssh.com", "-o", "LogLevel=ERROR",
            *options, "root@127.0.0.1",
        ]

    def _known_hosts(self, keys: Path) -> Path:
        known = self.folder / "known_hosts"
        if not known.exists():
            known.write_text(f"guest {(keys / 'guest.pub').read_text()}")
        return known

    def open(self, command: list[str]) -> bool:
        """Open the shared connection and run `command` on it. False if the guest did not answer."""
        result = subprocess.run(
            self.arguments("-o", "ControlMaster=yes", "-o", "ControlPersist=yes")
            + [shlex.join(command)],
            stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
        )
        return result.returncode == 0

    def close(self) -> None:
        """End the shared connection, if there is one."""
        if (self.folder / "ssh").exists():
            subprocess.run(self.arguments("-O", "exit"), capture_output=True)

    def run(self, command: list[str], **popen) -> subprocess.CompletedProcess:
        """Run one command in the guest; keyword arguments go to subprocess.run."""
        return subprocess.run([*self.arguments(), shlex.join(command)], **popen)

    def popen(self, command: list[str], **popen) -> subprocess.Popen:
        """Start one command in the guest."""
        return subprocess.Popen([*self.arguments(), shlex.join(command)], **popen)

    def shell(self) -> int:
        """An interactive root shell; returns its exit status."""
        greeting = f"cd {GUEST_FOLDER}; exec bash -l"
        return subprocess.run([*self.arguments("-t"), greeting]).returncode

    def copy_labs(self) -> None:
        """Replace the guest's labs/ by the host's, as it stands now."""
        send_labs(self)


def module_command(module: str, *arguments: str) -> list[str]:
    """The guest command that runs a module as `python3 -m`, with the slow imports already done."""
    request = shlex.join(["python3", "-I", "-S", CLIENT, module, *arguments])
    return ["sh", "-c", f"cd {GUEST_FOLDER} && exec {request}"]


def send_labs(connection: Connection, shared: bool = True) -> None:
    """Copy labs/ and tests/guest into the guest, replacing what is there."""
    unpack = f"rm -rf {GUEST_FOLDER} && mkdir -p {GUEST_FOLDER} && tar -x -C {GUEST_FOLDER}"
    tar = subprocess.Popen(
        ["tar", "-c", "-C", str(LABS.parent), "--exclude=__pycache__", "labs", "tests/guest"],
        stdout=subprocess.PIPE,
    )
    subprocess.run([*connection.arguments(shared=shared), unpack], stdin=tar.stdout, check=True)
    tar.stdout.close()
    tar.wait()


def _quoted(path: Path) -> str:
    """ssh splits this option's value at blanks, unless quoted."""
    return '"' + os.fspath(path) + '"'
