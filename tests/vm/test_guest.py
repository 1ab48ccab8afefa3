"""Do the tests that run inside the guest (tests/guest) pass there? One test here for each file. A file
that needs a chapter's own machine says `PROFILE = "…"`."""

import re

import pytest

from host import vm
from host.ssh import module_command
from tests.vm.conftest import ALL, REPOSITORY

FOLDER = REPOSITORY / "tests" / "guest"
FILES = sorted(path.name for path in FOLDER.glob("test_*.py"))


@pytest.mark.parametrize("name", FILES)
@pytest.mark.timeout(900)  # a hundred livepatches take five minutes: the kernel looks once a second
def test_in_guest(name):
    asked = re.search(r'^PROFILE = "(.+)"', (FOLDER / name).read_text(), re.MULTILINE)
    with vm.throwaway(asked[1] if asked else "stock") as guest:
        command = module_command("pytest", "-q", "-p", "no:cacheprovider", f"tests/guest/{name}")
        everything = ["env", "LAB_TEST_ALL=1"] if ALL else []
        result = guest.connection.run([*everything, *command], capture_output=True, text=True)
    print(result.stdout[-6000:], result.stderr[-2000:])
    assert result.returncode == 0
