"""What did a verdict rest on? A file of evidence is kept, and judged again, by a program of labs/ that needs no guest.
Anybody may have written the file. It may also hold lines to hand in, as a page gives them of what a tab has judged:

    where-packets-wait frag-needed/1 PACKED         core/judge/packed.py says how
"""

import json
import os
import subprocess
import sys
from pathlib import Path

from core.files import write_whole
from core.judge.check import Check
from core.judge.evidence import LONGEST_ID
from core.judge.packed import unpacked
from core.judge.verdict import of_one
from core.protocol import LARGEST_EVIDENCE_BYTES
from core.serialization import Damaged
from core.statuses import VERDICTS, Status
from host.errors import LabError
from host.paths import REPOSITORY
from host.phases import say

DEADLINE_S = 60  # a judge takes a tenth of a second
LIMITS = ("prlimit", f"--cpu={DEADLINE_S}", f"--as={1 << 30}")
NO_EXERCISE = "evidence"  # in the place of an id that damaged evidence does not say
HANDED_IN = "where-packets-wait"  # the first word of a line to hand in
FROM_TAB = "note: line {} is from a tab, whose measurements could be made up; to be sure, ./lab check the answer in it"
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


def verdicts_on_file(file: Path) -> list[dict]:
    """The verdict that this evidence comes to: {"exercise", "verdict", "reasons", "checks", …}; or one for each line to
    hand in, with "notes" as commands.check() has them. A damaged line COULD NOT TELL. It is no reader's progress.
    Raises if there is nothing to read."""
    try:
        with open(file, "rb") as opened:
            raw = opened.read(LARGEST_EVIDENCE_BYTES + 1)
    except OSError as error:
        raise LabError(f"cannot read {file}: {error.strerror}", RERUN_HINT, Status.USAGE) from error
    lines = raw.decode("utf-8-sig", errors="replace").split("\n")
    if not any(line.split()[:1] == [HANDED_IN] for line in lines):
        return [weighed(raw)]
    if len(raw) > LARGEST_EVIDENCE_BYTES:
        raise LabError(f"{file} is larger than {LARGEST_EVIDENCE_BYTES} bytes", "split it by lines", Status.USAGE)
    return [_verdict_on_line(number, line) for number, line in enumerate(lines, 1) if line.strip()]


def _verdict_on_line(number: int, line: str) -> dict:
    """Judges what was handed in."""
    try:
        begin, id, packed = line.split()
        if begin != HANDED_IN:
            raise ValueError
    except ValueError:
        return _damaged(number, f"expected {HANDED_IN} CASE/N LETTERS")
    try:
        verdict = weighed(unpacked(packed))
    except Damaged as damage:
        return _damaged(number, str(damage))
    if verdict["exercise"] not in (id, NO_EXERCISE):
        return _damaged(number, f"it is said to be of {id[:LONGEST_ID]}, and its evidence is of {verdict['exercise']}")
    note = FROM_TAB.format(number)
    return verdict | {"notes": [note], "reasons": [note, *verdict["reasons"]]}


def worst(verdicts: list[dict]) -> str:
    """The word for all of them: a FAIL is certain, a COULD NOT TELL may be one."""
    words = [verdict["verdict"] for verdict in verdicts]
    return next(word for word in ("FAIL", "COULD NOT TELL", "SKIP", "PASS") if word in words)


def _damaged(number: int, why: str) -> dict:
    check = Check("line-whole", None, "", f"line {number} is damaged: {why}; ask for it again")
    return of_one(f"line {number}", "COULD NOT TELL", check)


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
    return of_one(NO_EXERCISE, "COULD NOT TELL", Check("judged", None, "", why))
