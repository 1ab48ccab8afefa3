"""Do the tests that run inside the guest (tests/guest) pass there? One test here for each file. A file
that needs a chapter's own machine says `PROFILE = "…"`, one that is not of the base `PARTS = "…"` (see
tests/conftest.py), and one that tries more when all tests run reads the environment's LAB_TEST_ALL."""

import re
import subprocess

import pytest

from host.paths import LABS
from host.vm import guests, labs_sync
from host.vm.ssh import GUEST_FOLDER, module_command
from tests.vm.conftest import REPOSITORY, lost

FOLDER = REPOSITORY / "tests" / "guest"


def says(name: str, text: str) -> str:
    """What a file says that it is: its `PROFILE = "…"`, say; empty if it does not."""
    found = re.search(rf'^{name} = "(.+)"', text, re.MULTILINE)
    return found[1] if found else ""


def files():
    for path in sorted(FOLDER.glob("test_*.py")):
        text = path.read_text()
        asked = says("PARTS", text).split()
        yield pytest.param(path.name, False, id=path.name, marks=pytest.mark.part(*asked) if asked else ())
        if "LAB_TEST_ALL" in text:
            yield pytest.param(path.name, True, id=f"{path.name}-all", marks=pytest.mark.part("machinery"))


def bring_answers(guest) -> None:
    """Into this guest: a reader's lacks them, see host/vm/labs_sync.py."""
    folders = [
        folder.relative_to(REPOSITORY)
        for kind in labs_sync.KEPT_BACK
        for folder in LABS.glob(f"cases/*/exercises/*/{kind}")
    ]
    packed = ["tar", "-c", "-C", REPOSITORY, "--owner=0", "--group=0", *folders]
    with subprocess.Popen(packed, stdout=subprocess.PIPE) as tar:
        guest.connection.run(["tar", "-x", "-C", GUEST_FOLDER], stdin=tar.stdout, check=True)


def test_no_answer_lies_in_a_readers_guest():
    """Not even in the memory that it woke with, if that was kept when they were still brought."""
    with guests.throwaway() as guest:
        names = [word for kind in labs_sync.KEPT_BACK for word in ("-o", "-name", kind)][1:]
        found = guest.connection.run(["find", GUEST_FOLDER, *names], capture_output=True, text=True)
        assert (found.returncode, found.stdout) == (0, "")
        assert (
            guest.connection.run(["ls", f"{GUEST_FOLDER}/labs/cases/frag_needed/exercises/ex1/start.sh"]).returncode
            == 0
        )


@pytest.mark.parametrize("name, everything", files())
@pytest.mark.timeout(900)  # a hundred livepatches take five minutes: the kernel looks once a second
def test_in_guest(name, everything):
    asked = says("PROFILE", (FOLDER / name).read_text())
    with guests.throwaway(asked or "stock") as guest:
        pytest_of_it = ["pytest", "-q", "-p", "no:cacheprovider", f"tests/guest/{name}"]
        command = module_command(*pytest_of_it)
        bring_answers(guest)
        if everything:  # the fork server, which is faster, hands few variables on
            command = ["env", "-C", GUEST_FOLDER, "LAB_TEST_ALL=1", "python3", "-m", *pytest_of_it]
        result = guest.connection.run(command, capture_output=True, text=True)
    for line in result.stdout.splitlines():
        if line.startswith("lost: "):
            lost(line.removeprefix("lost: "))
    print(result.stdout[-6000:], result.stderr[-2000:])
    assert result.returncode == 0
    assert " skipped" not in result.stdout.splitlines()[-1], "in the guest nothing may be missing"
