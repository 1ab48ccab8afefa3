"""Does a reader's program tell which rule decided? What the evidence of an answer to exercise 6 is held to."""

from __future__ import annotations

import functools
import itertools
import math
import operator
import re
from collections.abc import Callable
from dataclasses import dataclass, field

from core.judge.check import named
from core.judge.evidence import Evidence
from core.judge.report import Event, Program, compare, require_program_ran
from core.judge.verdict import Verdict, VerdictFinal
from core.serialization import Damaged
from labs.errors import TOLD_APART, CannotTry, CouldNotTell
from labs.judge.judging import LACKS_A_PART, Judge, observation

RULES = 6  # one after the other, in each choice another one decides
AT_ONCE = 2  # pairs of choices by other rules that have to have been made at the same time, by threads of either kind
# How far apart the ids of two threads are: neighbours, the same in their last 14 bits and their last three digits, or
# the same in all bits but the first that an id can have.
NEAR, FAR, ONE_BIT = 1, 1000 << 11, 1 << 21
LARGEST_ID = 1 << 22  # PID_MAX_LIMIT in include/linux/threads.h
FARTHEST = LARGEST_ID - (1 << 14)  # so that there are some pairs to choose from
MOST_APART = 8  # further distances, in which an answer's numbers are tried
# Of C: a text, in which no comment begins, or a comment; and a whole number, of no more digits than an id can have.
TEXT_OR_COMMENT = re.compile(r"""("(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*')|//[^\n]*|/\*.*?(?:\*/|\Z)""", re.DOTALL)
DECIMAL, BRACKETS = re.compile(r"\b\d{1,10}\b"), re.compile(r"\(\s*(\d{1,10})\s*\)")
# As C binds them. (What is wrong about 2 - 1 + 1 or n - 1 + 1 here is a number more that is tried.)
OPERATIONS = [
    re.compile(rf"\b(\d{{1,10}})\s*({sign})\s*(\d{{1,10}})\b") for sign in (r"[*/]", r"[-+]", "<<", "&", r"\|")
]
# What stands for a name; no longer text, because each use of the name becomes as long.
DEFINE = re.compile(r"^[ \t]*#[ \t]*define[ \t]+(\w+)[ \t]+(.{1,200})$", re.MULTILINE)
VALUE = re.compile(r"\b([A-Za-z_]\w*)\s*=\s*(\d{1,10})\b")
WORD = re.compile(r"\b[A-Za-z_]\w*")
MOST_EXPANDED, LONGEST_CODE = 3, 1 << 16  # rounds; characters, because macros can double
LARGEST_NUMBER = (1 << 32) - 1
MOST_RECKONED = 50  # rounds
NUMBER = re.compile(r"\b(0[xX][\da-fA-F]+|0[0-7]*|[1-9]\d{0,9})[uUlL]*\b")


@dataclass
class Choice:
    """A choice that the kernel made: the rule that decided, by its number and its name in the kernel, and the address;
    by which thread, and when the first question was answered and when the last."""

    number: int
    rule: str
    address: str
    thread: str
    first_s: float
    last_s: float

    def meets(self, other: Choice) -> bool:
        """Whether two choices were made at the same time, and another rule decided."""
        together = self.first_s < other.last_s and other.first_s < self.last_s
        return together and self.thread != other.thread and self.number != other.number


@dataclass
class Choices:
    """The reader's program, the choices that were made, and the ids of the threads that made them, by their names."""

    program: Program
    made: list[Choice] = field(default_factory=list)
    threads: dict[str, int] = field(default_factory=dict)


def judge(evidence: Evidence, verdict: Verdict) -> None:
    """Exercise 6: each choice is reported once, by its thread, with the number of the rule that decided."""
    seen: Choices = observation(evidence)
    require_program_ran(verdict, seen.program)
    if (distances := len(apart(evidence.answer))) > MOST_APART:
        verdict.fail(
            "few-numbers",
            f"numbers that divide one of {MOST_APART} distances between ids",
            f"any number of the program may be one by which it takes two threads for one; to try all of them takes "
            f"{distances} distances between ids, and {MOST_APART} are tried at most",
        )
        raise VerdictFinal
    tell_apart(seen, moduli(evidence.answer))
    compare_reports(verdict, seen.made, seen.program.told)


