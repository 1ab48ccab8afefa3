"""How is a distribution said in a few numbers?"""

import statistics
from collections.abc import Sequence


def five_numbers(figures: Sequence[float]) -> dict[str, float]:
    """Smallest, lower quartile, median, upper quartile, largest; of one figure at least."""
    lower, _, upper = statistics.quantiles(figures, n=4, method="inclusive") if figures[1:] else [*figures] * 3
    middle = statistics.median(figures)
    return {"min": min(figures), "lower": lower, "median": middle, "upper": upper, "max": max(figures)}
