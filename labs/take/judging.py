"""Is this answer right? Asked of its case.

labs/cases/<case>/takes.py offers `TAKES`, a function for each number of an exercise:
take(exercise, answer) returns the evidence that labs/judge/judging.py then judges. Where the case has no judge of
evidence for that number yet, it is take(exercise, answer, verdict), which measures and adds its checks to the verdict.
"""

from __future__ import annotations

import contextlib
import importlib
import re
from collections.abc import Callable

from labs.errors import CannotTry, CouldNotTell
from labs.judge import judging
from labs.judge.evidence import Evidence
from labs.judge.exercise import exercise
from labs.judge.verdict import Judged, Verdict
from labs.take.script import TRIES


def judge(id: str, answer: str) -> Verdict:
    """The verdict on an answer."""
    return judged(id, answer)[0]


def judged(id: str, answer: str) -> tuple[Verdict, Evidence | None]:
    """The verdict on an answer, and what it rests on, if that was kept apart. A machine that lacks something gives SKIP
    with the reason, one that did not hold still, or an instrument that lost something, COULD NOT TELL."""
    asked = exercise(id)
    if not re.search(r"^\s*(?!#|//)\S", answer, re.MULTILINE):
        return Verdict(id, [(False, "the answer is empty: only blanks and comments were found")]), None
    takes = importlib.import_module(f"labs.cases.{asked.folder.parent.parent.name}.takes")
    take = takes.TAKES[asked.folder.name]
    verdict = Verdict(id)
    try:
        if judging.judge_of(asked):
            return _undisturbed(lambda: take(asked, answer))
        with contextlib.suppress(Judged):
            take(asked, answer, verdict)
    except CannotTry as reason:
        verdict.skipped = f"{reason}. Next: {reason.next_command}"
    except CouldNotTell as reason:
        verdict.untold = f"{reason}. Next: the same call again"
    return verdict, None


def _undisturbed(take: Callable[[], Evidence]) -> tuple[Verdict, Evidence]:
    """Evidence is taken on new networks, and taken again if the machine stood still meanwhile or an instrument lost
    something; what came out has no part in it. Raises CouldNotTell if an instrument always did."""
    for left in reversed(range(TRIES)):
        try:
            evidence = take()
        except CouldNotTell:
            if not left:
                raise
            continue
        verdict = judging.judged(evidence)
        if not verdict.untold or not left:
            return verdict, evidence
    raise AssertionError("TRIES is 0")
