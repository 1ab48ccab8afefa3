"""Is a kernel parameter seen that somebody sets and puts back?"""

import pytest

from labs.net.topology import Topo, Topology
from labs.net.written import Written
from labs.take.answer import applied

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
    # sysctl(8) empties the file first, which is told of as well: what it held then is what it held before.
    assert "7" in written.values and written.values[-1] == "600", written.values


def test_a_script_behind_its_wall_is_seen(net):
    with Written(net.near, NAME) as written:
        with applied("on near sysctl -w net.ipv4.route.mtu_expires=7", {"near": net.near.pid}, {"near"}) as script:
            pass
        net.near.on("sysctl", "-w", "net.ipv4.route.mtu_expires=600")
    assert script.status == 0 and "7" in written.values and written.values[-1] == "600", written.values


def test_another_host_s_is_another_and_to_look_at_it_is_no_write(net):
    with Written(net.near, NAME) as written:
        net.near.on("sysctl", "-a")
        net.far.on("sysctl", "-w", "net.ipv4.route.mtu_expires=7")
    assert written.values == []
