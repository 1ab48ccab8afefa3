"""Which tests are there? tests/host and tests/site need no VM; tests/vm does, and runs tests/guest
inside it."""

import os
import sys

from host import debian, snapshot
from host.paths import REPOSITORY

WITHOUT_VM = ["tests/host", "tests/site"]


def run(quick: bool, words: list[str]) -> None:
    """Become pytest. Makes what the tests need first, so that no test pays for it."""
    debian.need(*debian.TESTS)
    chosen = words if any(word.startswith("tests/") for word in words) else [
        *WITHOUT_VM, *([] if quick else ["tests/vm"]), *words
    ]
    if not quick:
        snapshot.snapshot()
    os.chdir(REPOSITORY)
    # Not a child: Ctrl-C then ends pytest in its own time, guests and all.
    os.execv(sys.executable, [sys.executable, "-P", "-m", "pytest", *chosen])
