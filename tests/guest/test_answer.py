"""Does a script act on the hosts that it may, in whichever way it calls `on`, and is what became of it seen?"""

import contextlib
import time
from pathlib import Path

import pytest
from mininet.topo import Topo

from labs.measure.clock import idled_s
from labs.net.topology import Topology
from labs.take import answer
from labs.take.answer import applied
from labs.trace import objects

PARTS = "machinery"


class Two(Topo):
    def build(self):
        wire = self.addSwitch("wire", dpid="1")
        for number, name in enumerate(("left", "right"), 1):
            self.addLink(self.addHost(name, ip=f"10.9.0.{number}/24"), wire)


class Pair(Topology):
    topo = Two


@pytest.fixture(scope="module")
def run_answer():
    """run_answer(script, …): what became of it, where `left` is its own."""
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
def test_it_acts_on_a_host_however_it_calls_on(run_answer, script):
    script = run_answer(script)
    assert script.status == 0 and not script.problems() and "10.9.0.1/24" in script.output, script


def test_what_it_leaves_running_makes_nobody_else_busy(run_answer):
    run_answer("timeout 3 sh -c 'while :; do :; done' &")
    before_s, begin = idled_s(), time.monotonic()
    time.sleep(1)
    assert idled_s() - before_s > (time.monotonic() - begin) / 2


@pytest.mark.parametrize("call", ["on", "timeout 5 on"])
def test_another_host_is_refused_and_noted(run_answer, call):
    script = run_answer(f"{call} right true")
    assert (script.status, script.forbidden) == (97, ["right"])
    assert "leaves 'right' as it is; yours: left" in script.output
    script = run_answer(f"{call} moon true")
    assert (script.status, script.forbidden) == (2, []) and "there are: left right" in script.output


@pytest.mark.parametrize(
    "script, status",
    [
        ("DOWNLOAD='slow'", 0),
        ("export DOWNLOAD=slow; unset OTHER", 0),
        ("DOWNLOAD=slow\nexit 3", 3),
        ("set -eu; DOWNLOAD=slow; false; DOWNLOAD=fast", 1),
        ("trap 'echo bye' EXIT; DOWNLOAD=slow; (DOWNLOAD=fast; exit 4)", 4),
        ("trap 'echo bye' EXIT; DOWNLOAD=slow; (DOWNLOAD=fast; exit 4); false; exit", 1),
        ("trap 'exit 5' EXIT; DOWNLOAD=slow; exit 0", 5),
        ("IFS=OL; readonly DOWNLOAD=slow", 0),
        ("DOWNLOAD=slow\nif", 2),
    ],
)
def test_what_its_variables_held_at_its_end_is_seen(run_answer, script, status):
    found = run_answer(f"{script}\n", "DOWNLOAD", "OTHER")
    assert (found.status, found.variables) == (status, {"DOWNLOAD": "slow"}), found


def test_one_that_does_not_end_is_ended(run_answer):
    found = run_answer("sleep 100", deadline_s=1)
    assert found.problems()[0][0] == "in-time" and 1 <= found.took_s < 100, found


def test_its_own_time_is_seen_without_that_of_what_it_leaves_running(run_answer):
    assert 0.3 <= run_answer("sleep 0.3; tail -f /dev/null &").took_s < 100


@pytest.mark.parametrize(
    "script, said",
    [
        ("echo 9 mine >>/etc/iproute2/rt_tables && on left ip route add 10.8.0.0/16 dev left-eth0 table mine", ""),
        ("on left sysctl -w net.ipv4.ip_forward=1", "net.ipv4.ip_forward = 1"),
        ("on left sh -c 'echo 2 >/proc/sys/net/ipv4/tcp_ecn; sysctl net.ipv4.tcp_ecn'", "net.ipv4.tcp_ecn = 2"),
        ("on left iptables -A OUTPUT -p tcp -j ACCEPT; on left iptables-save", "-A OUTPUT -p tcp -j ACCEPT"),
        ("on left tc qdisc add dev left-eth0 root netem delay 1ms; on left tc qdisc", "netem"),
        ("on left ip link add dummy9 type dummy; on left ip -br link", "dummy9"),
        ("on left ethtool -K left-eth0 tso off; on left ethtool -k left-eth0", "tcp-segmentation-offload: off"),
        ("on left ping -n -c 1 10.9.0.2", " 1 received"),
        ("on left tcpdump -c 1 -ni left-eth0 icmp & on left ping -n -c 20 -i 0.5 10.9.0.2; wait", "1 packet captured"),
        ("file=$(mktemp); echo kept >$file; cat $file <(echo there) - <<<here", "kept\nthere\nhere"),
    ],
)
def test_an_administrators_commands_work(run_answer, script, said):
    found = run_answer(script)
    assert found.status == 0 and said in found.output, found


# A system call that has no command, as a script may make it.
CALL = """python3 -c 'import ctypes, os; libc = ctypes.CDLL(None, use_errno=True)
if libc.syscall({}) < 0: raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))'"""
# Each leads out where root's files and CAP_SYS_ADMIN are all that it takes.
WAYS_OUT = {
    "mount": "mount --bind /tmp /usr/bin",
    "remount": "mount -o remount,rw,bind /proc/sys",
    "unmount": "umount /proc/sys",
    "new-mounts": "unshare --mount mount -t tmpfs tmpfs /mnt",
    "user-namespace": "unshare --user --map-root-user --mount mount -t tmpfs tmpfs /mnt",
    "inits-mounts": "nsenter --mount=/proc/1/ns/mnt true",
    "inits-root": "ls /proc/1/root/",
    "inits-output": "echo forged >/proc/1/fd/1",
    "inits-memory": "cat /proc/1/mem",
    "a-namespace-of-any-kind": CALL.format('308, os.open("/proc/self/ns/mnt", 0), 0'),
    "disk": "mknod /tmp/disk b 254 0",
    "core-pattern": "echo x >/proc/sys/kernel/core_pattern",
    "sys": "echo 0 >/sys/module/tcp_cubic/parameters/hystart",
    "clock": "date -s 2020-01-01",
    "module": "insmod /lib/modules/$(uname -r)/kernel/drivers/net/dummy.ko",
    "bpf": CALL.format("321, 5, bytes(128), 128"),
    "perf": CALL.format("298, bytes(128), 0, -1, -1, 0"),
    "file-by-number": CALL.format('304, os.open(".", 0), bytes(16), 0'),
    "who-opens-a-file": CALL.format("300, 4, 2"),
}


