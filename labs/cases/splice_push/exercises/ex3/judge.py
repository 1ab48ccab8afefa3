"""Does a condition tell which requests lose their end? What the evidence of an answer to exercise 3 is held to.

Every request of the exercise's list, and some that are not in it, were made on the broken kernel. What that kernel did
has to agree with the comparison in its code (regression.c); then the condition is held to this comparison, too, for
thousands of requests: what is by heart, or right by luck, is found out.
"""

import itertools
import random
import re
import time
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, fields

from core.cases import Exercise, exercise
from core.judge.evidence import Evidence
from core.judge.expression import Expression, NoExpression, constants, parsed, value
from core.judge.verdict import Verdict, VerdictFinal
from core.serialization import Damaged
from labs.cases.splice_push.pages import LARGEST_BYTES
from labs.errors import TOLD_APART, CannotTry, CouldNotTell
from labs.judge.judging import Judge, observation

PLACES = ("lo", "proxy", "client")
ROW = re.compile(rf"#\s+\d+\s+({'|'.join(PLACES)})\s+(\d+)\s+(\d+)\s+([01])\s+([01])\s+([01])")
UNSEEN = 4
PAGE_BYTES = 4096
# That splice(2) may be asked for: rw_verify_area() in fs/read_write.c refuses what is larger than a ssize_t. From a
# pipe to a socket nothing cuts it to MAX_RW_COUNT, as do_splice_to() in fs/splice.c does on the way into a pipe, and
# splice_desc.total_len is a size_t.
MOST_BYTES = (1 << 63) - 1
# What is reckoned: edges, and as many requests by chance. One that is wrong for one request in 300 passes those by
# chance once in 1000 times.
EDGES = (1, 2, 50, PAGE_BYTES - 1, PAGE_BYTES, PAGE_BYTES + 1, 12_000, 20_000, LARGEST_BYTES - 1, LARGEST_BYTES)
EXCESSES = (0, 1, 2, PAGE_BYTES, *(1 << bits for bits in (16, 20, 30, 31, 32, 62)), MOST_BYTES - LARGEST_BYTES)
BY_CHANCE = 2100
MOST_CONSTANTS = 200  # of an answer's own, which are tried as each of the numbers
RECKONED_S = 20.0  # of the processor, as in core/judge/expression.py


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
    """The requests in the order in which they were made, and which lost their end. `secret` is a number that was drawn
    after the answer was there: others are drawn by it. It has no default, to which an answer could be fitted."""

    requests: list[Request]
    secret: int
    lost: list[bool] = field(default_factory=list)


def listed(exercise: Exercise) -> list[Request]:
    """The requests of the exercise's file."""
    found = map(ROW.match, (exercise.folder / "start.py").read_text().splitlines())
    return [Request(row[1], *map(int, row.groups()[1:])) for row in found if row]


def drawn(chance: random.Random) -> Request:
    """A request of the same kind, as chance has it; every other one asks for too much, by little or by much."""
    size = chance.randrange(1, LARGEST_BYTES + 1)
    excess = chance.randrange(2) * chance.randrange(1, 1 << chance.randrange(1, MOST_BYTES.bit_length()))
    return Request(chance.choice(PLACES), size + excess, size, *(chance.randrange(2) for _ in range(3)))


def unseen(chance: random.Random) -> list[Request]:
    """UNSEEN of them, to be made: every other one asks for too much."""
    found: list[Request] = []
    while len(found) < UNSEEN:
        one = drawn(chance)
        if loses(one) == len(found) % 2:
            found.append(one)
    return found


def loses(one: Request) -> bool:
    """The comparison in the broken kernel's page_to_socket(), for the last page of the pipe (regression.c)."""
    return one.asked > one.size


