"""Does a stack of a kernel of 32 bits fit what was told of one of 64, and say why its names are others?"""

from labs.trace import expected
from labs.trace.expected import Expected, beside, for_bits
from labs.trace.stacks import State, match, parse
from labs.trace.tracer import Event

TOLD = """\
tcp_v4_err
__do_softirq => handle_softirqs : split off
asm_sysvec_apic_timer_interrupt ? softirqs also run in ksoftirqd
sock_sendmsg => __sock_sendmsg : split off, too
__x64_sys_writev ~ ends in a call of do_writev()
sys_sendto => __x64_sys_sendto : takes struct pt_regs
do_syscall_64
"""
ON_32 = [
    "tcp_v4_err+0x1",
    "handle_softirqs+0x10",
    "call_on_stack+0x45",
    "asm_common_interrupt+0x102",
    "__sock_sendmsg+0x10",
    "__ia32_sys_writev+0x10",
    "__ia32_sys_sendto+0x10",
    "do_SYSENTER_32+0x10",
]
SYMBOLS = {name.partition("+")[0] for name in ON_32}


class NoCode:
    def jump(self, function, targets):
        return None


def test_a_frame_has_its_name_on_32_bits_and_the_reason():
    found = match(for_bits(32, parse(TOLD)), ON_32, SYMBOLS)
    assert found.ok and [row.state for row in found.rows].count(State.RENAMED) == 6
    reasons = {row.frame.name: row.reason for row in found.rows if row.frame}
    assert reasons["__do_softirq"] == "split off" and reasons["sock_sendmsg"] == "split off, too"
    assert "SYSENTER" in reasons["do_syscall_64"] and "any device" in reasons["asm_sysvec_apic_timer_interrupt"]
    assert reasons["__x64_sys_writev"] == reasons["sys_sendto"] == "its name on 32 bits"


def test_a_kernel_of_64_bits_does_not_fit_those_of_32():
    assert for_bits(64, parse(TOLD)) == parse(TOLD)
    found = match(for_bits(64, parse(TOLD)), ON_32, SYMBOLS | {"do_syscall_64"})
    assert found.missing == ["sys_sendto", "do_syscall_64"]


def test_what_is_there_besides_on_32_bits_is_told(tmp_path, monkeypatch):
    monkeypatch.setattr(expected, "WORD_BITS", 32)
    monkeypatch.setattr(expected, "KernelCode", NoCode)
    monkeypatch.setattr(expected, "running", lambda: SYMBOLS)
    (tmp_path / "told.txt").write_text(TOLD)
    one = Expected(tmp_path / "told.txt", "A", "A", "tcp_v4_err")
    (compared,) = beside([one], [Event(0.0, "tcp_v4_err", "A", 0, 0, ON_32)])
    (extra,) = [row for row in compared.rows if row.state is State.EXTRA]
    assert compared.ok and extra.observed == "call_on_stack+0x45" and extra.reason == expected.OWN_STACK