@pytest.mark.parametrize("script", WAYS_OUT.values(), ids=WAYS_OUT)
def test_no_way_leads_out(run_answer, script):
    found = run_answer(script)
    assert found.status and found.refused, found


def test_what_it_writes_nobody_else_has_and_it_sees_nobody(run_answer):
    script = run_answer(
        "for path in /usr/bin/strace /etc/forged /tmp/forged; do echo forged >$path; done; ls /proc /run"
    )
    assert script.status == 0
    assert max(int(line) for line in script.output.split() if line.isdigit()) < 100, script
    assert "sshd" not in script.output, script  # /run/sshd
    assert Path("/usr/bin/strace").read_bytes()[:4] == b"\x7fELF"
    assert not Path("/etc/forged").exists() and not Path("/tmp/forged").exists()
    script = run_answer("exec 3<>/dev/tcp/127.0.0.1/22")  # sshd's, in the guest's own network
    assert script.status and "unreachable" in script.output, script


def test_no_object_of_a_tracer_is_replaced(run_answer):
    """Who attached another one would see what the answer likes."""

    def contents():
        return {object: object.read_bytes() for folder in folders for object in folder.glob("*.o")}

    folders = (objects.KEPT, objects.BROUGHT)
    before = contents()
    script = run_answer(
        f"for folder in {' '.join(map(str, folders))}; do mkdir -p $folder; "
        f"for name in {' '.join(object.name for object in before)} {'0' * 16}.o; "
        "do echo forged >$folder/$name; done; cat $folder/*; done"
    )
    assert before and script.status == 0 and script.output.count("forged") > len(before), script
    assert contents() == before


# In the folder that it shares with its taker, which reads there what became of it and clears it away.
LEASE = """python3 -c 'import fcntl, os, signal, sys, time
signal.signal(signal.SIGIO, signal.SIG_IGN)
fcntl.fcntl(os.open(sys.argv[1], os.O_WRONLY), fcntl.F_SETLEASE, fcntl.F_WRLCK)
time.sleep(60)' "$LAB_FORBIDDEN" &
sleep 2"""
IN_ITS_FOLDER = {
    "fifo": "mkfifo $LAB_FORBIDDEN log2; mv log2 log",
    "folders": "mkdir $LAB_FORBIDDEN; rm log; mkdir log",
    "link": "rm log; ln -s /etc/shadow log; ln -s /etc/shadow $LAB_FORBIDDEN",
    "lease": f"touch $LAB_FORBIDDEN; {LEASE}",
    "files-without-end": "while :; do : >$RANDOM; done & sleep 0.2",
    "deep": 'python3 -c \'import os\nfor _ in range(1500): os.mkdir("a"); os.chdir("a")\'',
    "full": "yes >file; true",
}


@pytest.mark.parametrize("script", IN_ITS_FOLDER.values(), ids=IN_ITS_FOLDER)
def test_what_it_does_to_its_folder_holds_nobody_up(script):
    before = set(Path("/tmp").glob("answer-*"))  # of answers whose blocks are open
    with Pair() as net:
        began = time.monotonic()
        with applied(script, {"left": net["left"].pid}, {"left"}) as found:
            assert found.status == 0 and found.forbidden == [] and "root:" not in found.output, found
        assert time.monotonic() - began < 20
    assert set(Path("/tmp").glob("answer-*")) == before


def test_what_it_left_running_goes_on_until_the_block_ends():
    def sleeps():
        return net["left"].on("sh", "-c", "pgrep -xc sleep || true").strip()

    with Pair() as net:
        assert sleeps() == "0"
        with applied("on left sleep 60 & sleep 0.1", {"left": net["left"].pid}, {"left"}) as script:
            assert script.status == 0 and sleeps() == "1"
        assert sleeps() == "0"


@pytest.mark.parametrize("script", ["while :; do :; done", "while :; do /bin/true; done & wait"])
def test_a_busy_one_is_ended_by_its_processor_time(monkeypatch, run_answer, script):
    monkeypatch.setattr(answer, "processor_limit_s", 1)
    found = run_answer(script, deadline_s=60)
    assert (found.status, found.busy_s) == (None, 1) and found.took_s < 60


def test_an_idle_one_is_ended_by_its_deadline(monkeypatch, run_answer):
    """Its shells and `sleep`s take some processor time too, and more of it where the machine is busy."""
    monkeypatch.setattr(answer, "processor_limit_s", 8)
    found = run_answer("sleep 2; sleep 60", deadline_s=10)
    assert (found.status, found.busy_s) == (None, 0) and found.took_s >= 10


def test_when_memory_is_short_it_is_ended_before_its_judge(run_answer):
    assert run_answer("cat /proc/self/oom_score_adj").output == "1000\n"


@pytest.mark.parametrize("script, status", [("exit 3", 3), ("kill -9 $$", 137), ("kill -9 0", 137)])
def test_its_status_is_a_shells(run_answer, script, status):
    assert run_answer(script).status == status
