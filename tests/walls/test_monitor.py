"""Can who has taken over QEMU run programs as its user? Its own control protocol would: `exec:` is an address there."""

import contextlib
import os
import subprocess

import pytest
from qemu.qmp import QMPError
from qemu.qmp.legacy import QEMUMonitorProtocol

from host.vm import profile, snapshot
from tests.walls.conftest import until

QEMU = ["qemu-system-x86_64", "-machine", "none", "-nodefaults", "-display", "none"]


@pytest.fixture
def does(tmp_path):
    """does(*options): whether a program that a QEMU with these options is asked to run has run."""

    def tried(*options) -> bool:
        path, done = tmp_path / "qmp", tmp_path / "done"
        process = subprocess.Popen([*QEMU, *options, "-qmp", f"unix:{path},server=on,wait=off"])
        monitor = QEMUMonitorProtocol(str(path))
        try:
            until(lambda: path.exists() or process.poll() is not None)
            monitor.connect()
            with contextlib.suppress(QMPError, EOFError, OSError):  # it may be ended for having tried
                monitor.cmd("migrate", uri=f"exec:touch {done}")
                until(lambda: done.exists() or monitor.cmd("query-migrate").get("status") == "failed")
            return done.exists()
        finally:
            process.kill()
            process.wait()
            with contextlib.suppress(QMPError, EOFError, OSError):
                monitor.close()
            path.unlink(missing_ok=True)

    return tried


def test_qemu_starts_no_program(does):
    assert not does(*profile.SANDBOX)
    assert does(), "the attack does not work, so it says nothing of the wall"


def test_what_it_is_given_leads_to_no_file(tmp_path):
    """A descriptor that is open for reading can be opened anew for writing, also where its file cannot be seen."""
    (tmp_path / "state").write_bytes(b"kept")

    def overwritten(descriptor: int) -> bool:
        with open(f"/proc/self/fd/{descriptor}", "wb") as again:
            again.write(b"evil")
        return (tmp_path / "state").read_bytes() == b"evil"

    with snapshot._copy_in_memory(tmp_path / "state") as given:
        assert os.read(given, 9) == b"kept" and not overwritten(given)
    with open(tmp_path / "state", "rb") as opened:
        assert overwritten(opened.fileno()), "the attack does not work, so it says nothing of the wall"
