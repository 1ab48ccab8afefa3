"""How does what was changed in a kernel get undone, when somebody presses Ctrl-C in the middle of it?"""

import contextlib
import signal
import threading
from typing import Any

# By who ends us, by a terminal that closes, by Ctrl-C: the more final first.
ENDING = (signal.SIGTERM, signal.SIGHUP, signal.SIGINT)


class ShieldedExitStack(contextlib.ExitStack):
    """An exit stack that undoes all before it hears of Ctrl-C, and of the other signals that end a program: they come
    when it is done. Programs that are started meanwhile do not hear of them at all (pthread_sigmask(3): a mask is
    inherited), so that the `ip` which deletes a route is not ended either."""

    def __exit__(self, *failed) -> bool | None:
        with _SignalsHeldBack():
            return super().__exit__(*failed)


class _SignalsHeldBack:
    """A block in which the signals of ENDING are only noted; they are raised at its end. A mask alone would not do:
    where there are other threads, as in a notebook's kernel, one of those gets the signal, and Python interrupts its
    main thread for it (signal(7); Python's signal module, "Signals and threads")."""

    def __enter__(self) -> None:
        self.came: set[int] = set()
        self.handlers: dict[int, Any] = {}  # as signal.getsignal() gives them
        self.heard: BaseException | None = None  # in the last moment before
        self.before = signal.pthread_sigmask(signal.SIG_BLOCK, ())
        for _ in ENDING:  # each may interrupt this once
            try:
                self._note_only()
                break
            except BaseException as heard:
                self.heard = heard

    def _note_only(self) -> None:
        if threading.current_thread() is threading.main_thread():  # others have no handlers
            for number in ENDING:
                if number not in self.handlers:
                    self.handlers[number] = signal.getsignal(number)
                signal.signal(number, lambda number, _frame: self.came.add(number))
        signal.pthread_sigmask(signal.SIG_BLOCK, ENDING)

    def __exit__(self, *_) -> None:
        signal.pthread_sigmask(signal.SIG_SETMASK, self.before)
        for number, handler in self.handlers.items():
            signal.signal(number, handler)
        for number in ENDING:
            if number in self.came:
                signal.raise_signal(number)
        if self.heard:
            raise self.heard
