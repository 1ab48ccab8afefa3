"""What takes longest in a first start, the guest's image and its first boot, is begun while pip still installs. `lab`
calls this with its own words, and with the few packages that it takes (host/fetching/python-packages.sh). What goes
wrong here the call itself says, when it comes to the same."""

import contextlib
import signal
import subprocess
import sys

from core import cases
from core.signals import leave_once
from host.errors import LabError
from host.vm import image, profile, snapshot


def asked_for(words: list[str]) -> str:
    """The profile that these words name, or a case that needs it; the stock one if they name none."""
    known = {name: name for linux in image.kernels() for name in profile.names(linux)}
    known |= {name: case.profile for name, case in cases.cases().items()}
    return next((known[word] for word in words if word in known), "stock")


if __name__ == "__main__":
    leave_once([signal.SIGTERM, signal.SIGHUP])  # what is half made is removed
    with contextlib.suppress(LabError, OSError, subprocess.SubprocessError, KeyboardInterrupt):
        snapshot.snapshot(asked_for(sys.argv[1:]))
