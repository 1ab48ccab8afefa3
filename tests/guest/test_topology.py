"""Do hosts come up as described, tell what failed, and leave nothing behind, whatever happens?"""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from labs.errors import CannotTry
from labs.net import card
from labs.net.topology import PINNED, Card, CommandFailed, NotReady, Port, Topology, Wire


class Pair(Topology):
    """Two hosts on one wire."""

    wire = Wire("wire", mtu=1400, delay_ms=3)
    ports = (Port("left", wire, ("10.9.0.1/24",)), Port("right", wire, ("10.9.0.2/24", "10.9.0.3/32")))


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
        assert "lo" in pair["left"].cmd("ip link | grep lo; false")
    assert left_behind() == before


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
    assert running.returncode == 130 and "undone" in said
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
