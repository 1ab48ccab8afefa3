"""Do hosts come up as described, tell what failed, and leave nothing behind, whatever happens?"""

import os
import pty
import re
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from mininet.link import Link
from mininet.net import Mininet
from mininet.node import Host, Switch
from mininet.node import Node as MininetNode

from labs.errors import CannotTry
from labs.net import card
from labs.net.topology import PINNED, Card, CommandFailed, NotReady, Topo, Topology


class Two(Topo):
    """Hosts on one bridge."""

    def build(self):
        wire, slow = self.addSwitch("wire", dpid="1"), {"mtu": 1400, "params2": {"delay": "3ms"}}
        self.addLink(self.addHost("left", ip="10.9.0.1/24"), wire, **slow)
        self.addLink(self.addHost("right", ip="10.9.0.2/24"), wire, params1={"also": ["10.9.0.3/32"]}, **slow)


class Pair(Topology):
    topo = Two


class Three(Two):
    """And another host, on the same bridge."""

    def build(self):
        super().build()
        slow = {"mtu": 1400, "params2": {"delay": "3ms"}}
        self.addLink(self.addHost("later", ip="10.9.0.9/24"), "wire", **slow)


class Trio(Topology):
    topo = Three


def left_behind():
    """What a topology could leave: processes, namespaces, links of the guest's own, folders."""
    processes = {pid for pid in os.listdir("/proc") if pid.isdigit() and _command(pid)}
    links = subprocess.run(["ip", "-o", "link"], capture_output=True, text=True).stdout.count("\n")
    return processes, links, sorted(Path("/tmp").glob("lab-*"))


def _command(pid):
    """The command line; empty for threads of the kernel, which come and go."""
    try:
        return Path(f"/proc/{pid}/cmdline").read_bytes()
    except OSError:
        return b""


def test_a_host_that_comes_later_is_as_one_from_the_start():
    before = left_behind()
    with Trio() as trio, Pair() as pair:
        pair.extend(Three())
        assert pair.describe() == trio.describe() and [*pair.by_name] == [*trio.by_name]
        for net in (pair, trio):
            sent = net.left.on("ping -n -c 2 -i 0.2 10.9.0.9")
            *_, last_ms = re.findall(r"time=([\d.]+)", sent)  # the first one waits for ARP as well
            assert 6 <= float(last_ms), sent  # the delay of both ends
            assert "tcp-segmentation-offload: off" in net.later.on("ethtool -k later-eth0")
            assert net.later.on("sysctl -n net.ipv4.tcp_no_metrics_save").strip() == "1"
    assert left_behind() == before


def test_hosts_are_as_described_and_gone_at_the_end():
    before = left_behind()
    with Pair() as pair:
        described = pair.describe()
        assert described["segments"] == [{"name": "wire", "mtu": 1400, "delay_ms": 3}]
        assert described["ports"][1] == {
            "node": "right",
            "interface": "right-eth0",
            "segment": "wire",
            "mtu": 1400,
            "addresses": ["10.9.0.2/24", "10.9.0.3/32"],
        }
        shown = pair["right"].on("ip -br address show right-eth0")
        assert "10.9.0.2/24" in shown and "10.9.0.3/32" in shown
        assert "mtu 1400" in pair["left"].on("ip link show left-eth0")
        # There and back, 3 ms each at least; a packet of more than the MTU does not leave.
        answer = pair["left"].on("ping -c 1 -M do -s 1372 10.9.0.2")
        assert float(answer.partition("time=")[2].split()[0]) >= 6
        with pytest.raises(CommandFailed, match="too long|Message too long"):
            pair["left"].on("ping -c 1 -M do -s 1373 10.9.0.2")
    assert left_behind() == before


def test_what_mininet_knows_is_there():
    with Pair() as net:
        assert isinstance(net, Mininet) and isinstance(net.topo, Two)
        assert [host.name for host in net.hosts] == ["left", "right"] and isinstance(net.left, Host)
        assert [str(link) for link in net.links] == ["left-eth0<->wire-eth1", "right-eth0<->wire-eth2"]
        assert isinstance(net.links[0], Link) and net.links[0].status() == "(OK OK)"
        assert list(net) == ["left", "right", "wire"] and net["left"] is net.get("left") is net.left
        assert net.left.connectionsTo(net["wire"]) == [(net.left.intf(), net["wire"].intf("wire-eth1"))]
        assert net.right.IP() == net.right.intf().updateIP() == "10.9.0.2"
        assert net.left.MAC() in net.left.cmd("ip link show left-eth0")
        assert isinstance(net["wire"], Switch) and "master wire" in net["wire"].cmd("ip link show wire-eth2")
        assert net.pingPair() == 0


