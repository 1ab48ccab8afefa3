"""What ends the guests that a test run has brought up, when the run itself is killed?"""

import contextlib
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

from host.paths import REPOSITORY

ENDS_THEM = """
import shutil, sys
from host.vm import guests
sys.stdin.read()
for name in guests.running_profiles():
    guests.down(name)
shutil.rmtree(sys.argv[1])
"""


@contextlib.contextmanager
def guests_end_with_us(folder: Path) -> Iterator[None]:
    """End the guests of the run folder `folder`, and remove it, when the block ends or this process dies. A process of
    its own does so, because the blocks of a process that is killed do not come to their end."""
    environment = {**os.environ, "LAB_RUN_DIR": str(folder), "PYTHONPATH": str(REPOSITORY)}
    words = [sys.executable, "-P", "-c", ENDS_THEM, str(folder)]
    with subprocess.Popen(words, stdin=subprocess.PIPE, env=environment, start_new_session=True) as ends:
        yield
    if ends.returncode:
        raise RuntimeError(f"expected the guests of {folder} to end, found exit status {ends.returncode}")
