"""Is it noted, of each answer that is waited for, for how long the machine stood still meanwhile?"""

import contextlib
import importlib
from types import SimpleNamespace

import pytest

from labs.errors import RAN_ON, CouldNotTell

STOP_MS = 5100.0


class Clock:
    """A StallDetector on a machine that stands still whenever `stop()` says so."""

    held_up_ms = 0.0

    def __enter__(self):
        return self

    def __exit__(self, *_):
        pass

    def begin(self):
        self.held_up_ms = 0.0

    def stop(self):
        self.held_up_ms = STOP_MS

    def late_ms(self):
        return self.held_up_ms


@pytest.fixture
def clock():
    return Clock()


def test_each_way_in_which_a_service_is_used(guests_packages, monkeypatch, clock):
    serving = importlib.import_module("labs.cases.addr_select.cure.serving")

    def heard(way, net, address):
        if way.__name__ != "tcp":
            return address
        clock.stop()
        return ""

    monkeypatch.setattr(serving, "sender_heard", heard)
    monkeypatch.setattr(serving, "StallDetector", lambda: clock)
    for use in serving.used(None):
        assert (use.ping, use.tcp, use.udp, use.sends) == (use.service, "", use.service, use.service)
        assert use.held_up_ms == {"ping": 0, "tcp": STOP_MS, "udp": 0, "sends": 0}
        assert [way for way in use.held_up_ms if use.untold(way)] == ["tcp"]


def silent(clock, stops):
    """Sockets of which one hears nothing, in time or because the machine stops."""

    def recvfrom(size):
        if stops:
            clock.stop()
        raise TimeoutError

    return SimpleNamespace(sendto=lambda *_: None), SimpleNamespace(recvfrom=recvfrom)


@pytest.mark.parametrize("stops", [True, False])
def test_a_ping_of_the_firewall(guests_packages, clock, stops):
    knocking = importlib.import_module("labs.cases.rtl8139_tso.exercises.ex1.knocking")
    with pytest.raises(CouldNotTell if stops else knocking.NotReady) as raised:
        knocking.ping(*silent(clock, stops), 7, clock)
    assert not stops or raised.value.check == RAN_ON


def test_objects_that_several_clients_get_at_the_same_time(guests_packages, monkeypatch, clock):
    asking = importlib.import_module("labs.cases.splice_push.delivery.asking")

    class Client:
        made = 0

        def __init__(self, net, size, first, stack, tracer=None):
            self.asked, self.number = asking.Asked(size, "together", 1, 0, first=first), Client.made
            Client.made += 1

        def read(self, size, until_s):
            if self.number == 3:
                clock.stop()

        leave = contextlib.nullcontext

    monkeypatch.setattr(asking, "Client", Client)
    clock.stop()  # before
    found = asking.asked_together(None, None, clock)
    assert [one.held_up_ms for one in found] == [STOP_MS, 0, STOP_MS, STOP_MS]