def test_a_host_has_a_bash_from_when_it_is_first_typed_into():
    """As Mininet's command line does it: what is typed goes to a shell that stays."""
    before = left_behind()
    with Pair() as pair:
        assert not pair.left.processes()
        for node, said in ((pair.left, "left-eth0"), (pair["wire"], "wire-eth1")):
            node.sendCmd("cd /proc; it=here")
            node.waitOutput()
            node.sendCmd("pwd; echo $it; ip -o link")
            typed = node.waitOutput()
            assert typed.startswith("/proc\r\nhere\r\n") and said in typed
        pair.left.sendCmd("ping 10.9.0.2")
        said = ""
        while "icmp_seq=1" not in said:
            said += pair.left.monitor()
        pair.left.sendInt()
        assert "transmitted" in pair.left.waitOutput()
    assert left_behind() == before


def test_cmd_is_mininet_s():
    """What it begins in the background goes on, what it sets stays, and all that is said comes back."""
    with Pair() as pair:
        pair.left.cmd("sleep 1000 &")
        assert len(pair.left.processes()) == 2  # bash, too
        pair.left.cmd("cd /proc; it=here")
        assert pair.left.cmd("pwd;", "echo $it") == "/proc\r\nhere\r\n"
        assert "nosuch" in pair.left.cmd("ls /nosuch | cat; false")


@pytest.mark.parametrize("moment", ["openpty", "_popen", "read", "sendCmd"])
def test_ctrl_c_while_the_bash_of_a_host_starts_leaves_the_host_as_it_was(moment, monkeypatch):
    def interrupted(*_, **__):
        raise KeyboardInterrupt

    with Pair() as pair:
        before, open_before = left_behind(), os.listdir("/proc/self/fd")
        with monkeypatch.context() as once, pytest.raises(KeyboardInterrupt):
            once.setattr(pty if moment == "openpty" else MininetNode, moment, interrupted)
            pair.left.cmd("echo")
        assert left_behind() == before and os.listdir("/proc/self/fd") == open_before
        assert pair.left.pid and not pair.left.waiting and not pair.left.processes()
        assert pair.left.cmd("echo here") == "here\r\n"


@pytest.mark.parametrize("ends", [Topology.stop, lambda pair: pair.left.terminate()])
def test_what_is_ended_by_mininet_s_own_calls_is_gone(ends):
    before = left_behind()
    with Pair() as pair:
        pair.serve(pair.left, 9, "sleep", "1000")
        pair.left.cmd("sleep 1000 &")
        ends(pair)
    assert left_behind() == before


def test_a_delay_may_be_less_than_a_millisecond():
    class Quick(Topo):
        """One host."""

        def build(self):
            self.addLink(self.addHost("left"), self.addSwitch("wire", dpid="1"), params2={"delay": "0.5ms"})

    class Net(Pair):
        topo = Quick

    with Net() as net:
        assert net.describe()["segments"] == [{"name": "wire", "mtu": 1500, "delay_ms": 0.5}]
        delay = re.search(r"delay (\d+)us", net["wire"].cmd("tc qdisc show dev wire-eth1"))
        assert 490 <= int(delay[1]) <= 500  # of the kernel's ticks


def test_links_of_one_switch_are_alike():
    class Unlike(Topo):
        """One end says another MTU."""

        def build(self):
            self.addSwitch("wire", dpid="1")
            self.addLink(self.addHost("left"), "wire", mtu=1400)
            self.addLink(self.addHost("right"), "wire")

    class Net(Pair):
        topo = Unlike

    before = left_behind()
    with pytest.raises(ValueError, match="the switch wire, found MTU 1400, delay None; MTU 1500"):
        Net()
    assert left_behind() == before


def test_links_and_hosts_keep_the_order_in_which_the_topo_names_them():
    class Crossed(Topo):
        """Neither of its orders is the alphabet's, nor the one in which Topo.links() has them."""

        def build(self):
            self.addSwitch("middle", dpid="1")
            self.addSwitch("end", dpid="2")
            self.addHost("zeta", ip="10.9.0.1/24", defaultRoute="via 10.9.0.2")
            self.addHost("alpha", ip="10.9.0.2/24")
            self.addLink("alpha", "middle")
            self.addLink("zeta", "middle")
            self.addLink("zeta", "end", params1={"ip": "10.9.1.1/24"})

    class Net(Pair):
        topo = Crossed

    with Net() as net:
        described = net.describe()
        assert [port["interface"] for port in described["ports"]] == ["zeta-eth0", "zeta-eth1", "alpha-eth0"]
        assert [port["addresses"] for port in described["ports"]] == [["10.9.0.1/24"], ["10.9.1.1/24"], ["10.9.0.2/24"]]
        assert [segment["name"] for segment in described["segments"]] == ["middle", "end"]
        assert described["segments"][0] == {"name": "middle", "mtu": 1500, "delay_ms": 0}
        assert list(net.by_name) == [host.name for host in net.hosts] == ["zeta", "alpha"]
        assert "default via 10.9.0.2 dev zeta-eth0" in net.zeta.on("ip route")


