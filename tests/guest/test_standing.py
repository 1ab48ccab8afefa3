"""Is a network that stands already given out once, and as it was when it was made?"""

import pytest

from labs.net.topology import Topo, Topology
from labs.take import standing
from labs.take.settings import settings


class One(Topo):
    """A single host."""

    def build(self):
        self.addLink(self.addHost("single", ip="10.0.0.1/24"), self.addSwitch("lan", dpid="1"))


class Alone(Topology):
    topo = One


class AloneToo(Alone):
    """Another kind."""


@pytest.fixture
def two_up():
    """Two of a kind; whatever nobody has taken is closed."""
    standing.bring_up(Alone, 2)
    yield
    for net in standing._up:
        net.close()
    standing._up.clear()
    standing._settings.clear()


def test_each_is_given_out_once_and_only_as_its_kind(two_up):
    up = set(standing._up)
    with standing.taken(AloneToo) as other, standing.taken(Alone) as first, standing.taken(Alone) as second:
        assert other not in up and {first, second} == up
        with standing.taken(Alone) as third:
            assert third not in up and third.single.on("ip -o addr show dev single-eth0")


def test_one_that_is_asked_for_as_it_comes_is_one_of_them(two_up):
    class Told(Alone):
        """A kind that can be told something."""

        def __init__(self, told=False):
            self.told = told
            super().__init__()

    standing.bring_up(Told, 1)
    up, network = set(standing._up), standing.taken_first(Told)
    with network(told=True) as new, network(True) as other, network() as first:
        assert new not in up and new.told and other not in up and other.told
        assert first in up and not first.told


def test_how_its_hosts_were_set_is_known_once(two_up):
    with standing.taken(Alone) as net:
        before = settings(net.single)
        net.single.on("ip route add 10.8.0.0/24 dev single-eth0")
        assert standing.settings_so_far(net.single) == before
        assert [line for line in standing.settings_so_far(net.single) if "10.8.0.0/24" in line]


def test_what_was_seen_of_a_network_is_given_out_once():
    def look(net):
        return net.single.on("ip -o addr show dev single-eth0")

    assert standing.measured(look) is None
    standing.measure(look, Alone)
    assert "10.0.0.1/24" in standing.measured(look) and standing.measured(look) is None
