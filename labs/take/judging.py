"""Is this answer right? Judged by its case.

labs/cases/<case>/judges.py offers `JUDGES`, a function for each number of an exercise:
judge(exercise, answer, verdict) adds its checks to the verdict.
"""

from __future__ import annotations

import contextlib
import importlib
import re

from labs.errors import CannotTry, CouldNotTell
from labs.judge.exercise import exercise
from labs.judge.verdict import Judged, Verdict


def judge(id: str, answer: str) -> Verdict:
    """Judge an answer. A machine that lacks something gives SKIP with the reason, one that did not hold still,
    or an instrument that lost something, COULD NOT TELL."""
    asked = exercise(id)
    verdict = Verdict(id)
    if not re.search(r"^\s*(?!#|//)\S", answer, re.MULTILINE):
        verdict.expect(False, "", "the answer is empty: only blanks and comments were found")
        return verdict
    judges = importlib.import_module(f"labs.cases.{asked.folder.parent.parent.name}.judges")
    try:
        with contextlib.suppress(Judged):
            judges.JUDGES[asked.folder.name](asked, answer, verdict)
    except CannotTry as reason:
        verdict.skipped = f"{reason}. Next: {reason.next_command}"
    except CouldNotTell as reason:
        verdict.untold = f"{reason}. Next: the same call again"
    return verdict
