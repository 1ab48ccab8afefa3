"""Does `./lab shell CASE` open Mininet's prompt on the case's network, for a person who types and reads?"""

import contextlib
import os
import re
import secrets
import signal
import subprocess
import time
from functools import partial

import pexpect
import pytest

from tests.vm.conftest import REPOSITORY, wait_until, wake_s

PROMPT = "mininet> "
MOST_TIMES = 5
PATIENCE_S = 600  # for a guest that is not up yet, on a busy machine
OPEN = "client TIMEFORMAT='%R s'; exec 8<>/dev/tcp/10.0.0.2/7000 9<>/dev/tcp/10.0.0.2/7000"
ASK = "client for it in 8 9; do head -c 1448 /dev/zero >&$it; head -c 1448 <&$it | wc -c; done"
ROUTE = "client ip route get 10.0.0.2"


class Terminal(pexpect.spawn):
    """`./lab shell` with these words at a terminal of its own: what is typed there, and what is said."""

    def __init__(self, *words):
        dumb = os.environ | {"TERM": "dumb"}  # no colours, no codes
        lab, wide = str(REPOSITORY / "lab"), (40, 200)  # no line is broken
        heard = partial(signal.signal, signal.SIGHUP, signal.SIG_DFL)  # by nohup it may be ignored, and handed down
        calls = dict(timeout=PATIENCE_S, encoding="utf-8", env=dumb, dimensions=wide, preexec_fn=heard)
        super().__init__(lab, ["shell", *words], **calls)

    def said(self, until=PROMPT):
        """All that comes until this does, or the program's end."""
        self.expect_exact([until, pexpect.EOF])
        return self.before + (self.after if self.after == until else "")

    def types(self, line, until=PROMPT):
        """What is said to a line."""
        self.sendline(line)
        return self.said(until)

    def interrupted(self):
        """Ctrl-C at the prompt itself, until it has an effect: on a signal that comes between its last check and its
        select(), Python acts when a key comes (readline_until_enter_or_signal in Modules/readline.c)."""
        for _ in range(MOST_TIMES):
            self.sendintr()
            if self.expect_exact(["Interrupt", pexpect.TIMEOUT], timeout=2 * wake_s()) == 0:
                return self.goes_on()
        pytest.fail(f"no 'Interrupt' after {MOST_TIMES} times Ctrl-C, but {self.before!r}")

    def goes_on(self):
        """It reads lines again: Ctrl-C takes along one that comes in the same moment."""
        for number in range(MOST_TIMES):
            self.sendline(f"py 'line {number}'.upper()")
            if self.expect_exact([f"LINE {number}\r\n{PROMPT}", pexpect.TIMEOUT], timeout=2 * wake_s()) == 0:
                return
        pytest.fail(f"none of {MOST_TIMES} lines is answered, but {self.before!r}")


@pytest.fixture
def nothing_left(lab):
    """After the test the reader's VM, which goes on, has no network and no program of the case's. That it is the same
    VM a file in its memory says: one restored in its place would be clean, too."""
    look = (
        "ls -d /run/before-*; ls -d /tmp/lab-*; ip -o link | grep -v ' lo:'; "
        "ps -e -o args= | grep -E '^(haproxy|nginx|socat|cat$)|mininet:'"
    )

    def found():
        return lab("shell", "--", "sh", "-c", f"({look}) 2>/dev/null; true").stdout

    mark = f"/run/before-{secrets.token_hex(4)}"
    assert lab("shell", "--", "touch", mark).returncode == 0
    before = found()
    assert mark in before
    yield
    wait_until(lambda: found() == before)


