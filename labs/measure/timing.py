"""Where do the seconds of a judgement go? Each second belongs to what was begun last and has not ended."""

import itertools
import time
from collections import defaultdict
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from core.protocol import TAKING

_spans: list[tuple[float, float, str]] = []  # from, to, on what; several threads add to it
_called: list[Callable[[str], None]] = []


def call_at_each_step(function: Callable[[str], None]) -> None:
    """Have this function called with the name of each step, as it begins, from now on."""
    _called.append(function)


@contextmanager
def timed(on: str) -> Iterator[None]:
    """Count the time of a block as spent on this step."""
    for function in _called:
        function(on)
    began = time.monotonic()
    try:
        yield
    finally:
        _spans.append((began, time.monotonic(), on))


def breakdown(began: float) -> dict[str, float]:
    """Break down the seconds since `began`, by the monotonic clock, by what they went to; the rest went to TAKING."""
    return shares(began, time.monotonic(), _spans)


def shares(began: float, ended: float, spans: list[tuple[float, float, str]]) -> dict[str, float]:
    """Break down the seconds between two moments by the spans, which may overlap."""
    within = [(max(start, began), end, on) for start, end, on in spans if end > began]
    edges = sorted({began, ended, *(edge for start, end, _ in within for edge in (start, end))})
    found: dict[str, float] = defaultdict(float)
    for left, right in itertools.pairwise(edges):
        under_way = [(start, on) for start, end, on in within if start <= left and right <= end]
        found[max(under_way)[1] if under_way else TAKING] += right - left
    return {on: round(seconds, 3) for on, seconds in found.items()}
