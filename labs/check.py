"""What does a case claim of the kernel, and was it so? One claim, with the figures it rests on."""

from __future__ import annotations

import textwrap
from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True)
class Check:
    """One thing that a case claims, and whether it was so; `what` has the figures."""

    held: bool
    what: str

    def __str__(self) -> str:
        return f"{'yes' if self.held else 'NO '} {self.what}"

    def wrapped(self) -> str:
        """For the terminal, in at most 80 columns."""
        return textwrap.fill(str(self), 80, initial_indent="  ", subsequent_indent=" " * 6)


class Claims:
    """What an outcome of a run or a trace has in common with any other: `checks`, its claims, and
    `stacks`, the expected ones beside the observed ones, if it was traced."""

    checks: Sequence[Check]
    stacks = ()

    @property
    def reproduced(self) -> bool:
        """True if no frame is missing and every claim held."""
        return all(stack.ok for stack in self.stacks) and all(check.held for check in self.checks)

    def claimed(self) -> dict:
        """Plain values, for `to_json()`."""
        return {"reproduced": self.reproduced, "reasons": [str(check) for check in self.checks]}

    def verdict(self, words: str = "reproduced") -> list[str]:
        """Lines for the terminal: whether it came out as claimed, in these words, and each claim."""
        return [words if self.reproduced else f"NOT {words}", *(check.wrapped() for check in self.checks)]
