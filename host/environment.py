"""Is the Python environment damaged, when an import fails? Then it is made again, once. And does it have what tests
need? This module imports nothing that may be missing there."""

import csv
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

LAB = Path(__file__).resolve().parent.parent / "lab"
TOOLS = LAB.parent / "tests" / "requirements.txt"
REMADE = "LAB_ENVIRONMENT_REMADE"  # set for a call that follows on one whose environment was damaged
LIES_IN = ("lib/python*/site-packages", "tools")
WHOLE = "packages"  # the list without which the script `lab` makes the environment again


def damage(prefix: Path) -> str | None:
    """The first file that pip has installed there and that is missing or of another size; None if there is none, or
    if this is no environment that `lab` has made."""
    if not (prefix / WHOLE).exists():  # or another ./lab has found the damage before us
        return f"the list {prefix / WHOLE}" if prefix.name.startswith("environment-") else None
    # Not importlib.metadata's `files`, which from Python 3.12 on leaves out what is missing.
    for record in [file for at in LIES_IN for file in prefix.glob(f"{at}/*.dist-info/RECORD")]:
        for name, _, size in csv.reader(record.read_text("utf-8").splitlines()):
            path = record.parent.parent / name
            if size and not name.startswith("..") and (not path.is_file() or path.stat().st_size != int(size)):
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


def need_tools() -> None:
    """Add to this environment what tests, recordings and the printed book need beyond requirements.txt (once, half a
    minute): as a folder, whole or not at all, that its Python looks into (python-packages.sh). Raises LabError if pip
    fails, or if the environment is one that others share."""
    from filelock import FileLock

    from host import paths
    from host.errors import LabError
    from host.phases import phase

    prefix = Path(sys.prefix)
    tools, log = prefix / "tools", prefix.parent / "environment.log"
    if tools.exists() or not (prefix / WHOLE).exists():  # one of the reader's own is the reader's business
        return
    if not prefix.parent.samefile(paths.cache()):
        shared = f"environment: {prefix} is one that others share, and has not what tests need"
        raise LabError(shared, "export LAB_SHARED_CACHE= ; then the same ./lab call")
    pip = [sys.executable, "-P", "-m", "pip", "install", "--require-hashes", "--no-deps", "--no-input", "--target"]
    with FileLock(prefix / "tools.lock"):
        if not tools.exists():
            for left in prefix.glob("tools.part*"):
                shutil.rmtree(left, ignore_errors=True)
            aside = tempfile.mkdtemp(prefix="tools.part", dir=prefix)
            command = [*pip, aside, "--disable-pip-version-check", "-r", str(TOOLS)]
            with phase("environment: adding the Python packages of tests/requirements.txt"), open(log, "w") as output:
                failed = subprocess.run(command, stdin=subprocess.DEVNULL, stdout=output, stderr=output).returncode
            if failed:
                errors = [line for line in log.read_text(errors="replace").splitlines() if line.startswith("ERROR")]
                cause = f"environment: {''.join(errors[:1]) or 'pip failed'}\n  pip's whole log: {log}"
                raise LabError(cause, "fix what it names, then the same ./lab call")
            os.rename(aside, tools)
    sys.path.append(str(tools))
