"""Is the Python environment damaged, when an import fails? Then it is made again, once. And does it have what tests
need? This module imports nothing that may be missing there."""

import csv
import hashlib
import os
import subprocess
import sys
from pathlib import Path

LAB = Path(__file__).resolve().parent.parent / "lab"
TOOLS = LAB.parent / "tests" / "requirements.txt"
HAS_TOOLS = "tools"  # in an environment, the checksum of the requirements that were added to it
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


def need_tools() -> None:
    """Add to this environment what tests, recordings and the printed book need beyond requirements.txt (once, half a
    minute). Raises LabError if pip fails, or if the environment is one that others share."""
    from filelock import FileLock

    from host.errors import LabError
    from host.phases import phase

    prefix, wanted = Path(sys.prefix), hashlib.sha256(TOOLS.read_bytes()).hexdigest()
    said, log = prefix / HAS_TOOLS, prefix.parent / "environment.log"

    def there() -> bool:
        return said.exists() and said.read_text() == wanted

    if there() or not (prefix / WHOLE).exists():  # one of the reader's own is the reader's business
        return
    pip = [sys.executable, "-P", "-m", "pip", "install", "--require-hashes", "--no-input", "-r", str(TOOLS)]
    try:
        with FileLock(prefix.parent / "environment.lock"):  # as the script `lab` locks it
            if there():
                return
            with phase("environment: adding the Python packages of tests/requirements.txt"), open(log, "w") as output:
                failed = subprocess.run(pip, stdin=subprocess.DEVNULL, stdout=output, stderr=output).returncode
            if failed:
                last = "".join(log.read_text(errors="replace").splitlines()[-1:])
                raise LabError(
                    f"environment: {last}\n  pip's whole log: {log}", "fix what it names, then the same ./lab call"
                )
            names = sorted(path.name for path in prefix.glob("lib/python*/site-packages/[!.]*"))  # as ls does
            _write(prefix / WHOLE, "".join(f"{name}\n" for name in names))
            _write(said, wanted)
    except PermissionError as error:
        raise LabError(f"environment: {error}", "the same call after LAB_SHARED_CACHE= for one of your own") from error


def _write(file: Path, text: str) -> None:
    aside = file.with_name(f".{file.name}.part")
    aside.write_text(text)
    aside.rename(file)
