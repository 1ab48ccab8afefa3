"""How does a notebook on the host get a kernel in the guest? Its kernelspec starts this.

`python -m host.kernel PROFILE CONNECTION_FILE` has the reader's guest up, copies labs/ as it
stands now, and becomes the ssh that carries the kernel's five channels. Jupyter's own process is
therefore that ssh: when it ends, however it ends, the guest's fork server ends the kernel and all
that the kernel started. And when Jupyter ends, however it ends, the ssh does.
"""

import ctypes
import json
import os
import shlex
import signal
import sys
import time

from host import parcel, snapshot, vm
from host.phases import LabError
from host.ssh import module_command, receive

PR_SET_PDEATHSIG = 1  # include/uapi/linux/prctl.h
CHANNELS = ("shell", "iopub", "stdin", "control", "hb")


def main(profile: str, connection_file: str) -> None:
    """Does not return: becomes ssh."""
    _end_with(os.getppid())
    with open(connection_file) as file:
        ports = json.load(file)
    # A fresh guest (what `./lab record` wants) is this process's own and ends with it.
    fresh = bool(os.environ.get("LAB_FRESH_GUEST"))
    guest = snapshot.resume(profile, outlives_us=False) if fresh else vm.resumed(profile)
    forwards = []
    for channel in CHANNELS:
        port = ports[f"{channel}_port"]
        forwards += ["-L", f"127.0.0.1:{port}:127.0.0.1:{port}"]
    ssh = guest.connection.arguments("-o", "ExitOnForwardFailure=yes", *forwards, shared=False)
    kernel = module_command("ipykernel_launcher", *_options(ports))
    # One connection for all of it: the handshake is the slowest part of a kernel's start.
    with parcel.packed(guest.folder) as labs:
        os.dup2(labs.archive.fileno() if labs.unpack else os.open(os.devnull, os.O_RDONLY), 0)
        # ipykernel greets whoever started it by hand; its outputs go over the channels, errors to stderr.
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
        os.execvp(ssh[0], [*ssh, f"{receive(labs)} && exec {shlex.join(kernel)}"])


def _end_with(parent: int) -> None:
    """Have the kernel end this process, and the ssh that it becomes, when Jupyter ends (prctl(2);
    it holds across exec). A server that is killed outright could not tell us itself."""
    ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGTERM)
    if os.getppid() != parent:  # it ended before we asked
        sys.exit(1)


def _options(ports: dict) -> list[str]:
    """What ipykernel would read from a connection file, as options: the file is on the host."""
    return [
        "--ip=127.0.0.1", "--HistoryManager.enabled=False",
        *[f"--{channel}={ports[f'{channel}_port']}" for channel in CHANNELS],
        f"--Session.key={ports['key']}",
        f"--Session.signature_scheme={ports['signature_scheme']}",
    ]


if __name__ == "__main__":
    try:
        main(sys.argv[1], sys.argv[2])
    except LabError as error:
        print(f"lab: {error}", file=sys.stderr)
        time.sleep(0.1)  # lets Jupyter read the line before it sees us end
        sys.exit(error.status)
