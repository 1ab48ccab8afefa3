"""What takes longest in a first start, the image of the book's guest, is begun while pip still installs. `lab` calls
this with the few packages that it needs (host/fetching/python-packages.sh). What goes wrong here the call itself says,
when it comes to the same."""

import contextlib
import signal

from core.signals import leave_once
from host.errors import LabError
from host.vm import image

if __name__ == "__main__":
    leave_once([signal.SIGTERM, signal.SIGHUP])  # what is half made is removed
    with contextlib.suppress(LabError, KeyboardInterrupt):
        image.need()
        image.image()
