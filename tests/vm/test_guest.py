"""Do the tests that run inside the guest (tests/guest) pass there? One test here for each file."""

import pytest

from host import vm
from host.ssh import module_command
from tests.vm.conftest import REPOSITORY

FILES = sorted(path.name for path in (REPOSITORY / "tests" / "guest").glob("test_*.py"))


@pytest.mark.parametrize("name", FILES)
def test_in_guest(name):
    with vm.throwaway() as guest:
        command = module_command("pytest", "-q", "-p", "no:cacheprovider", f"tests/guest/{name}")
        result = guest.connection.run(command, capture_output=True, text=True)
    print(result.stdout[-6000:], result.stderr[-2000:])
    assert result.returncode == 0
