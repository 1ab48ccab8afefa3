"""Is what is still under way when a workload has ended waited for, before it is counted?"""

import importlib
from types import SimpleNamespace


class Peer:
    """A host of the network: what is under way to it, in order, comes before the answer to a ping."""

    def __init__(self, *sources):
        self.under_way, self.came = list(sources), []

    def pinged(self):
        self.came += self.under_way
        self.under_way.clear()

    def recvfrom(self, size):
        if not self.came:
            raise BlockingIOError
        return b"?", (self.came.pop(0), 0)


def test_packets_to_either_peer(guests_packages):
    measure = importlib.import_module("labs.cases.addr_select.exercises.ex3.measure")
    peers = {address: Peer("2001:db8:1::2", "2001:db8:1::2") for address in measure.PEERS}
    node = SimpleNamespace(on=lambda command: peers[command.split()[-1]].pinged())
    assert measure.arrived(SimpleNamespace(node=node), list(peers.values())) == [["2001:db8:1::2"] * 2] * 2
