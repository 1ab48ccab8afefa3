"""Does a condition tell which requests lose their end? What the evidence of an answer to exercise 3 is held to.

Every request of the exercise's list, and some that are not in it, were made on the broken kernel.
"""

from __future__ import annotations

import random
import re
from dataclasses import dataclass, field, fields

from labs.errors import CannotTry
from labs.judge.evidence import Evidence
from labs.judge.exercise import Exercise, exercise
from labs.judge.expression import NoExpression, parsed, value
from labs.judge.plain import Damaged
from labs.judge.verdict import Judged, Verdict

PLACES = ("lo", "proxy", "client")
ROW = re.compile(rf"#\s+\d+\s+({'|'.join(PLACES)})\s+(\d+)\s+(\d+)\s+([01])\s+([01])\s+([01])")
UNSEEN = 4
PAGE_BYTES, LARGEST_BYTES = 4096, 24_000  # below half a window: above, other things push (see the page)


@dataclass(frozen=True)
class Request:
    """One line of the exercise's list."""

    where: str
    asked: int
    size: int
    more: int
    nodelay: int
    sndbuf: int

    def __str__(self) -> str:
        return ", ".join(f"{name}={value}" for name, value in vars(self).items())


@dataclass
class Fates:
    """The requests in the order in which they were made, and which lost their end."""

    requests: list[Request]
    lost: list[bool] = field(default_factory=list)


def requests(exercise: Exercise, answer: str) -> list[Request]:
    """Those that an answer is tried with."""
    return [*listed(exercise), *unseen(answer)]


def listed(exercise: Exercise) -> list[Request]:
    """The requests of the exercise's file."""
    found = map(ROW.match, (exercise.folder / "start.py").read_text().splitlines())
    return [Request(row[1], *map(int, row.groups()[1:])) for row in found if row]


def unseen(answer: str) -> list[Request]:
    """Requests of the same kind, as chance has them, the same ones for the same answer; every other one asks for too
    much."""
    chance, found = random.Random(answer), []
    for number in range(UNSEEN):
        size = chance.randrange(PAGE_BYTES, LARGEST_BYTES)
        asked = size + chance.choice((1, PAGE_BYTES, 1 << 20)) * (number % 2)
        found.append(Request(chance.choice(PLACES), asked, size, *(chance.randrange(2) for _ in range(3))))
    return found


def told(answer: str, of: list[Request]) -> list[bool]:
    """Which of them lose their end, as the answer says. Raises NoExpression."""
    lost = parsed(answer, "lost", [column.name for column in fields(Request)])
    return [bool(value(lost, vars(request))) for request in of]


def judge_condition(evidence: Evidence, verdict: Verdict) -> None:
    """Exercise 3: the condition agrees with what the kernel does."""
    ours = requests(exercise(evidence.exercise), evidence.answer)
    try:
        said = told(evidence.answer, ours)
    except NoExpression as error:
        verdict.expect(False, "", f"that is not an expression of the columns' names: {error}")
        raise Judged from error
    seen: Fates = evidence.seen
    if not seen or seen.requests != ours or len(seen.lost) != len(ours):
        raise Damaged("expected the requests of the exercise, and those that go with this answer")
    if len(set(seen.lost)) == 1:
        raise CannotTry("all of the requests fared the same: nothing can be judged", "./lab run splice-push")
    wrong = [(one, was) for one, was, say in zip(ours, seen.lost, said) if was != say]
    verdict.measured.update(lost=[number for number, was in enumerate(seen.lost, 1) if was])
    one, was = wrong[0] if wrong else (None, False)
    verdict.expect(
        not wrong,
        f"the condition is right for {len(ours)} requests, {UNSEEN} of them not in the list",
        f"{len(wrong)} of {len(ours)} requests are reported wrong: {one} "
        f"{'loses its end, and is said not to' if was else 'keeps its end, and is said to lose it'}",
    )
