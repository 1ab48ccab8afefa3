"""How do the pages become a static site? Jupyter Book, warnings as errors, without a VM."""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

from host.debian import installed
from host.errors import LabError
from host.notebook import pairs
from host.paths import REPOSITORY
from host.phases import phase, say
from host.site import links, quoted
from host.tab import state

# jupyter-book 1.x has no __main__; this is what its script does.
JUPYTER_BOOK = "from jupyter_book.cli.main import main; main()"


def book(into: Path = REPOSITORY, with_tab: bool = True, from_folder: bool = False) -> Path:
    """Build the site in `into`/_build; returns its folder. Raises with the first faults. `with_tab`: with the kernel
    that runs in a reader's tab, if it is made. `from_folder`: to be opened from a folder, and by no server."""
    installed.need(*installed.BOOK)
    pairs.check()
    environment = {**os.environ, **quoted.trees(), "LAB_TAB": _tab() if with_tab else ""}
    environment["LAB_FROM_FOLDER"] = "yes" if from_folder else ""
    # Sphinx marks a style sheet by its sum if it lies there from last time, and else does not.
    shutil.rmtree(into / "_build" / "html", ignore_errors=True)
    with phase("book: building _build/html"):
        result = subprocess.run(
            [
                sys.executable,
                "-P",
                "-c",
                JUPYTER_BOOK,
                "build",
                ".",
                "--path-output",
                into,
                "--all",
                "-W",
                "-n",
                "--keep-going",
            ],
            cwd=REPOSITORY,
            env=environment,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        )
    log = re.sub(r"\x1b\[[0-9;]*m", "", result.stdout)
    (into / "_build").mkdir(exist_ok=True)
    (into / "_build" / "book.log").write_text(log)
    if result.returncode != 0:
        faults = [line for line in log.splitlines() if re.search(r"(ERROR|WARNING|Error):", line)]
        shown = "\n".join(faults[:20]) or "\n".join(log.splitlines()[-15:])
        raise LabError(
            f"book: the build failed (whole log: _build/book.log)\n{shown}", "fix what it names, then ./lab book"
        )
    return into / "_build" / "html"


def _tab() -> str:
    """The folder of the tab's kernel, or none, and then says so."""
    kernel = state.newest_stored()
    if kernel is None:
        say("book: chapter 1 will not run on its page, because the tab's kernel is not made. Next: ./lab tab")
    return str(kernel.folder) if kernel else ""


def check_links(folder: Path) -> None:
    """Raise with the links that lead nowhere, inside the site and on other hosts."""
    with phase("book: following its links") as progress:
        faults = links.internal(folder) + links.external(folder, progress)
    if faults:
        raise LabError(
            "book: these links lead nowhere\n" + "\n".join(faults),
            "fix them, or try again if a host was away, then ./lab book --check-links",
        )