def reckoned(lost: Expression, secret: int) -> Iterator[Request]:
    """Requests that nobody makes: edges, with whatever else a request may have; the answer's own numbers, as each
    number of a request, as their sum and their difference, and halved; and some by chance."""
    flags = [(where, bits) for where in PLACES for bits in itertools.product((0, 1), repeat=3)]
    for size, (where, others) in itertools.product(EDGES, flags):
        yield from (Request(where, size + excess, size, *others) for excess in (*EXCESSES, size))
    chance = random.Random(secret)
    for number in sorted(constants(lost)):
        for near in range(number - 1, number + 2):
            size = chance.randrange(1, LARGEST_BYTES + 1)
            half = near // 2
            both = ((near, near), (near + 1, near), (near, near - 1), (near, size), (size + near, size))
            for asked, of in (*both, (near - size, size), (half, half), (half + 1, half), (half + 1, half - 1)):
                where, others = chance.choice(flags)
                if 1 <= of <= LARGEST_BYTES and of <= asked <= MOST_BYTES:
                    yield Request(where, asked, of, *others)
    yield from (drawn(chance) for _ in range(BY_CHANCE))


def condition(answer: str) -> Expression:
    """What the answer says, not yet reckoned. Raises NoExpression."""
    return parsed(answer, "lost", [column.name for column in fields(Request)])


def predicted(lost: Expression, request: Request) -> bool:
    """Whether a request loses its end, as the answer says. Raises NoExpression."""
    return bool(value(lost, vars(request)))


def judge(evidence: Evidence, verdict: Verdict) -> None:
    """Exercise 3: the condition agrees with what the kernel does."""
    try:
        lost = condition(evidence.answer)
        if evidence.seen is None:  # what cannot be reckoned was not measured
            predicted(lost, listed(exercise(evidence.exercise))[0])
        seen = measured(evidence)
        if (own := len(constants(lost))) > MOST_CONSTANTS:
            verdict.fail(
                "few-numbers",
                f"{MOST_CONSTANTS} numbers at most",
                f"to try all of its {own} numbers takes too long; {MOST_CONSTANTS} are tried at most",
            )
            raise VerdictFinal
        of = dict.fromkeys([*seen.requests, *reckoned(lost, seen.secret)])
        wrong = [one for one, say in predictions(lost, of) if say != loses(one)]
    except NoExpression as error:
        found = f"that is not an expression of the columns' names: {error}"
        verdict.fail("expression", "an expression of the columns' names", found)
        raise VerdictFinal from error
    verdict.measured.update(lost=[number for number, was in enumerate(seen.lost, 1) if was], reckoned=len(of))
    one = wrong[0] if wrong else seen.requests[0]
    verdict.expect(
        "condition-right",
        not wrong,
        f"the condition is right for {len(seen.requests)} requests that were made, {UNSEEN} of them not in the list, "
        f"and for {len(of) - len(seen.requests)} others",
        f"{len(wrong)} of {len(of)} requests are reported wrong: {one} "
        f"{'loses its end, and is said not to' if loses(one) else 'keeps its end, and is said to lose it'}",
    )


def predictions(lost: Expression, of: Iterable[Request]) -> Iterator[tuple[Request, bool]]:
    """Each request, with what the answer says of it. Raises NoExpression, also if that takes too long."""
    until = time.thread_time() + RECKONED_S
    for one in of:
        if time.thread_time() > until:
            raise NoExpression(f"it was not reckoned in {RECKONED_S:g} s for all requests")
        yield one, predicted(lost, one)


def measured(evidence: Evidence) -> Fates:
    """The requests that were made: all of the list, and some more; the kernel did with them what its code says."""
    seen: Fates = observation(evidence)
    ours, others = listed(exercise(evidence.exercise)), seen.requests[-UNSEEN:]
    if seen.requests[:-UNSEEN] != ours or len(seen.lost) != len(seen.requests) or not all(map(possible, others)):
        raise Damaged(f"expected the requests of the exercise and {UNSEEN} more, and what became of each")
    if len(set(seen.lost)) == 1:
        reason = "all of the requests fared the same: nothing can be judged"
        raise CannotTry(reason, "./lab run splice-push", TOLD_APART)
    for one, was in zip(seen.requests, seen.lost):
        if was != loses(one):
            raise CouldNotTell(
                f"the broken kernel {'loses' if was else 'keeps'} the end of {one}, expected the contrary",
                "kernel-agrees",
            )
    return seen


def possible(one: Request) -> bool:
    """Whether a request is of the kind that the exercise's file describes."""
    return (
        one.where in PLACES
        and 1 <= one.size <= LARGEST_BYTES
        and one.size <= one.asked <= MOST_BYTES
        and {one.more, one.nodelay, one.sndbuf} <= {0, 1}
    )


JUDGE = Judge(Fates, judge)
