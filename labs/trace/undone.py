"""How does what was changed in a kernel get undone, when somebody presses Ctrl-C in the middle of it?"""

from __future__ import annotations

import contextlib
import signal

ENDING = (signal.SIGINT, signal.SIGHUP, signal.SIGTERM)  # by Ctrl-C, by a terminal that closes, by who ends us


class Undone(contextlib.ExitStack):
    """Leaves all that it has entered before it hears of Ctrl-C, and of the other signals that end a program: they come
    when it is done, to this thread. Programs that are started meanwhile do not hear of them at all (pthread_sigmask(3):
    a mask is inherited), so that the `ip` which deletes a route is not ended either."""

    def __exit__(self, *failed) -> bool:
        before = signal.pthread_sigmask(signal.SIG_BLOCK, ENDING)
        try:
            return super().__exit__(*failed)
        finally:
            signal.pthread_sigmask(signal.SIG_SETMASK, before)
