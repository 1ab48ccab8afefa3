"""How does a notebook on the host get a kernel in the guest? Its kernelspec starts this.

`python -m host.kernel PROFILE CONNECTION_FILE` has the reader's guest up, copies labs/ as it
stands now, and becomes the ssh that carries the kernel's five channels. Jupyter's own process is
therefore that ssh: when it ends, however it ends, the guest's fork server ends the kernel and all
that the kernel started.
"""

import json
import os
import shlex
import sys
import time

from host import vm
from host.phases import LabError
from host.ssh import module_command

CHANNELS = ("shell", "iopub", "stdin", "control", "hb")


def main(profile: str, connection_file: str) -> None:
    """Does not return: becomes ssh."""
    with open(connection_file) as file:
        ports = json.load(file)
    if os.environ.get("LAB_FRESH_GUEST"):
        from host import snapshot

        guest = snapshot.restore(profile)  # ends with us, as ssh: `./lab record` wants it pristine
    else:
        guest = vm.up(profile)
    guest.connection.copy_labs()
    forwards = []
    for channel in CHANNELS:
        port = ports[f"{channel}_port"]
        forwards += ["-L", f"127.0.0.1:{port}:127.0.0.1:{port}"]
    command = guest.connection.arguments(
        "-o", "ExitOnForwardFailure=yes", *forwards, shared=False
    )
    kernel = module_command("ipykernel_launcher", *_options(ports))
    # ipykernel greets whoever started it by hand; its outputs go over the channels, errors to stderr.
    os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
    os.execvp(command[0], [*command, shlex.join(kernel)])


def _options(ports: dict) -> list[str]:
    """What ipykernel would read from a connection file, as options: the file is on the host."""
    return [
        "--ip=127.0.0.1",
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
