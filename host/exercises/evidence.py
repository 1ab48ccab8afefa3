"""What did a verdict rest on? A file of evidence is kept, and judged again, by a program of labs/ that needs no guest.
Anybody may have written the file."""

import json
import os
import subprocess
import sys
from pathlib import Path

from core.files import write_whole
from core.judge.check import Check
from core.judge.verdict import of_one
from core.protocol import LARGEST_EVIDENCE_BYTES
from core.statuses import VERDICTS, Status
from host.errors import LabError
from host.paths import REPOSITORY
from host.phases import say

DEADLINE_S = 60  # a judge takes a tenth of a second
LIMITS = ("prlimit", f"--cpu={DEADLINE_S}", f"--as={1 << 30}")
RERUN_HINT = "./lab check CASE/N FILE --keep EVIDENCE"


def need_place(file: Path, answer: Path) -> None:
    """Raise, before anything is measured, if nothing can be kept there."""
    if file.exists() and file.samefile(answer):
        raise LabError(f"{file} is the answer itself, and would be written over", RERUN_HINT, Status.USAGE)
    if file.is_dir() or not os.access(file.parent, os.W_OK):
        raise LabError(f"cannot write {file}: no file can be made there", RERUN_HINT, Status.USAGE)


def keep(file: Path, evidence: dict) -> None:
    """Write what a verdict rests on, whole or not at all."""
    try:
        write_whole(file, json.dumps(evidence, sort_keys=True) + "\n")
    except OSError as error:
        raise LabError(
            f"cannot write {file}: {error.strerror}; the verdict is noted all the same", RERUN_HINT
        ) from error
    say(f"what the verdict rests on is in {file}; judged again by: ./lab judge {file}")


def verdict_on_file(file: Path) -> dict:
    """The verdict that this evidence comes to: {"exercise", "verdict", "reasons", "checks", …}. It is no reader's
    progress."""
    try:
        with open(file, "rb") as opened:
            raw = opened.read(LARGEST_EVIDENCE_BYTES + 1)
    except OSError as error:
        raise LabError(f"cannot read {file}: {error.strerror}", RERUN_HINT, Status.USAGE) from error
    return weighed(raw)


def weighed(raw: bytes) -> dict:
    """The verdict on evidence that is given as bytes."""
    # Nothing but the standard library (-S), and nothing of the reader's environment.
    program = [sys.executable, "-B", "-S", "-P", "-m", "labs.judge"]
    environment = {"PATH": os.environ["PATH"], "PYTHONPATH": str(REPOSITORY), "LANG": "C.UTF-8"}
    try:
        result = subprocess.run(
            [*LIMITS, *program], input=raw, env=environment, capture_output=True, timeout=DEADLINE_S
        )
    except subprocess.TimeoutExpired:
        return _inconclusive(f"it was not judged in {DEADLINE_S} s")
    try:
        verdict = json.loads(result.stdout)
        if VERDICTS[verdict["verdict"]] == result.returncode:
            return verdict
    except (ValueError, LookupError, TypeError):
        pass
    said = result.stderr.decode(errors="replace").strip().splitlines()[-1:] or [f"status {result.returncode}"]
    return _inconclusive(f"the judge itself failed ({said[0]})")


def _inconclusive(why: str) -> dict:
    return of_one("evidence", "COULD NOT TELL", Check("judged", None, "", why))
