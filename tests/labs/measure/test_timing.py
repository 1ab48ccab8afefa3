"""Is each second counted once?"""

import time

import pytest

from labs.measure.timing import breakdown, shares, timed


@pytest.mark.parametrize(
    "spans, expected",
    [
        ([], {"taking": 10}),
        ([(1, 3, "network")], {"network": 2, "taking": 8}),
        ([(1, 3, "network"), (2, 4, "network")], {"network": 3, "taking": 7}),  # two at once
        ([(1, 9, "control"), (2, 4, "tracers")], {"control": 6, "tracers": 2, "taking": 2}),  # one within another
        ([(-5, 1, "network"), (-9, -8, "answer")], {"network": 1, "taking": 9}),  # begun before
    ],
)
def test_each_goes_to_what_was_begun_last(spans, expected):
    assert shares(0, 10, spans) == expected


def test_a_block_that_fails_is_counted():
    began = time.monotonic()
    with pytest.raises(ValueError), timed("answer"):
        time.sleep(0.02)
        raise ValueError
    assert breakdown(began)["answer"] >= 0.02
