"""What does a send cost, in one network and in another? Measured by workload.py."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from labs.errors import RAN_ON, CouldNotTell
from labs.measure.bounds import bounds
from labs.measure.rounds import Rounds

TURNS, TURNS_NEEDED = 7, 4  # of pairs, and how many of them have to have been measured
BOUNDS = bounds(Path(__file__).parent)
HELD_UP_MS = BOUNDS["held_up_ms"]


@dataclass(frozen=True)
class Cost:
    """What one send costs: `send_us` is the fastest of several (a busy machine can only add), and
    `median_us` the middle one. `mean_us` has its part of what other programs take, which a send that is
    longer than their turns cannot avoid. `source` is the address that the peer saw."""

    send_us: float
    median_us: float
    mean_us: float
    source: str

    def to_json(self) -> dict[str, Any]:
        return {"send_us": round(self.send_us, 1), "median_us": round(self.median_us, 1), "source": self.source}


@dataclass(frozen=True)
class Pair:
    """What a send costs in one network and, right after that, in another. `held_up_ms` is the longest that the machine
    stood still meanwhile (labs/measure/clock.py)."""

    one: Cost
    other: Cost
    held_up_ms: float


def measured(turns: Sequence[Pair]) -> Rounds[Pair]:
    """The turns that count. Raises CouldNotTell if the machine stood still in too many."""
    rounds = Rounds(turns, HELD_UP_MS, TURNS_NEEDED)
    if rounds.missing:
        raise CouldNotTell(rounds.missing, RAN_ON)
    return rounds
