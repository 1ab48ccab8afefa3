"""Which tests are there? tests/host and tests/site need no VM; tests/vm does, and runs tests/guest
inside it."""

import os
import sys

from host import debian, snapshot, source
from host.paths import REPOSITORY
from host.profile import names

MOST_AT_ONCE = 4  # a guest takes up to a GiB
WITHOUT_VM = ["tests/host", "tests/site"]


def run(quick: bool, everything: bool, words: list[str]) -> None:
    """Become pytest. Makes what the tests need first, so that no test pays for it."""
    if everything:
        os.environ["LAB_TEST_ALL"] = "1"  # see tests/vm/conftest.py
    debian.need(*debian.TESTS)
    workers = ["-n", str(min(os.cpu_count() or 1, MOST_AT_ONCE)), "--dist", "loadgroup"]
    named = [word for word in words if word.startswith("tests/")]
    chosen = words if named else [*workers, *WITHOUT_VM, *([] if quick else ["tests/vm"]), *words]
    source.trees()
    if not quick and not (named and all(word.startswith(tuple(WITHOUT_VM)) for word in named)):
        for name in names():
            snapshot.snapshot(name)
    os.chdir(REPOSITORY)
    # Not a child: Ctrl-C then ends pytest in its own time, guests and all.
    os.execv(sys.executable, [sys.executable, "-P", "-m", "pytest", *chosen])
