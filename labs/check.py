"""What does a case claim of the kernel, and was it so? One claim, with the figures it rests on."""

from __future__ import annotations

import textwrap
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from core.statuses import OUTCOMES


@dataclass(frozen=True)
class Check:
    """One thing that a case claims, and whether it was so; `what` has the figures."""

    held: bool
    what: str

    def __str__(self) -> str:
        return f"{'yes' if self.held else 'NO '} {self.what}"

    def wrapped(self) -> str:
        """For the terminal, in at most 80 columns."""
        return _wrapped(str(self), " " * 6)


def _wrapped(text: str, behind: str) -> str:
    return textwrap.fill(text, 80, initial_indent="  ", subsequent_indent=behind)


class Compared(Protocol):
    """An expected stack beside the observed one, and whether they agree."""

    @property
    def ok(self) -> bool: ...


class Claims:
    """What an outcome of a run or a trace has in common with any other: `checks`, its claims, and
    `stacks`, the expected ones beside the observed ones, if it was traced. `missing` says what was not
    measured, if that was too much to tell."""

    @property
    def checks(self) -> Sequence[Check]:
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
        return all(stack.ok for stack in self.stacks) and all(check.held for check in self.checks)

    def claimed(self) -> dict[str, Any]:
        """Plain values, for `to_json()`."""
        return {
            "reproduced": self.reproduced,
            "outcome": OUTCOMES[self.reproduced],
            "reasons": [self.missing] if self.missing else [str(check) for check in self.checks],
        }

    def verdict(self, words: str = "reproduced") -> list[str]:
        """Lines for the terminal: whether it came out as claimed, in these words, and each claim."""
        if self.missing:
            return ["COULD NOT TELL", _wrapped(self.missing, "  ")]
        return [words if self.reproduced else f"NOT {words}", *(check.wrapped() for check in self.checks)]
