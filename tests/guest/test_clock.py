"""Does the clock say that the machine stood still, and nothing else?"""

import os
import signal
import time

import pytest

from labs.measure.clock import PERIOD_S, StallDetector

STOPPED_S = 0.2


@pytest.fixture
def clock():
    with StallDetector() as clock:
        yield clock


def stopped(clock, length_s=STOPPED_S):
    """A processor that is taken away, for this one process."""
    os.kill(clock.pid, signal.SIGSTOP)
    time.sleep(length_s)
    os.kill(clock.pid, signal.SIGCONT)
    time.sleep(4 * PERIOD_S)


def test_a_stop_is_seen_with_its_length(clock):
    clock.begin()
    stopped(clock)
    assert clock.late_ms() >= (STOPPED_S - PERIOD_S) * 1e3 * 0.9


def test_one_that_was_before_is_not(clock):
    stopped(clock)
    before = clock.late_ms()
    clock.begin()
    time.sleep(4 * PERIOD_S)
    assert clock.late_ms() < before / 2


def test_one_that_lasts_is_seen_without_an_awakening(clock):
    clock.begin()
    os.kill(clock.pid, signal.SIGSTOP)
    time.sleep(STOPPED_S)
    assert clock.late_ms() >= (STOPPED_S - PERIOD_S) * 1e3 * 0.9


def test_it_goes_before_whatever_else_the_guest_does(clock):
    assert os.sched_getscheduler(clock.pid) == os.SCHED_FIFO


def test_it_holds_nothing_open_and_ends_with_the_block():
    read_end, write_end = os.pipe()
    with StallDetector() as clock:
        os.close(write_end)
        assert os.read(read_end, 1) == b""
        pid = clock.pid
    os.close(read_end)
    with pytest.raises(ProcessLookupError):
        os.kill(pid, 0)