def moduli(answer: str) -> list[int]:
    """The whole numbers of its code by which it may find a thread's place, so that ids which are a multiple apart share
    one; without those of which FAR or ONE_BIT is a multiple. What it reckons of numbers is one, too: (1 << 12) - 1. A
    hash that it makes of an id is none of them."""
    code = _expanded(NUMBER.sub(_decimal, TEXT_OR_COMMENT.sub(lambda found: found[1] or " ", answer)))
    found = {int(text) for text in DECIMAL.findall(code)}
    for _ in range(MOST_RECKONED):
        shorter = code
        for operation in OPERATIONS:
            shorter = operation.sub(_reckoned, BRACKETS.sub(r" \1 ", shorter))
        if shorter == code:
            break
        code = shorter
        found |= {int(text) for text in DECIMAL.findall(code)}
    return sorted(number for number in found if 0 < number <= FARTHEST and FAR % number and ONE_BIT % number)


def _expanded(code: str) -> str:
    """The code, and the same with what stands for a name in the name's place: by #define, or by an enum or another `=`
    of a number."""
    if len(code) > LONGEST_CODE:
        return code
    names = dict(VALUE.findall(code)) | {name: text.strip() for name, text in DEFINE.findall(code)}
    whole = code
    for _ in range(MOST_EXPANDED):
        code = WORD.sub(lambda found: f"({names[found[0]]})" if found[0] in names else found[0], code)
        if len(code) > LONGEST_CODE:
            break
        whole = f"{whole}\n{code}"
    return whole


def _decimal(found: re.Match[str]) -> str:
    """A whole number of C in decimal digits."""
    text = found[1]
    return f"{min(int(text, 8 if text.startswith('0') and text.isdigit() else 0), LARGEST_NUMBER)}"


def _reckoned(found: re.Match[str]) -> str:
    """What an operation of two numbers comes to; a larger one than an id is cut off."""
    one, sign, other = int(found[1]), found[2], int(found[3])
    if sign == "*":
        value = one * other
    elif sign == "/":
        value = one // max(other, 1)
    elif sign in "&|":
        value = one & other if sign == "&" else one | other
    elif sign == "<<":
        value = one << min(other, 32)
    else:
        value = one + other if sign == "+" else max(one - other, 0)
    return f"{value & LARGEST_NUMBER}"


def apart(answer: str) -> list[int]:
    """How far apart the ids of further pairs of threads are: of each of the moduli one distance is a multiple."""
    found: list[int] = []
    for number in moduli(answer):
        of = next((each for each in found if math.lcm(each, number) <= FARTHEST), None)
        if of is None:
            found.append(number)
        else:
            found[found.index(of)] = math.lcm(of, number)
    return found


def neighbours(one: int, other: int) -> bool:
    """Whether two ids differ in their last bit alone."""
    return one ^ other == NEAR


def congruent(modulus: int, one: int, other: int) -> bool:
    """Whether two ids are a multiple of `modulus` apart."""
    return (one - other) % modulus == 0


def tell_apart(seen: Choices, moduli: list[int]) -> None:
    """What has happened has to tell a right program from one that takes a rule for another, or a thread, since it keeps
    no more of an id than a part in which two agree."""
    decided = sorted({one.number for one in seen.made})
    if len(decided) < RULES:
        raise CannotTry(f"expected six rules to decide, found {decided}", "the same call again", TOLD_APART)
    if {one.thread for one in seen.made} - {*seen.threads}:
        raise Damaged(LACKS_A_PART)
    meeting = [(one, other) for one, other in itertools.combinations(seen.made, 2) if one.meets(other)]
    ids = [(seen.threads[one.thread], seen.threads[other.thread]) for one, other in meeting]
    alike_in: dict[str, Callable[[int, int], bool]] = {
        "but for their last bit": neighbours,
        "at their end": functools.partial(congruent, FAR),
        "but for their first bit": functools.partial(congruent, ONE_BIT),
        **{f"modulo {modulus}": functools.partial(congruent, modulus) for modulus in moduli},
    }
    for how, alike in alike_in.items():
        if (count := sum(alike(*pair) for pair in ids)) < AT_ONCE:
            raise CouldNotTell(
                f"{count} pairs of choices were made at the same time by threads with ids that agree {how}, "
                f"expected {AT_ONCE} at least",
                f"threads-{named(how)}",
            )


def compare_reports(verdict: Verdict, made: list[Choice], reported: list[Event]) -> None:
    """What was reported against what our own trace says."""
    made = sorted(made, key=operator.attrgetter("thread"))  # a thread's in their order
    reported = sorted(reported, key=operator.attrgetter("connection"))

    def fault(number: int) -> str:
        one = made[number]
        said = reported[number]
        return (
            f"choice {number + 1}, of {one.thread}: told {said.value} of {said.connection}, was {one.number} "
            f"({one.rule}, {one.address})"
        )

    compare(
        verdict,
        [Event(one.thread, one.number) for one in made],
        reported,
        "reports, one for each choice",
        f"{len(made)} choices were made",
        "every report names the rule",
        fault,
    )


JUDGE = Judge(Choices, judge)
