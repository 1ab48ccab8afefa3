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


def test_what_a_download_has_left_and_what_that_leads_to(guests_packages, monkeypatch):
    """A segment that is still on its way to the router, which drops it and sends an ICMP; that is captured there."""
    network = importlib.import_module("labs.cases.rtl8139_tso.network")
    net, router, server = object.__new__(network.Network), Peer("a segment"), Peer()

    def ping(*command):
        assert command[-1] == "10.8.1.2"
        server.pinged()
        router.pinged()
        server.under_way += ["an ICMP"] * len(router.came)
        router.came.clear()

    net.client = SimpleNamespace(on=ping)
    monkeypatch.setattr(net, "_connection_states", lambda name: set())
    net.settle("server")
    assert server.came == ["an ICMP"] and not server.under_way


def test_nobody_who_answers_no_ping_keeps_a_network_from_settling(guests_packages, monkeypatch):
    network = importlib.import_module("labs.cases.rtl8139_tso.network")
    net, pinged = object.__new__(network.Network), []

    def ping(*command):
        pinged.append(command)
        raise network.CommandFailed

    net.client = SimpleNamespace(on=ping)
    monkeypatch.setattr(net, "_connection_states", lambda name: set())
    net.settle("server")
    assert len(pinged) == 2


def test_packets_to_either_peer(guests_packages):
    measure = importlib.import_module("labs.cases.addr_select.exercises.ex3.measure")
    peers = {address: Peer("2001:db8:1::2", "2001:db8:1::2") for address in measure.PEERS}
    node = SimpleNamespace(on=lambda command: peers[command.split()[-1]].pinged())
    assert measure.arrived(SimpleNamespace(node=node), list(peers.values())) == [["2001:db8:1::2"] * 2] * 2
