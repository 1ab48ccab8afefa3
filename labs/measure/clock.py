"""Did the machine stand still while we measured? Asked of a process that does nothing but sleep.

    with StallDetector() as clock:
        clock.begin()
        measure()
        clock.late_ms()   # the most by which it was woken too late since begin(); then it rests

A processor may be taken from the guest, by a host that is busy or an emulator that compiles. What was measured then
says nothing of packets, and its result does not show it: a gap may be the very fault. So this instrument does not look
at results. It asks to be woken every few milliseconds, by CLOCK_MONOTONIC and before all other processes (SCHED_FIFO):
a guest with much to do does not make it late, only one whose processor stood still, or let no interrupt in.
"""

from __future__ import annotations

import ctypes
import mmap
import os
import select
import signal
import time

from labs.errors import CannotTry
from labs.measure import cgroups

PERIOD_S = 0.005  # a stop shorter than this may pass between two awakenings; the bounds of the cases are longer
REST_S = 1  # at rest it looks so often whether it is still wanted
# Of what both processes see: when it was last awake, the longest that it was late, in seconds, and whether it is asked.
AWAKE, LATE, ASKED = 0, 1, 2


class StallDetector:
    """A process that measures how long the machine stood still, for the length of a `with` block."""

    def __enter__(self) -> StallDetector:
        self._seen = (ctypes.c_double * 3).from_buffer(mmap.mmap(-1, mmap.PAGESIZE))
        ours, (rung, self._bell) = os.getpid(), os.pipe()
        self.pid = os.fork()
        if self.pid == 0:
            try:
                os.dup2(rung, 0)
                os.closerange(1, os.sysconf("SC_OPEN_MAX"))  # else what waits for our end of a pipe waits for this one
                os.sched_setscheduler(0, os.SCHED_FIFO, os.sched_param(1))
                _sleep(self._seen, ours)
            finally:
                os._exit(0)
        os.close(rung)
        while not self._seen[AWAKE]:
            if os.waitpid(self.pid, os.WNOHANG)[0]:
                raise CannotTry("no process that goes before all others: are we root in the guest?", "./lab shell")
            time.sleep(PERIOD_S / 5)  # polling a state
        return self

    def begin(self) -> None:
        """Forget how late the process was until now."""
        self._seen[LATE], self._seen[AWAKE], self._seen[ASKED] = 0, time.monotonic(), True
        os.write(self._bell, b"!")

    def late_ms(self) -> float:
        """How late the process woke at most since `begin()`; one that has not woken by now counts as late until now."""
        overdue_s = time.monotonic() - self._seen[AWAKE] - PERIOD_S
        self._seen[ASKED] = False
        return max(self._seen[LATE], overdue_s, 0) * 1e3

    def __exit__(self, *_) -> None:
        os.kill(self.pid, signal.SIGKILL)
        os.waitpid(self.pid, 0)
        os.close(self._bell)


def idled_s() -> float:
    """For how many seconds the processors have had nothing to do since the boot, to a hundredth (proc(5), uptime), or
    nothing but what an answer has left running, which is not what is measured. While somebody waits for a timer they
    have nothing to do; while a slow machine computes, they have."""
    with open("/proc/uptime") as file:
        return float(file.read().split()[1]) + sum(map(cgroups.used_s, cgroups.below_ours()))


def _sleep(seen: ctypes.Array, whose: int) -> None:
    """Sleep and note how late each awakening is, until the process `whose` has ended."""
    while os.getppid() == whose:
        due_s = time.monotonic() + PERIOD_S
        time.sleep(PERIOD_S)
        now_s = time.monotonic()
        seen[LATE], seen[AWAKE] = max(seen[LATE], now_s - due_s), now_s
        if not seen[ASKED] and select.select([0], [], [], REST_S)[0]:
            os.read(0, 1)
