"""What does a case claim of the kernel, and was it so? One claim, with the figures it rests on."""

import textwrap
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from core.statuses import OUTCOMES


@dataclass(frozen=True)
class Claim:
    """One thing that a case claims of the kernel, and whether it `holds`; `what` says it, with the figures.

    A condition that an answer has to meet is a `Check` (core/judge/check.py)."""

    holds: bool
    what: str

    def __str__(self) -> str:
        return f"{'yes' if self.holds else 'NO '} {self.what}"

    def wrapped(self) -> str:
        """A claim for the terminal, in at most 80 columns."""
        return _wrapped(str(self), " " * 6)


def _wrapped(text: str, behind: str) -> str:
    return textwrap.fill(text, 80, initial_indent="  ", subsequent_indent=behind)


class Compared(Protocol):
    """An expected stack beside the observed one, and whether they agree."""

    @property
    def ok(self) -> bool: ...


class Claims:
    """What an outcome of a run or a trace has in common with any other: its `claims`, and
    `stacks`, the expected ones beside the observed ones, if it was traced. `missing` says what was not
    measured, if that was too much to tell."""

    @property
    def claims(self) -> Sequence[Claim]:
        raise NotImplementedError

    @property
    def stacks(self) -> Sequence[Compared]:
        return ()

    @property
    def missing(self) -> str:
        return ""

    @property
    def reproduced(self) -> bool | None:
        """True if no frame is missing and every claim held; None if it could not be told."""
        if self.missing:
            return None
        return all(stack.ok for stack in self.stacks) and all(claim.holds for claim in self.claims)

    def claimed(self) -> dict[str, Any]:
        """Plain values, for `to_json()`."""
        return {
            "reproduced": self.reproduced,
            "outcome": OUTCOMES[self.reproduced],
            "reasons": [self.missing] if self.missing else [str(claim) for claim in self.claims],
        }

    def outcome_lines(self, words: str = "reproduced") -> list[str]:
        """Lines for the terminal: whether the run came out as claimed, in these words, and each claim."""
        if self.missing:
            return ["COULD NOT TELL", _wrapped(self.missing, "  ")]
        return [words if self.reproduced else f"NOT {words}", *(claim.wrapped() for claim in self.claims)]
