"""How does a program leave all its blocks when it is told to end?"""

import signal
import sys
from collections.abc import Callable, Iterable


def leave_once(numbers: Iterable[int], before: Callable[[], None] = lambda: None) -> None:
    """Have each of these signals end the program by SystemExit, with status 128 + its number, `before` called first.
    Once, because a terminal that closes may say so twice, and the second time would cut short what the first began."""
    numbers = list(numbers)

    def leave(number: int, _frame: object) -> None:
        for each in numbers:
            signal.signal(each, lambda number, frame: None)  # programs that are started would inherit SIG_IGN
        before()
        sys.exit(128 + number)

    for each in numbers:
        signal.signal(each, leave)
