"""Do five numbers say what a distribution is?"""

import pytest

from core.summary import five_numbers


@pytest.mark.parametrize(
    "figures, five",
    [([7], (7, 7, 7, 7, 7)), ([3.0, 1.0, 2.0], (1, 1.5, 2, 2.5, 3)), ([4, 0, 2, 3], (0, 1.5, 2.5, 3.25, 4))],
)
def test_they_are_smallest_quartiles_and_largest(figures, five):
    assert five_numbers(figures) == dict(zip(("min", "lower", "median", "upper", "max"), five))