def test_settings_are_pinned_in_the_hosts_only():
    own = Path("/proc/sys/net/ipv4/tcp_no_metrics_save").read_text()
    with Pair() as pair:
        for name, value in PINNED.items():
            assert pair["left"].on("cat", f"/proc/sys/{name}").split() == value.split()
        assert Path("/proc/sys/net/ipv4/tcp_no_metrics_save").read_text() == own == "0\n"


def test_two_at_once_do_not_meet():
    before = left_behind()
    with Pair() as one, Pair() as other:
        one["left"].on("ip address add 10.9.0.77/24 dev left-eth0")
        assert "10.9.0.77" not in other["left"].on("ip address")
        other.close()
        assert other.describe() == one.describe()  # what they were
        one["left"].on("ping -c 1 10.9.0.2")
    assert left_behind() == before


def test_an_interrupt_in_the_middle_leaves_nothing():
    class Interrupted(Pair):
        def configure(self):
            self["left"].start("sleep", "1000")
            raise KeyboardInterrupt

    before = left_behind()
    with pytest.raises(KeyboardInterrupt):
        Interrupted()
    with pytest.raises(KeyboardInterrupt):
        with Pair():
            raise KeyboardInterrupt
    assert left_behind() == before


def test_what_an_answer_leaves_running_is_ended():
    before = left_behind()
    with Pair() as pair:
        pair["left"].on("sh", "-c", "setsid sleep 1000 >/dev/null 2>&1 & ")
        assert len(pair["left"].processes()) == 1
    assert left_behind() == before


def test_errors_tell_command_status_and_words():
    with Pair() as pair:
        with pytest.raises(CommandFailed, match=r"on left: `ip link show nosuch` .*status 1(.|\n)*does not exist"):
            pair["left"].on("ip link show nosuch")
        with pytest.raises(CannotTry, match="no command 'no-such-tool'"):
            pair["left"].on("no-such-tool")
        with pytest.raises(NotReady, match="(?s)listen on port 9 of left.*last words"):
            pair.serve(pair["left"], 9, "sh", "-c", "echo last words; exit 1").wait()


def test_a_module_that_is_not_there_is_no_verdict():
    class Exotic(Pair):
        modules = ("no_such_module",)

    before = left_behind()
    with pytest.raises(CannotTry, match="no_such_module"):
        Exotic()
    assert left_behind() == before


def test_ctrl_c_in_the_moment_in_which_its_folder_is_made_leaves_nothing(monkeypatch):
    make, before = Path.mkdir, left_behind()

    def interrupted(path, *words, **options):
        make(path, *words, **options)
        raise KeyboardInterrupt

    monkeypatch.setattr(Path, "mkdir", interrupted)
    with pytest.raises(KeyboardInterrupt):
        Pair()
    assert left_behind() == before


@pytest.mark.parametrize("moment", ["/tmp/lab-*", "/tmp/lab-*/client.pcap"])
def test_ctrl_c_at_the_command_line_leaves_nothing(moment):
    before = left_behind()
    running = subprocess.Popen(
        [sys.executable, "-m", "labs", "run", "frag-needed"],
        stderr=subprocess.PIPE,
        stdout=subprocess.DEVNULL,
        text=True,
    )
    pattern = moment.removeprefix("/tmp/")
    while not list(Path("/tmp").glob(pattern)) and running.poll() is None:
        time.sleep(0.01)
    running.send_signal(signal.SIGINT)
    said = running.communicate(timeout=60)[1]
    assert running.returncode == 130 and "undone" in said, (running.returncode, said)
    assert left_behind() == before


def test_a_card_of_the_guest_goes_to_a_host_and_comes_home():
    """A veth stands for the card: it is moved by the same calls, and is there in every guest."""
    subprocess.run("ip link add near address 02:00:00:00:00:01 type veth peer name far", shell=True, check=True)

    class WithCard(Pair):
        cards = (FakeCard("left", "left-card", "02:00:00:00:00:01", ("10.9.8.1/24",), "", ("tso", "off"), 1300),)

    try:
        before = left_behind()
        for _ in range(2):
            with WithCard() as pair:
                assert "10.9.8.1/24" in pair["left"].on("ip -br address show left-card")
                assert "mtu 1300" in pair["left"].on("ip link show left-card")
                assert "tcp-segmentation-offload: off" in pair["left"].on("ethtool -k left-card")
                assert pair.describe()["cards"][0]["interface"] == "left-card"
            assert left_behind() == before
    finally:
        subprocess.run("ip link delete far", shell=True, check=True)


class FakeCard(Card):
    """A link without a device behind it, and so without a driver."""

    def _driven(self, link):
        return link.name


def test_a_card_that_is_not_there_is_no_verdict(monkeypatch):
    class Without(Pair):
        cards = (Card("left", "left-card", "02:00:00:00:00:99", (), "8139cp"),)

    monkeypatch.setattr(card, "COMES_HOME_S", 0.2)
    before = left_behind()
    with pytest.raises(CannotTry, match="02:00:00:00:00:99"):
        Without()
    assert left_behind() == before
