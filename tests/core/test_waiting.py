"""Does waiting for a state end with the state, or at the deadline?"""

import time

from core.waiting import poll


def test_it_returns_what_the_state_came_to():
    coming = iter(["", "", "there", "later"])
    assert poll(lambda: next(coming), 60, 0) == "there" and next(coming) == "later"


def test_at_the_deadline_it_returns_what_is_not_there():
    began = time.monotonic()
    assert poll(lambda: None, 0.02, 0.001) is None
    assert time.monotonic() - began >= 0.02


def test_it_asks_once_when_there_is_no_time():
    asked = []
    assert poll(lambda: asked.append(1) or len(asked), 0) == 1
