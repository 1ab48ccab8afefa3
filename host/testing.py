"""Which tests are there? tests/host and tests/site need no VM; tests/vm does, and runs tests/guest
inside it. They are two calls of pytest, so that what measures does not run beside a browser."""

import os
import signal
import subprocess
import sys

from host import debian, snapshot, source
from host.paths import REPOSITORY
from host.profile import names

MOST_AT_ONCE = 4  # a guest takes up to a GiB
WITHOUT_VM, WITH_VM = ["tests/host", "tests/site"], ["tests/vm"]
REPORTS = "_build/tests"  # how each test ended and how long it took, as JUnit's XML
NO_TESTS = 5  # pytest's status when its words choose none


def run(quick: bool, everything: bool, words: list[str]) -> None:
    """Run pytest and exit with its status. Makes what the tests need first, so that no test pays for it."""
    if everything:
        os.environ["LAB_TEST_ALL"] = "1"  # see tests/vm/conftest.py
    named = [word for word in words if word.startswith("tests/")]
    with_vm = not quick and not (named and all(word.startswith(tuple(WITHOUT_VM)) for word in named))
    debian.need(*debian.TESTS)
    if with_vm:
        for name in names():
            snapshot.snapshot(name)
    source.trees()  # of the kernel that the image has, so after it
    os.chdir(REPOSITORY)
    if named:
        sys.exit(_pytest(words))
    workers = ["-n", str(min(os.cpu_count() or 1, MOST_AT_ONCE)), "--dist", "loadgroup"]
    parts = {"without-vm": WITHOUT_VM} | ({"with-vm": WITH_VM} if with_vm else {})
    sys.exit(worst([_pytest([*workers, f"--junitxml={REPORTS}/{part}.xml", *folders, *words])
                    for part, folders in parts.items()]))


def worst(statuses: list[int]) -> int:
    """One status for several calls of pytest: none may fail, and one at least must have run a test."""
    failed = [status for status in statuses if status not in (0, NO_TESTS)]
    return failed[0] if failed else min(statuses)


def _pytest(words: list[str]) -> int:
    """Ctrl-C ends pytest in its own time, guests and all; until then we wait. No further call follows it."""
    process = subprocess.Popen(["setpriv", "--pdeathsig", "TERM", sys.executable, "-P", "-m", "pytest", *words])
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        status = process.wait()
    finally:
        signal.signal(signal.SIGINT, before)
    if status == 2:  # pytest's status when it was interrupted
        sys.exit(status)
    return status
