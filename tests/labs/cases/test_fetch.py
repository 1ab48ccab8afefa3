"""When does a client give up what has not come? After two looks at what the sender's kernel holds back, so far apart
that a server at work goes on between them."""

import importlib
from types import SimpleNamespace

import pytest

SIZE, AT_ONCE = 20_000, 4096
HEADER = b"HTTP/1.1 200 OK\r\n\r\n"
HELD = SimpleNamespace(timer="none")


class Guest:
    """A connection, its clock and its sender. The machine stands still at `stop_s` for `length_s`; a timer that has
    expired meanwhile wakes who waits before the server goes on, as in the kernel. Parts of the answer are sent at
    `parts`, in seconds of a machine that runs."""

    def __init__(self, parts, stop_s, length_s):
        self.parts, self.stop_s, self.length_s = sorted(parts.items()), stop_s, length_s
        self.now, self.looks = 0.0, []

    def monotonic(self):
        return self.now

    def settimeout(self, seconds):
        self.until = self.now + seconds

    def due(self):
        """When the next part is sent, by the clock."""
        ran_s = self.parts[0][0]
        return ran_s + self.length_s if ran_s > self.stop_s else ran_s

    def recv(self, size):
        if not self.parts or self.due() > self.until:
            self.now = self.until
            if self.stop_s < self.until < self.stop_s + self.length_s:
                self.now = self.stop_s + self.length_s
            raise TimeoutError
        self.now = max(self.now, self.due())
        return self.parts.pop(0)[1]

    def held(self):
        """The sender's kernel holds bytes back for as long as the rest has not been sent."""
        self.looks.append(self.now)
        return [HELD]


@pytest.fixture
def read(guests_packages, monkeypatch):
    workload = importlib.import_module("labs.cases.splice_push.workload")

    def of(guest):
        fetch = object.__new__(workload.Fetch)
        fetch.way, fetch.start, fetch.deadline_s = workload.Way("asked too much"), guest.now, workload.DEADLINE_S
        fetch.body, fetch.arrivals, fetch.ended = b"", [], workload.WHOLE
        fetch.socket, fetch._held = guest, guest.held
        monkeypatch.setattr(workload, "time", guest)
        monkeypatch.setattr(workload, "tcp_info", lambda socket: SimpleNamespace(data_segs_in=1))
        fetch._read()
        return fetch

    return of


REST = bytes(SIZE - AT_ONCE)
STOPS_S = (0.5, 0.9, 1.2, 1.4, 5.0)


@pytest.mark.parametrize("length_s", STOPS_S)
def test_one_stop_of_the_machine_is_no_two_looks(read, length_s):
    found = read(Guest({0.01: HEADER + bytes(AT_ONCE), 0.03: REST}, 0.02, length_s))
    assert found.ended == "all came" and len(found.body) == SIZE


@pytest.mark.parametrize("length_s", STOPS_S)
def test_what_never_comes_is_kept_back_and_seen_twice(read, length_s):
    guest = Guest({0.01: HEADER + bytes(AT_ONCE)}, 0.02, length_s)
    found = read(guest)
    first, second, *_ = guest.looks
    assert "no timer will send it" in found.ended and round(second - first, 3) >= 0.3


def test_what_came_between_two_looks_says_that_the_server_goes_on(read):
    parts = {0.01: HEADER + bytes(AT_ONCE), 1.2: bytes(10), 1.5: bytes(10), 1.8: bytes(SIZE - AT_ONCE - 20)}
    found = read(Guest(parts, 0.02, 0))
    assert found.ended == "all came"
