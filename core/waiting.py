"""How is a state waited for that nobody announces?"""

import time
from collections.abc import Callable
from typing import TypeVar

State = TypeVar("State")


def poll(state: Callable[[], State], deadline_s: float, every_s: float = 0.005) -> State:
    """Ask for the state until it is true, or until the deadline; what it was at last."""
    until = time.monotonic() + deadline_s
    while not (found := state()) and time.monotonic() < until:
        time.sleep(every_s)
    return found
