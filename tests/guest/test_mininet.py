"""Does stock Mininet, `mn`, build the network of each case, and leave the guest as it was?"""

import re
import subprocess
from pathlib import Path

import pytest
from test_topology import left_behind  # pytest puts this folder on the path

from core.cases import cases
from labs.case import module

PARTS = "machinery"


def mn(case, *words):
    """What stock Mininet says when it builds a case's network; its exit status is 0 whatever happens."""
    file = f"labs/cases/{case.replace('-', '_')}/network.py"
    call = ["mn", "--custom", file, "--topo", case, "--switch", "lxbr", *words]
    done = subprocess.run(call, capture_output=True, text=True, timeout=300)
    said = done.stdout + done.stderr
    assert "completed in" in said and "Error" not in said, said
    return said


@pytest.mark.parametrize("case", cases())
def test_stock_mininet_builds_the_network_of_each_case(case):
    before, limit = left_behind(), Path("/proc/sys/net/ipv4/tcp_rmem").read_text()
    said = mn(case, "--test", "none")
    topo = module(cases()[case], "network").topos[case]()
    assert all(name in said for name in topo.nodes())
    assert left_behind() == before
    assert Path("/proc/sys/net/ipv4/tcp_rmem").read_text() == limit  # which Mininet alone would have raised


def test_with_traffic_control_stock_mininet_has_our_delays(tmp_path):
    """2 ms there and 2 ms back, and not twice as much: on both ends of each link the same delay would be that."""
    typed = tmp_path / "typed"
    hosts = ("client", "balancer", "server")
    lines = ["sh tc qdisc show", *(f"{host} tc qdisc show" for host in hosts), "client ping -c 1 server"]
    typed.write_text("".join(f"{line}\n" for line in lines))
    said = mn("frag-needed", "--link", "tc", "--test", "none", "--post", str(typed))
    delayed = re.findall(r"netem .*dev (\S+) .*delay 2ms", said)
    assert sorted(delayed) == ["lan-eth1", "lan-eth2", "lan-eth3"], said
    assert all(f"dev {host}-eth0" in said for host in hosts), said
    assert float(re.search(r"min/avg/max/mdev = ([\d.]+)", said)[1]) >= 4
