"""Is a kernel parameter seen that somebody sets and puts back?"""

import pytest

from labs.net.topology import Topo, Topology
from labs.net.written import Written

PARTS = "machinery"
NAME = "net/ipv4/route/mtu_expires"


class Two(Topo):
    def build(self):
        wire = self.addSwitch("wire", dpid="1")
        self.addLink(self.addHost("near", ip="10.0.0.1/24"), wire)
        self.addLink(self.addHost("far", ip="10.0.0.2/24"), wire)


class Net(Topology):
    topo = Two


@pytest.fixture(scope="module")
def net():
    with Net() as net:
        yield net


def test_what_is_put_back_at_once_is_seen(net):
    with Written(net.near, NAME) as written:
        for value in ("7", "600"):
            net.near.on("sysctl", "-w", f"net.ipv4.route.mtu_expires={value}")
    assert written.values == ["7", "600"]


def test_another_host_s_is_another_and_to_look_at_it_is_no_write(net):
    with Written(net.near, NAME) as written:
        net.near.on("sysctl", "-a")
        net.far.on("sysctl", "-w", "net.ipv4.route.mtu_expires=7")
    assert written.values == []
