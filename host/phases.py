"""What is happening, and how long did it take? One line a phase, on stderr; stdout is for results."""

import contextlib
import sys
import time

from host.terminal_escape import escaped

_under_way = None  # rich shows one status line at a time: an inner phase borrows the outer's


@contextlib.contextmanager
def phase(title: str):
    """Say that `title` is under way; when it ends, its line with the elapsed time stays.

    Yields a function that replaces the progress text behind the title. Phases may be nested.
    """
    global _under_way
    started, outer = time.monotonic(), _under_way
    status = outer or _status()
    before = outer.status if outer else ""

    def progress(text: str = "") -> None:
        if status:
            behind = f" {text} ({time.monotonic() - started:.0f} s)" if text else ""
            status.update(f"{title} …{behind}")

    with contextlib.nullcontext() if outer or not status else status:
        _under_way = status
        try:
            progress()
            yield progress
        finally:
            _under_way = outer
            if outer:
                outer.update(before)
    say(f"{title}: {time.monotonic() - started:.1f} s")


def _status():
    """A line that moves, on a terminal. Only there is rich imported, which takes a twentieth of a second."""
    if not sys.stderr.isatty():
        return None
    from rich.console import Console

    return Console(stderr=True, highlight=False, soft_wrap=True).status("")


def say(line: str) -> None:
    """One line for the person, on stderr; rich has it above the line that moves, if there is one."""
    print(escaped(line), file=sys.stderr, flush=True)
