"""How is a verdict on an answer said? PASS, FAIL, SKIP or COULD NOT TELL, each with what was expected and
found, the same in a terminal, as JSON and in a notebook."""

import html
import json
import os
import time
from dataclasses import dataclass, field
from typing import Any, Protocol

from core.cases import not_answered
from core.protocol import VERDICTS_FILE, VERDICTS_TAKEN


class Judged(Exception):
    """The verdict is final: what is still to come could not be judged sensibly."""


class Picture(Protocol):
    """What a notebook can show."""

    def _repr_html_(self) -> str: ...


@dataclass
class Verdict:
    """The judgement of one answer. `checks` are (held, sentence) pairs in the order in which they
    were made; `measured` is what they rest on; `skipped` says what the machine lacks to judge anything, `untold`
    why what was measured does not say, `unanswered` why the answer is none yet, which fails."""

    exercise: str
    checks: list[tuple[bool, str]] = field(default_factory=list)
    measured: dict[str, Any] = field(default_factory=dict)
    skipped: str = ""
    untold: str = ""
    unanswered: str = ""
    picture: Picture | None = None  # to be shown below it in a notebook

    def expect(self, held: bool, held_says: str, failed_says: str) -> bool:
        """Add one check with the sentence for its outcome; returns `held`."""
        self.checks.append((bool(held), held_says if held else failed_says))
        return bool(held)

    @property
    def verdict(self) -> str:
        if self.skipped or self.untold:
            return "SKIP" if self.skipped else "COULD NOT TELL"
        passed = self.checks and all(held for held, _ in self.checks) and not self.unanswered
        return "PASS" if passed else "FAIL"

    @property
    def reasons(self) -> list[str]:
        """The sentences that decide: the failed checks of a FAIL, all checks of a PASS."""
        if self.skipped or self.untold:
            return [self.skipped or self.untold]
        failed = [sentence for held, sentence in self.checks if not held]
        if self.unanswered:
            return [not_answered(self.unanswered), *failed]
        return failed or [sentence for _, sentence in self.checks]

    def to_json(self) -> dict[str, Any]:
        """The object that `labs check --json` prints."""
        return {"exercise": self.exercise, "verdict": self.verdict, "reasons": self.reasons, "measured": self.measured}

    def text(self) -> str:
        """For a terminal."""
        return "\n".join([f"{self.verdict}  {self.exercise}", *[f"  {r}" for r in self.reasons]])

    def _repr_html_(self) -> str:
        if self.unanswered:  # in words alone: several red verdicts after Run All look as if something were broken
            return f"<p>{html.escape(self.exercise)} is {html.escape(self.reasons[0])}</p>"
        marks = {True: "✓ held", False: "✗ failed"}
        judged = self.verdict in ("PASS", "FAIL")
        rows = (
            [(f"<b>{marks[held]}</b> ", sentence) for held, sentence in self.checks]
            if judged
            else [("", reason) for reason in self.reasons]
        )
        lines = "".join(f"<li>{mark}{html.escape(sentence)}</li>" for mark, sentence in rows)
        below = self.picture._repr_html_() if self.picture else ""
        return f"<p><b>{self.verdict}</b> {html.escape(self.exercise)}</p><ul>{lines}</ul>{below}"

    def __repr__(self) -> str:
        return self.text()

    def keep(self) -> None:
        """Leave the verdict where the host fetches a reader's progress from."""
        keep({"exercise": self.exercise, "verdict": self.verdict})


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
