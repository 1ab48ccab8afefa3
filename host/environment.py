"""Is it the Python environment that is damaged, when an import fails? Then it is made again, once. This module imports
nothing that may be missing there."""

import csv
import os
import sys
from pathlib import Path

LAB = Path(__file__).resolve().parent.parent / "lab"
REMADE = "LAB_ENVIRONMENT_REMADE"  # set for a call that follows on one whose environment was damaged
WHOLE = "packages"  # the list without which the script `lab` makes the environment again


def damage(prefix: Path) -> str | None:
    """The first file that pip has installed there and that is missing or of another size; None if there is none, or
    if this is no environment that `lab` has made."""
    if not (prefix / WHOLE).exists():  # or another ./lab has found the damage before us
        return f"the list {prefix / WHOLE}" if prefix.name.startswith("environment-") else None
    # Not importlib.metadata's `files`, which from Python 3.12 on leaves out what is missing.
    for record in prefix.glob("lib/python*/site-packages/*.dist-info/RECORD"):
        for name, _, size in csv.reader(record.read_text("utf-8").splitlines()):
            path = record.parent.parent / name
            if size and (not path.is_file() or path.stat().st_size != int(size)):
                return str(path)
    return None


def repair_if_damaged(error: Exception) -> None:
    """Make the environment again and call this ./lab again in it, if the environment is damaged and has not just been
    made. Return if it is whole, because then the error has another cause."""
    found = None if REMADE in os.environ else damage(Path(sys.prefix))
    if found:
        print(f"environment: {error}, and {found} is not as it was installed", file=sys.stderr)
        environment = os.environ | {REMADE: "1"}
        try:
            (Path(sys.prefix) / WHOLE).unlink(missing_ok=True)
        except OSError:  # it is one that others share, and not ours to change
            environment["LAB_SHARED_CACHE"] = ""
        os.execve(LAB, [str(LAB), *sys.argv[1:]], environment)
