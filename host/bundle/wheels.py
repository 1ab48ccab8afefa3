"""Of what does pip make the Python environment if there is no network? Of wheels: those of requirements.txt, for each
Python that a reader's Debian may have."""

import platform
import re
import subprocess
import sys
import tempfile
from pathlib import Path

from packaging.requirements import Requirement

from host import store
from host.errors import LabError
from host.paths import REPOSITORY
from host.phases import phase

REQUIREMENTS = REPOSITORY / "requirements.txt"
DEBIANS = {"3.11.2", "3.13.5"}  # 12's and 13's
GLIBC = range(5, 37)  # 2.5, the oldest that wheels are marked with, to 2.36, Debian 12's
NEEDS_MIB = 500


def wheels() -> Path:
    """The folder with all of them, also for the Python that runs this (once, a minute)."""
    pythons = sorted({*DEBIANS, platform.python_version()})

    def make(folder: Path) -> None:
        for python in pythons:
            _fetch(python, folder)

    return store.build_once("wheels", store.key_of(REQUIREMENTS, *pythons), make, NEEDS_MIB)


def of(python: str) -> str:
    """The requirements of a Linux with this Python, without conditions: pip reckons those with the Python that runs it,
    whichever it was told of."""
    kept = []
    for line in re.sub(r"\\\n", " ", REQUIREMENTS.read_text()).splitlines():
        named, *hashes = line.split(" --hash=")
        if not hashes:  # a comment
            continue
        requirement = Requirement(named)
        version = {"python_full_version": python, "python_version": python.rpartition(".")[0]}
        if not requirement.marker or requirement.marker.evaluate(version):
            requirement.marker = None
            kept.append(" --hash=".join([f"{requirement} ", *hashes]))
    return "\n".join(kept)


def _fetch(python: str, folder: Path) -> None:
    tags = ["manylinux1", "manylinux2014", *(f"manylinux_2_{minor}" for minor in GLIBC)]
    asked = [f"--python-version={python}", "--only-binary=:all:", *(f"--platform={tag}_x86_64" for tag in tags)]
    pip = [sys.executable, "-P", "-m", "pip", "download", "--quiet", "--no-input", "--disable-pip-version-check"]
    with phase(f"wheels: fetching those for Python {python}"), tempfile.NamedTemporaryFile("w") as requirements:
        requirements.write(of(python))
        requirements.flush()
        result = subprocess.run(
            [*pip, *asked, "--no-deps", "--require-hashes", f"--dest={folder}", f"--requirement={requirements.name}"],
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
        )
    if result.returncode:
        last = result.stderr.strip().splitlines()[-1:]
        raise LabError(f"wheels for Python {python}: {''.join(last)}", "./lab doctor")
