"""Is a guest known by its process, wherever its folder is?"""

import shutil
import threading

import pytest

from host import locks, paths
from host.errors import LabError
from host.vm import machine, ssh

QEMU = ["qemu-system-x86_64", "-machine", "none", "-nodefaults", "-display", "none"]


@pytest.mark.parametrize("name", ["guest-0", "guest, the first"])
def test_its_folder_may_have_any_name(tmp_path, name):
    folder = tmp_path / name
    folder.mkdir()
    guest = machine.start(lambda port: QEMU, folder, [], outlives_us=False)
    try:
        assert guest.alive() and locks.processes_in(folder) == [guest.pid]
    finally:
        guest.process.kill()
        guest.process.wait()
    assert not guest.alive() and not locks.processes_in(folder)


def test_qemu_that_ends_after_its_connection_is_waited_for(tmp_path):
    guest = machine.start(lambda port: QEMU, tmp_path, [], outlives_us=False)
    assert guest.survived(0)
    ending = threading.Timer(0.3, guest.process.kill)  # of the parent, with which QEMU ends
    ending.start()
    assert not guest.survived(ssh.CONNECTION_LOST)
    ending.join()
    guest.process.wait()


def test_a_full_disk_is_said_before_a_guest_is_started_that_would_never_wake(tmp_path, monkeypatch):
    monkeypatch.setenv("LAB_RUN_DIR", str(tmp_path))
    usage = shutil.disk_usage("/")._replace(free=16384)
    monkeypatch.setattr(shutil, "disk_usage", lambda path: usage)
    with pytest.raises(LabError, match=f"guest: needs 32 MiB in {paths.run()}, and 0 MiB are free"):
        machine.new_folder()
    assert not list(paths.run().glob("guest-*"))