def test_who_types_sees_the_network_and_the_fault_come_and_go(nothing_left):
    one = Terminal("frag-needed")
    assert "fault_on, fault_off, and help" in one.said()
    helped = one.types("help")
    assert "fault_on" in helped and "fault_off" in helped and "pingall" in helped and OPEN in helped
    assert "client client-eth0:lan-eth1" in one.types("net")
    assert "<Node client: client-eth0:10.0.0.1" in one.types("dump")
    assert "1 received" in one.types("client ping -c 1 balancer")

    told = one.types(ROUTE)
    assert "mtu 1480" in told and "expires" not in told
    one.types("fault_on")
    assert "mtu" not in one.types(ROUTE)
    one.types(OPEN)
    assert one.types(ASK).count("1448\r") == 2
    assert re.search(r"expires \d+sec mtu 1480", one.types(ROUTE))
    one.types("fault_on")  # once more: what was learnt is forgotten
    assert "mtu" not in one.types(ROUTE)
    one.types("fault_off")
    told = one.types(ROUTE)
    assert "mtu 1480" in told and "expires" not in told

    one.types("client ping balancer", until="icmp_seq=2")
    one.sendintr()  # once: Mininet hears of it, at the latest with ping's next line
    assert "ping statistics" in one.said()
    one.interrupted()
    one.types(OPEN)
    assert one.types(ASK).count("1448\r") == 2  # and the services have not heard of either
    one.types("exit", until="nothing comes any more")
    assert one.wait() == 0


def test_a_terminal_that_closes_takes_the_network_away(nothing_left):
    one = Terminal("frag-needed")
    one.said()
    one.types("fault_on")
    one.ptyproc.fileobj.close()  # and nothing else: one.close() would send it signals, too
    one.wait()


# Ends when the kernel is told to leave, or has left: one that runs nothing of it needs no time for that.
LEAVES = """echo looks; cd /sys/kernel/livepatch
for _ in $(seq 6000); do [ "$(cat lab_*/enabled 2>/dev/null)" = 1 ] || exit 0; sleep 0.01; done; exit 1"""


def interrupt_while_it_leaves(one, line, later_s):
    """Ctrl-C, so long after the kernel was told to leave the fault by what this line does."""
    looks = [str(REPOSITORY / "lab"), "shell", "--", "sh", "-c", LEAVES]
    with subprocess.Popen(looks, stdout=subprocess.PIPE, text=True) as leaves:
        assert leaves.stdout.readline() == "looks\n"
        one.types(line, until=f"{line}\r\n")
        assert leaves.wait(PATIENCE_S) == 0
    time.sleep(later_s)
    with contextlib.suppress(OSError):  # it has ended already
        one.sendintr()


@pytest.mark.part("machinery", why="how a livepatch comes out is held by tests of labs/trace, too")
@pytest.mark.parametrize("later_s", [0, 0.5, 2])  # the kernel takes seconds to leave what it runs
def test_ctrl_c_while_the_fault_is_taken_away_leaves_none(later_s, lab, nothing_left):
    one = Terminal("splice-push")
    one.said()
    assert "3.7's condition is in the kernel" in one.types("fault_on")
    interrupt_while_it_leaves(one, "fault_off", later_s)
    one.goes_on()
    said = one.types("fault_on")
    assert "3.7's condition is in the kernel" in said and "***" not in said
    interrupt_while_it_leaves(one, "exit", later_s)
    one.said(until="nothing comes any more")
    one.wait()
    held = lab("shell", "--", "sh", "-c", "ls -d /sys/kernel/livepatch/* /sys/module/lab_* 2>/dev/null; true")
    assert held.returncode == 0 and held.stdout == ""


def test_without_a_terminal_lines_are_read_as_they_come(lab):
    typed = lab("shell", "frag-needed", input="# a comment\nnet\nclient ping -c 1 server\nnonsense\nexit\ndump\n")
    assert typed.returncode == 0 and "*** Unknown command: nonsense" in typed.stderr
    assert "client client-eth0:lan-eth1" in typed.stdout and "1 received" in typed.stdout
    assert "<Node client" not in typed.stdout
    assert lab("shell", "--", "frag-needed").returncode == 127
