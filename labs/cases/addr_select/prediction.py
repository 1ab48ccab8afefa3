"""What does a table of predictions say? Read alike for exercises 4 and 5, by what measures and by what judges."""

import tomllib
from collections.abc import Mapping
from typing import Any

from core.judge.check import EXPECTED_FOUND, named
from core.judge.verdict import Verdict, VerdictFinal

BYTE_ORDER_MARK = "\ufeff"  # with which some editors begin a file
LARGEST, LONGEST = 1e12, 40  # of a prediction; and characters of one that is shown


def complete(answer: str, names: Mapping[str, type]) -> bool:
    """Whether there is something to measure for."""
    try:
        typed(answer, Verdict(""), names)
    except VerdictFinal:
        return False
    return True


def typed(answer: str, verdict: Verdict, names: Mapping[str, type]) -> dict[str, Any]:
    """The answer's values, each of its type; else the verdict says what is missing, and VerdictFinal is raised."""
    try:
        read = tomllib.loads(answer.removeprefix(BYTE_ORDER_MARK))
    except (ValueError, RecursionError) as error:  # the first also for a number of too many digits
        verdict.fail("readable", "TOML", f"the answer cannot be read: {error}")
        raise VerdictFinal from error
    for name, kind in names.items():
        value: Any = read.get(name)
        fits = type(value) in ((int, float) if kind is float else (kind,)) and -LARGEST <= value <= LARGEST
        if not fits:
            words = {bool: "true or false", int: "a whole number", float: "a number"}[kind]
            found = repr(read.get(name, "nothing"))[:LONGEST]
            verdict.fail(f"says-{named(name)}", words, found, f"{name}: {EXPECTED_FOUND}")
    if verdict.checks:
        raise VerdictFinal
    return read
