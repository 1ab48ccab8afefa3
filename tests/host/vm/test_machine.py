"""Is a guest known by its process, wherever its folder is?"""

import pytest

from host import held
from host.vm import machine

QEMU = ["qemu-system-x86_64", "-machine", "none", "-nodefaults", "-display", "none"]


@pytest.mark.parametrize("name", ["guest-0", "guest, the first"])
def test_its_folder_may_have_any_name(tmp_path, name):
    folder = tmp_path / name
    folder.mkdir()
    guest = machine.start(lambda port: QEMU, folder, [], outlives_us=False)
    try:
        assert guest.alive() and held.processes_in(folder) == [guest.pid]
    finally:
        guest.process.kill()
        guest.process.wait()
    assert not guest.alive() and not held.processes_in(folder)
