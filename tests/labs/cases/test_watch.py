"""Has an exchange its own packets, also if the machine stood still while its beginning was noted?"""

import importlib
from types import SimpleNamespace

from core.wire.packet import Packet
from labs.cases.frag_needed.names import CLIENT, VIP
from labs.cases.frag_needed.observed import Observed

STOP_S = 0.5


class Clocks:
    """Both clocks, of a machine that stands still after one was read for the first time."""

    def __init__(self):
        self.now, self.left_s = 1000.0, STOP_S

    def read(self):
        read_s, self.now = self.now, self.now + self.left_s
        self.left_s = 0
        return read_s

    time = monotonic = read


def test_a_stop_between_two_clocks_leaves_an_exchange_its_packets(guests_packages, monkeypatch):
    workload = importlib.import_module("labs.cases.frag_needed.workload")
    clocks, packets = Clocks(), []
    monkeypatch.setattr(workload, "time", clocks)

    def ask(size):
        for src, dst in ((CLIENT, VIP), (VIP, CLIENT)):
            clocks.now += 0.005
            packets.append(Packet(clocks.now, src, dst, "tcp"))
        return 1448, None

    watch = object.__new__(workload.Watch)
    watch.connections, watch.exchanges = {"A": SimpleNamespace(info=lambda: None, ask=ask)}, []
    watch.instruments = SimpleNamespace(clock=SimpleNamespace(begin=lambda: None, late_ms=lambda: STOP_S * 1e3))
    watch.ask("A")
    assert Observed(watch.exchanges, packets, {}).during("A") == packets
