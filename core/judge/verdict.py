"""How is a verdict on an answer said? PASS, FAIL, SKIP or COULD NOT TELL, each with what was expected and
found, the same in a terminal, as JSON and in a notebook."""

import json
import os
import time
from dataclasses import dataclass, field
from typing import Any, Protocol

from core.cases import not_answered
from core.draw.tree import Element, h, markup
from core.judge.check import FOUND, FOUND_EXPECTED, Check, lines
from core.protocol import VERDICTS_FILE, VERDICTS_TAKEN


def of_one(exercise: str, verdict: str, check: Check) -> dict[str, Any]:
    """A verdict as to_json() has it, where one check alone decides and nothing was measured."""
    return {"exercise": exercise, "verdict": verdict, "reasons": [check.sentence], "checks": [check.to_json()]}


class VerdictFinal(Exception):
    """The verdict is final, because what is still to come could not be judged sensibly."""


class Picture(Protocol):
    """What a notebook and a page can show."""

    def drawn(self) -> Element: ...


@dataclass
class Verdict:
    """The judgement of one answer. `checks` are in the order in which they were made; `measured` is what they rest on;
    `skipped` says what the machine lacks to judge anything, `inconclusive` why what was measured does not say, and
    `unanswered` why the answer is none yet, which fails. `by_the_answer` says of what is inconclusive that the answer
    may be why, and not the machine alone."""

    exercise: str
    checks: list[Check] = field(default_factory=list)
    measured: dict[str, Any] = field(default_factory=dict)
    skipped: Check | None = None
    inconclusive: Check | None = None
    by_the_answer: bool = False
    unanswered: str = ""
    picture: Picture | None = None  # to be shown below it in a notebook

    def expect(self, id: str, passed: bool, right: str, wrong: str, expected: str = "", says: str = "") -> bool:
        """Add one check, with what was found in words: `right` if it passed, else `wrong`; returns `passed`. What was
        `expected` is what `right` says if it is left out, and then a sentence about a failure says `wrong` alone."""
        says = says or (FOUND_EXPECTED if expected else FOUND)
        self.checks.append(Check(id, bool(passed), expected or right, right if passed else wrong, says))
        return bool(passed)

    def fail(self, id: str, expected: str, found: str, says: str = FOUND) -> None:
        """Add a check that did not pass, where there is nothing to say if it does."""
        self.checks.append(Check(id, False, expected, found, says))

    @property
    def all_checks(self) -> list[Check]:
        """The checks that were made, and the one that says why there is no answer or nothing could be told."""
        first = [Check("answered", False, "an answer", not_answered(self.unanswered))] if self.unanswered else []
        return [*first, *self.checks, *filter(None, [self.skipped, self.inconclusive])]

    @property
    def verdict(self) -> str:
        if self.skipped or self.inconclusive:
            return "SKIP" if self.skipped else "COULD NOT TELL"
        return "PASS" if self.checks and all(check.passed for check in self.all_checks) else "FAIL"

    @property
    def reasons(self) -> list[str]:
        """The sentences that decide: the failed checks of a FAIL, all checks of a PASS."""
        if undecided := self.skipped or self.inconclusive:
            return [undecided.sentence]
        failed = [check for check in self.all_checks if not check.passed]
        return [check.sentence for check in failed or self.checks]

    def to_json(self) -> dict[str, Any]:
        """The object that `labs check --json` prints."""
        return {
            "exercise": self.exercise,
            "verdict": self.verdict,
            "reasons": self.reasons,
            "measured": self.measured,
            "checks": [check.to_json() for check in self.all_checks],
        }

    def text(self) -> str:
        """Text for a terminal."""
        return "\n".join([f"{self.verdict}  {self.exercise}", *lines(self.all_checks)])

    def drawn(self) -> Element:
        """For notebook and page: the word, what was found of each condition, and the picture."""
        if self.unanswered:  # in words alone: several red verdicts after Run All look as if something were broken
            return h("p", {}, f"{self.exercise} is {self.reasons[0]}")
        items = [h("li", {}, _item(check)) for check in self.all_checks]
        below = self.picture.drawn() if self.picture else None
        return h("div", {}, h("p", {}, h("b", {}, self.verdict), f" {self.exercise}"), h("ul", {}, items), below)

    def _repr_html_(self) -> str:
        return markup(self.drawn())

    def __repr__(self) -> str:
        return self.text()

    def keep(self) -> None:
        """Leave the verdict where the host fetches a reader's progress from."""
        keep({"exercise": self.exercise, "verdict": self.verdict})


def _item(check: Check) -> list[Element | str]:
    """A check, in a list."""
    if check.passed:
        return [h("b", {}, "✓ passed"), f" {check.found}"]
    mark = "? could not tell" if check.passed is None else "✗ failed"
    expected: list[Element | str] = [f"expected: {check.expected}", h("br")] if check.expected else []
    return [h("b", {}, mark), " ", h("code", {}, check.id), h("br"), *expected, f"found: {check.found}"]


def keep(event: dict[str, Any]) -> None:
    """Leave there what happened in a notebook: a verdict, or a hint."""
    os.makedirs(os.path.dirname(VERDICTS_FILE), exist_ok=True)
    with open(VERDICTS_FILE, "a") as log:
        log.write(json.dumps(event | {"notebook": True, "judged": time.strftime("%Y-%m-%d %H:%M:%S")}) + "\n")


def kept(exercise: str) -> list[dict[str, Any]]:
    """What happened with one exercise in this guest, in order, whether the host has fetched it or not. Root here may
    have written anything there: what is no event is passed over."""
    files = filter(os.path.exists, (VERDICTS_TAKEN, VERDICTS_FILE))
    lines = [line for path in files for line in open(path, errors="replace")]
    return [event for event in map(_event, lines) if event and event.get("exercise") == exercise]


def _event(line: str) -> dict[str, Any] | None:
    try:
        event = json.loads(line)
    except ValueError:
        return None
    return event if isinstance(event, dict) else None
