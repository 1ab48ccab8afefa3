"""What was an answer held to, and what came of it? A check is data. Sentences and lines of it are made here alone."""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from core.serialization import Damaged, from_json

ID = re.compile(r"[a-z0-9]+(-[a-z0-9]+)*")
LONGEST_ID = 60
RAN_ON = "machine-ran-on"  # id of what nothing can be said without: the machine did not stand still, nor crawl
WHOLE = "evidence-whole"  # id of what evidence that is damaged, or of another version, is not
# Formats of sentences about a failed one. What was found may say by itself what it should have been.
FOUND, EXPECTED = "{found}", "expected {expected}"
FOUND_EXPECTED, EXPECTED_FOUND = f"{FOUND}, {EXPECTED}", f"{EXPECTED}, found {FOUND}"
MARKS = {True: "yes", False: "NO ", None: "?  "}


@dataclass(frozen=True)
class Check:
    """One condition that an answer was held to: whether it `passed`, None if that could not be told; and in words what
    was `expected` and what was `found`. Its `id` is no other's in its exercise, and stays when words change.

    `says` is a format: how both make a sentence if it failed. It is no part of the JSON, which has what it is made of.
    """

    id: str
    passed: bool | None
    expected: str
    found: str
    says: str = FOUND

    @property
    def sentence(self) -> str:
        """One sentence for a person who sees nothing else of the check."""
        return self.found if self.passed else self.says.format(expected=self.expected, found=self.found)

    def to_json(self) -> dict[str, Any]:
        """Plain values."""
        return {"id": self.id, "passed": self.passed, "expected": self.expected, "found": self.found}


def read_checks(found: object) -> list[Check]:
    """What to_json() of several has made, or of which somebody says so. Raises Damaged."""
    if not isinstance(found, list):
        raise Damaged(f"checks: expected a list, found {type(found).__name__}")
    checks = [from_json(Check, each, "checks") for each in found]
    for check in checks:
        if len(check.id) > LONGEST_ID or not ID.fullmatch(check.id) or check.says != FOUND:
            raise Damaged("checks: expected an id, and no format")
    return checks


def named(words: str) -> str:
    """A part of an id, by what is named so elsewhere: "a-small" for "A small"."""
    return "-".join(re.findall(r"[a-z0-9]+", words.lower()))


def lines(checks: Iterable[Check]) -> list[str]:
    """Lines for a terminal: of a passed check what was found, else its id, what was expected and what was found."""
    shown = []
    for check in checks:
        mark = f"  {MARKS[check.passed]}  "
        shown += _lines(mark, check.found if check.passed else check.id)
        if not check.passed:
            beside = (("expected:", check.expected), ("found:", check.found))
            shown += [line for name, words in beside if words for line in _lines(f"{' ' * 7}{name:<10}", words)]
    return shown


def _lines(begins: str, words: str) -> list[str]:
    """Wrap words so that none of them begins a line of its own, because an answer may have chosen them."""
    return [f"{' ' * len(begins) if number else begins}{line}" for number, line in enumerate(words.splitlines())]
