"""How do the pages become a static site? Jupyter Book, warnings as errors, without a VM."""

import os
import re
import subprocess
import sys
from pathlib import Path

from host import debian, pairs, source
from host.paths import REPOSITORY
from host.phases import LabError, phase

SITE = REPOSITORY / "_build" / "html"
# jupyter-book 1.x has no __main__; this is what its script does.
JUPYTER_BOOK = "from jupyter_book.cli.main import main; main()"


def book() -> Path:
    """Build the site; returns its folder. Raises with the first faults."""
    debian.need("ctags")
    pairs.check()
    environment = {**os.environ, "WPW_KERNEL_SOURCE": str(source.kernel_source())}
    with phase("book: building _build/html"):
        result = subprocess.run(
            [sys.executable, "-P", "-c", JUPYTER_BOOK, "build", ".", "--all", "-W", "-n", "--keep-going"],
            cwd=REPOSITORY, env=environment, stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
        )
    log = re.sub(r"\x1b\[[0-9;]*m", "", result.stdout)
    (REPOSITORY / "_build").mkdir(exist_ok=True)
    (REPOSITORY / "_build" / "book.log").write_text(log)
    if result.returncode != 0:
        faults = [line for line in log.splitlines() if re.search(r"(ERROR|WARNING|Error):", line)]
        shown = "\n".join(faults[:20]) or "\n".join(log.splitlines()[-15:])
        raise LabError(f"book: the build failed (whole log: _build/book.log)\n{shown}",
                       "mend what it names, then ./lab book")
    return SITE
