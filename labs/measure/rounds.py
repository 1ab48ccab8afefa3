"""What is said by the rounds of a measurement? Their number is fixed before the first, the same for the fault and its
control, and nothing is measured again because of what came out.

A round in which the machine stood still (see labs/measure/clock.py) was not measured. If too few are left, it cannot
be told.
"""

import statistics
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Generic, Protocol, TypeVar

from labs.claims import Claim


class Round(Protocol):
    """What was seen in a round; `held_up_ms` is for how long the machine stood still meanwhile."""

    @property
    def held_up_ms(self) -> float: ...


Seen = TypeVar("Seen", bound=Round)


@dataclass(frozen=True)
class Rounds(Generic[Seen]):
    """One thing, measured in several rounds. A round that was held up for longer than `bound_ms` does not count;
    `needed` is how many have to be left."""

    every: Sequence[Seen]
    bound_ms: float
    needed: int

    @property
    def measured(self) -> list[Seen]:
        """The rounds that count."""
        return [seen for seen in self.every if seen.held_up_ms <= self.bound_ms]

    @property
    def missing(self) -> str:
        """Why nothing can be told; empty if it can."""
        if len(self.measured) >= self.needed:
            return ""
        longest = max(seen.held_up_ms for seen in self.every)
        return (
            f"in {len(self.every) - len(self.measured)} of {len(self.every)} rounds the machine stood still for "
            f"more than {self.bound_ms:.0f} ms (for {longest:.0f} at most), expected {self.needed} without"
        )

    def in_each(self, claims: Callable[[Seen], Sequence[Claim]]) -> list[Claim]:
        """Each of the `claims` on a round as one on every round that counts, in the words of the first round in which
        it does not hold, else of the first."""
        return [_in_each(claim) for claim in zip(*map(claims, self.measured), strict=True)]

    def median(self, figure: Callable[[Seen], float]) -> float:
        """The median of a figure, over the rounds that count; over all of them if none does, to have one to show."""
        return statistics.median(map(figure, self.measured or self.every))

    def typical(self, figure: Callable[[Seen], float]) -> Seen:
        """The round that has the median, or is next below it; of all of them if none counts, to have one to show."""
        rounds = sorted(self.measured or self.every, key=figure)
        return rounds[(len(rounds) - 1) // 2]


def rounds_to_json(rounds: Mapping[Any, Rounds[Any]], key: Callable[[Any], str] = str) -> dict[str, list[Any]]:
    """Plain values of every round, also of those that do not count, by the `key` of what was measured."""
    return {key(what): [seen.to_json() for seen in each.every] for what, each in rounds.items()}


def _in_each(rounds: Sequence[Claim]) -> Claim:
    holds = [claim.holds for claim in rounds]
    said = rounds[holds.index(False) if False in holds else 0]
    return Claim(all(holds), f"{said.what}; so in {sum(holds)} of {len(holds)} rounds")
