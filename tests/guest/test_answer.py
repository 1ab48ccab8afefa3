"""Does a script act on the hosts that it may, in whichever way it calls `on`, and is what became of it seen?"""

import contextlib

import pytest
from mininet.topo import Topo

from labs.net.topology import Topology
from labs.take.answer import applied

PARTS = "machinery"


class Two(Topo):
    def build(self):
        wire = self.addSwitch("wire", dpid="1")
        for number, name in enumerate(("left", "right"), 1):
            self.addLink(self.addHost(name, ip=f"10.9.0.{number}/24"), wire)


class Pair(Topology):
    topo = Two


@pytest.fixture(scope="module")
def ran():
    """ran(script, …): what became of it, where `left` is its own."""
    with Pair() as net, contextlib.ExitStack() as stack:
        pids = {name: node.pid for name, node in net.by_name.items()}
        yield lambda script, *variables, **more: stack.enter_context(
            applied(script, pids, {"left"}, variables=variables, **more)
        )


ADDRESS = "ip -br -4 address show dev left-eth0"


@pytest.mark.parametrize(
    "script",
    [
        f"on left {ADDRESS}",
        f"timeout 5 on left {ADDRESS}",
        f"echo left | xargs -I HOST on HOST {ADDRESS}",
        f"(cd / && sh -c 'on left {ADDRESS}')",
        f"PATH=/usr/sbin:/usr/bin:/sbin:/bin; on left {ADDRESS}",
        f"false; set -e; on left {ADDRESS}",
        f"grep -q nothing </dev/null\non left {ADDRESS}",
    ],
)
def test_it_acts_on_a_host_however_it_calls_on(ran, script):
    script = ran(script)
    assert script.status == 0 and not script.problems() and "10.9.0.1/24" in script.output, script


@pytest.mark.parametrize("call", ["on", "timeout 5 on"])
def test_another_host_is_refused_and_noted(ran, call):
    script = ran(f"{call} right true")
    assert (script.status, script.forbidden) == (97, ["right"])
    assert "leaves 'right' as it is; yours: left" in script.output
    script = ran(f"{call} moon true")
    assert (script.status, script.forbidden) == (2, []) and "there are: left right" in script.output


@pytest.mark.parametrize(
    "script, status",
    [
        ("DOWNLOAD='slow'", 0),
        ("export DOWNLOAD=slow; unset OTHER", 0),
        ("DOWNLOAD=slow\nexit 3", 3),
        ("set -eu; DOWNLOAD=slow; false; DOWNLOAD=fast", 1),
        ("trap 'echo bye' EXIT; DOWNLOAD=slow; (DOWNLOAD=fast; exit 4)", 4),
        ("IFS=OL; readonly DOWNLOAD=slow", 0),
        ("DOWNLOAD=slow\nif", 2),
    ],
)
def test_what_its_variables_held_at_its_end_is_seen(ran, script, status):
    found = ran(f"{script}\n", "DOWNLOAD", "OTHER")
    assert (found.status, found.variables) == (status, {"DOWNLOAD": "slow"}), found


def test_one_that_does_not_end_is_ended(ran):
    assert ran("sleep 100", deadline_s=1).problems() == ["it was still running after 1 s and was ended"]
