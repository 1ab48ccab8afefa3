"""How does a notebook on the host get its kernel (Jupyter's, not Linux) in the guest? Its kernelspec starts this.

`python -m host.notebook.kernel PROFILE CONNECTION_FILE` has the reader's guest up, copies labs/ as it
stands now, and runs the kernel over an ssh that carries its five channels. When this process
ends, however it ends, so does the ssh; then the guest's fork server ends the kernel and all that
the kernel started. And when Jupyter ends, however it ends, this process does.
"""

import contextlib
import ctypes
import functools
import json
import os
import shlex
import shutil
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

from host.errors import LabError
from host.phases import say
from host.vm import guests, labs_sync, snapshot
from host.vm.ssh import module_command, receive

PR_SET_PDEATHSIG = 1  # include/uapi/linux/prctl.h
LONGEST_LINE_BYTES = 1 << 16
CHANNELS = ("shell", "iopub", "stdin", "control", "hb")


def main(profile: str, connection_file: str) -> int:
    """The kernel's exit status, once it has ended."""
    _end_with(os.getppid())
    connection = json.loads(Path(connection_file).read_text("utf-8"))
    # A fresh guest (what `./lab record` wants) is this process's own and ends with it.
    fresh = bool(os.environ.get("LAB_FRESH_GUEST"))
    guest = snapshot.resume(profile, outlives_us=False) if fresh else guests.resumed(profile)
    ssh = functools.partial(guest.connection.arguments, control=f"kernel-{os.getpid()}")
    # By standard input, before labs/: each user of this machine can read a command line, and here is the channels' key.
    kernel = f'{shlex.join(module_command("labs.kernel"))} "$connection"'
    # One connection for all of it: the handshake is the slowest part of a kernel's start.
    with labs_sync.packed(guest.folder) as labs:
        process = subprocess.Popen(
            ["setpriv", "--pdeathsig", "TERM", *ssh("-M"), f"read -r connection && {receive(labs)} && exec {kernel}"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        )
        threading.Thread(target=_say, args=(process.stderr,), daemon=True).start()
        _send(process.stdin, json.dumps(in_guest(connection)), labs.archive)
        listens = process.stdout.readline(LONGEST_LINE_BYTES)
    if listens:
        _forward(ssh, list(zip(ends(connection), ends(in_guest(connection)))))
    while process.stdout.read1(LONGEST_LINE_BYTES):  # nothing should come
        pass
    status = process.wait()
    if not guest.survived(status):
        say(f"lab: the guest of this notebook died: {guest.death()}")
    return status


def _say(stream) -> None:
    """What the guest says goes to Jupyter's log, which is the terminal of `./lab start`."""
    while line := stream.readline(LONGEST_LINE_BYTES):
        say(line.decode(errors="replace").rstrip("\n"))


def _send(to, connection: str, archive) -> None:
    """The connection as one line, then the archive, if there is one. An ssh that has ended says so by no answer."""
    with contextlib.suppress(BrokenPipeError), to:
        to.write(connection.encode() + b"\n")
        to.flush()
        if archive != subprocess.DEVNULL:
            shutil.copyfileobj(archive, to)


def in_guest(connection: dict) -> dict:
    """The connection as the kernel in the guest has it: with sockets of its own, where Jupyter's are sockets."""
    if connection["transport"] == "tcp":
        return connection
    return connection | {"ip": f"/run/{Path(connection['ip']).name}"}


def ends(connection: dict) -> list[str]:
    """The address of each channel, as ssh's option -L has it: jupyter_client's connect.py, _make_url()."""
    between = ":" if connection["transport"] == "tcp" else "-"
    return [f"{connection['ip']}{between}{connection[f'{channel}_port']}" for channel in CHANNELS]


def _forward(ssh, pairs: list[tuple[str, str]]) -> None:
    """Forward the ports once the kernel listens, and not before: Jupyter tries each end ten times a second, and each
    try would be carried into the guest and refused there, which under emulation takes a fifth of the kernel's start."""
    for ours, _ in pairs:
        if ours.startswith("/"):  # what the kernel before has left, if this one was started again
            Path(ours).unlink(missing_ok=True)
    forwards = [word for ours, theirs in pairs for word in ("-L", f"{ours}:{theirs}")]
    if subprocess.run(ssh("-O", "forward", *forwards), stdin=subprocess.DEVNULL).returncode:
        raise LabError(
            f"expected {', '.join(ours for ours, _ in pairs)} to be free, found one taken",
            "start the notebook's kernel again",
        )


def _end_with(parent: int) -> None:
    """Have the kernel end this process when Jupyter ends (prctl(2)). A server that is killed outright could
    not tell us itself."""
    ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGTERM)
    if os.getppid() != parent:  # it ended before we asked
        sys.exit(1)


if __name__ == "__main__":
    try:
        sys.exit(main(sys.argv[1], sys.argv[2]))
    except LabError as error:
        say(f"lab: {error}")
        time.sleep(0.1)  # lets Jupyter read the line before it sees us end
        sys.exit(error.status)
