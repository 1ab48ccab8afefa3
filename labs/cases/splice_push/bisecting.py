"""Does a condition tell which requests lose their end? Exercise 3.

Every request of the exercise's list is made on the broken kernel, and some that are not in the list.
"""

from __future__ import annotations

import random
import re
from dataclasses import dataclass, fields

from labs.cases.splice_push.network import LOOPBACK, PORT, PROXY, PROXY_PORT, SERVER, Network
from labs.cases.splice_push.regression import REGRESSION
from labs.cases.splice_push.workload import Way, fetch
from labs.errors import CannotTry
from labs.judge.exercise import Exercise
from labs.judge.expression import NoExpression, parsed, value
from labs.judge.verdict import Judged, Verdict
from labs.trace import module

PLACES = {"lo": ("server", LOOPBACK, PORT), "proxy": ("proxy", SERVER, PORT), "client": ("client", PROXY, PROXY_PORT)}
ROW = re.compile(r"#\s+\d+\s+(lo|proxy|client)\s+(\d+)\s+(\d+)\s+([01])\s+([01])\s+([01])")
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

    def way(self, name: str) -> Way:
        """The request as the workload makes it."""
        query = [
            f"asked={self.asked}",
            f"more={self.more}",
            *(["nodelay=1"] if self.nodelay else []),
            *(["sndbuf=32768"] if self.sndbuf else []),
        ]
        client, address, port = PLACES[self.where]
        return Way(name, "&".join(query), client, address, port, self.size)

    def __str__(self) -> str:
        return ", ".join(f"{name}={value}" for name, value in vars(self).items())


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
        found.append(Request(chance.choice(list(PLACES)), asked, size, *(chance.randrange(2) for _ in range(3))))
    return found


def judge_condition(exercise: Exercise, answer: str, verdict: Verdict) -> None:
    """Exercise 3: the condition agrees with what the kernel does."""
    requests = [*listed(exercise), *unseen(answer)]
    try:
        lost = parsed(answer, "lost", [column.name for column in fields(Request)])
        told = [bool(value(lost, vars(request))) for request in requests]
    except NoExpression as error:
        verdict.expect(False, "", f"that is not an expression of the columns' names: {error}")
        raise Judged from error
    with Network() as net, module.livepatched(REGRESSION):
        seen = fetch(net, [one.way(str(number)) for number, one in enumerate(requests, 1)])
    lost = [seen[str(number)][1].missing_bytes > 0 for number in range(1, len(requests) + 1)]
    if len(set(lost)) == 1:
        raise CannotTry("all of the requests fared the same: nothing can be judged", "./lab run splice-push")
    wrong = [(number, one, was) for number, (one, was, said) in enumerate(zip(requests, lost, told), 1) if was != said]
    verdict.measured.update(lost=[number for number, was in enumerate(lost, 1) if was])
    number, one, was = wrong[0] if wrong else (0, None, False)
    verdict.expect(
        not wrong,
        f"the condition is right for {len(requests)} requests, {UNSEEN} of them not in the list",
        f"{len(wrong)} of {len(requests)} requests are reported wrong: {one} "
        f"{'loses its end, and is said not to' if was else 'keeps its end, and is said to lose it'}",
    )
