"""Is this answer right? Take evidence of it and have it judged, and try again where the machine stood still.

Each exercise's measure.py, labs/cases/<case>/exercises/ex<n>/measure.py, has a function take(exercise, answer), which
returns the evidence that labs/judge/judging.py then judges.
"""

import time
from dataclasses import replace

from core.cases import EMPTY, exercise, is_empty
from core.judge.evidence import Evidence
from core.judge.verdict import Verdict
from labs.case import exercise_module
from labs.errors import CannotTry, CouldNotTell
from labs.judge import judging
from labs.measure.timing import breakdown

ANOTHER = "the same call with an answer that can be tried"  # where the answer is why
TRIES = 3
SHARE = 0.8  # of the time after which the host gives an answer up (deadline_s in exercise.toml), for all of them


def take_and_judge(id: str, answer: str) -> tuple[Verdict, Evidence | None]:
    """The verdict on an answer, and the evidence, if there is any. A machine that lacks something gives SKIP with the
    reason.

    Evidence is taken on new networks, and taken again where it says nothing of the answer: the machine stood still or
    crawled meanwhile, an instrument of ours lost something, or what was to happen by chance did not. If that was so
    each time, the verdict is COULD NOT TELL. What fails or passes is never taken again, nor what could not be told
    because of the answer itself, maybe.
    """
    asked, verdict = exercise(id), Verdict(id)
    if is_empty(answer):
        return Verdict(id, unanswered=EMPTY), None
    take = exercise_module(asked, "measure").take
    evidence, began = None, time.monotonic()
    for number in range(TRIES):
        spent_s = time.monotonic() - began
        if number and spent_s * (number + 1) / number > SHARE * asked.deadline_s:  # with one more that takes as long
            break
        try:
            evidence = take(asked, answer)
            evidence = replace(evidence, spent_s=breakdown(began))
        except CouldNotTell as reason:
            again = ANOTHER if reason.by_the_answer else judging.AGAIN
            verdict, evidence = Verdict(id, inconclusive=judging.undecided(reason.check, reason, again)), None
            if reason.by_the_answer:
                break
            continue
        except CannotTry as reason:
            return Verdict(id, skipped=judging.undecided(reason.check, reason, reason.next_command)), None
        verdict = judging.verdict_on(evidence)
        if not verdict.inconclusive or verdict.by_the_answer:
            break
    return verdict, evidence
