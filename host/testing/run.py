"""How are the tests run? tests/vm needs the VM, and runs tests/guest inside it; the other folders need none. They are
two calls of pytest, so that what measures does not run beside a browser. Which of them a run has, parts.py says."""

import os
import signal
import subprocess
import sys
from pathlib import Path

from core.protocol import MOST_LOST
from core.statuses import Status
from host import environment
from host.debian import installed
from host.errors import LabError
from host.paths import REPOSITORY
from host.phases import say
from host.site import quoted
from host.tab import state
from host.testing import parts
from host.testing.parts import BASE
from host.vm import snapshot
from host.vm.profile import names

MOST_AT_ONCE = 4  # a guest takes up to a GiB
WITHOUT_VM, WITH_VM = ["tests/core", "tests/host", "tests/labs", "tests/site", "tests/attacks"], ["tests/vm"]
WITH_TAB = ("tests/site", "tests/vm/test_tab")  # run the kernel of a browser's tab
REPORTS = "_build/tests"  # how each test ended and how long it took, as JUnit's XML
LOST_GUESTS_FILE = f"{REPORTS}/lost"  # all that was in paths.lost_guests() of a run's tests (tests/vm/conftest.py)
SAYING = ("-r", "--durations", "-v", "-s")  # words of pytest that choose no tests
INTERRUPTED, NO_TESTS = 2, 5  # statuses of pytest; the second when its words choose none


def run(quick: bool, everything: bool, part: str | None, words: list[str]) -> None:
    """Run the tests and exit with pytest's status. Makes what they need first, so that no test pays for it.

    Who names tests (`words` like "tests/vm/test_vm.py") gets all of them, whatever their part.
    """
    if part and part not in {BASE, *parts.parts()}:
        raise LabError(
            f"no part {part!r}; there are: {', '.join([BASE, *parts.parts()])}", "./lab test --all", Status.USAGE
        )
    named = [word for word in words if word.startswith("tests/")]
    with_vm = not quick and not (named and all(word.startswith(tuple(WITHOUT_VM)) for word in named))
    installed.need(*installed.TESTS)
    environment.need_tools()
    if with_vm:
        installed.need(*installed.QEMU_BUILD)  # a QEMU that was built on another day does not bring them
        for name in names():
            snapshot.snapshot(name)
    if not named or any(word.startswith(WITH_TAB) for word in named):
        state.state()
    quoted.trees()
    os.chdir(REPOSITORY)
    if named:
        sys.exit(_pytest(words))
    whole = _whole(with_vm, words)
    if part or everything:
        chosen = [part] if part else [BASE, *parts.not_passed()]
        say(f"parts: {', '.join(chosen)}")
        sys.exit(worst([parts.passed(name, lambda: _pass([name], with_vm, words), name in whole) for name in chosen]))
    along, left = parts.touched()
    status = _pass([BASE, *along], with_vm, words)
    if along:
        say(f"with what has changed: {', '.join(along)}")
    if left:
        say(f"changed, and not run: {', '.join(left)}. Next: ./lab test --all, or one --part NAME")
    sys.exit(status)


def _whole(with_vm: bool, words: list[str]) -> list[str]:
    """The parts of which such a run has every test: of one that ran in part it is not written down that it passed."""
    said = all(word.startswith(SAYING) for word in words)
    return [name for name, part in parts.parts().items() if said and (with_vm or not part.machinery)]


def _pass(chosen: list[str], with_vm: bool, words: list[str]) -> int:
    """Run both calls of pytest for these parts; one status."""
    workers = ["-n", str(min(os.cpu_count() or 1, MOST_AT_ONCE)), "--dist", "loadgroup", f"--parts={','.join(chosen)}"]
    calls = {"without-vm": WITHOUT_VM} | ({"with-vm": WITH_VM} if with_vm else {})
    Path(LOST_GUESTS_FILE).unlink(missing_ok=True)
    statuses = [
        _pytest([*workers, f"--junitxml={REPORTS}/{chosen[0]}-{name}.xml", *folders, *words])
        for name, folders in calls.items()
    ]
    lost = _status_of_lost_guests()
    return worst(statuses) or lost


def _status_of_lost_guests() -> int:
    """Says how many guests did not wake, or did not hold still while they measured; for each another was tried in its
    place. A status, 1 if they are more than a busy machine explains."""
    lost = Path(LOST_GUESTS_FILE).read_text().splitlines() if Path(LOST_GUESTS_FILE).exists() else []
    if lost:
        said = f"lost: {len(lost)} guests did not wake or did not hold still; others were tried in their place"
        say("\n".join([said, *lost]))
    return int(len(lost) > MOST_LOST)


def worst(statuses: list[int]) -> int:
    """One status for several calls of pytest: none may fail, and one at least must have run a test."""
    failed = [status for status in statuses if status not in (0, NO_TESTS)]
    return failed[0] if failed else min(statuses)


def _pytest(words: list[str]) -> int:
    """One call. Ctrl-C has pytest end its guests and itself; we wait for that, and no further call follows."""
    process = subprocess.Popen(["setpriv", "--pdeathsig", "TERM", sys.executable, "-P", "-m", "pytest", *words])
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        status = process.wait()
    finally:
        signal.signal(signal.SIGINT, before)
    if status == INTERRUPTED:
        sys.exit(status)
    return status
