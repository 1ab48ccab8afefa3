"""Does a tracer attach to what the running kernel has, say what it took instead, and leave again?"""

import os
from pathlib import Path

import pytest

from core.judge.report import Program
from labs.errors import CannotTry, CouldNotTell
from labs.take.reader_program import Refused, written
from labs.take.reader_program import attached as readers
from labs.trace import btf, objects
from labs.trace.symbols import KALLSYMS, Symbols, running, symbol_of
from labs.trace.tail_calls import KernelCode
from labs.trace.tracer import Tracer, TracerError

PROGRAM = """
#include "event.h"
FIELD(sock, sk_dst_cache);
FIELD(tcp_sock, packets_out);
enum probe { ENTERED };
int on_entered(void *ctx) { return note_port(ctx, ENTERED, 7, sock__sk_dst_cache, tcp_sock__packets_out); }
"""


@pytest.fixture
def program(tmp_path):
    file = tmp_path / "entered.bpf.c"
    file.write_text(PROGRAM)
    return file


@pytest.fixture
def without_compiler(monkeypatch):
    return lambda: monkeypatch.setattr(objects, "COMPILER", "no-such-compiler")


def attached():
    return Path("/sys/kernel/debug/kprobes/list").read_text()


def tracer(program, *candidates):
    return Tracer(program, {"on_entered": candidates})


def readers_own(text):
    return written(text, {"on_entered": ["__x64_sys_getpgid"]}, [])


def test_every_event_is_reported_with_its_stack(program):
    with tracer(program, "__x64_sys_getpgid") as live:
        live.watch("us", 7)
        for _ in range(97):
            os.getpgid(0)
    assert len(live.events) == 97 and live.lost == 0
    first = live.events[0]
    assert (first.function, first.connection) == ("__x64_sys_getpgid", "us")
    assert first.functions[0] == "__x64_sys_getpgid" and first.under("do_syscall_64")
    assert (first.value, first.detail) == (btf.offset("sock", "sk_dst_cache"), btf.offset("tcp_sock", "packets_out"))
    assert "getpgid" not in attached()


def test_two_connections_of_one_port_are_not_taken_for_one(program):
    with tracer(program, "__x64_sys_getpgid") as live:
        live.watch("us", 7)
        live.watch("us", 7)
        with pytest.raises(TracerError, match="port 7, found us and them"):
            live.watch("them", 7)


def test_one_that_lost_events_could_not_tell(program):
    with pytest.raises(CouldNotTell, match="no event lost by the tracer, found 3"):
        with tracer(program, "__x64_sys_getpgid") as live:
            live.lost = 3


def test_what_a_readers_tracer_loses_is_the_readers_and_what_ours_does_is_not(program):
    for loses, expected in (("theirs", Refused), ("ours", CouldNotTell)):
        ours, seen = tracer(program, "__x64_sys_getpgid"), Program()
        with readers_own(PROGRAM) as theirs, pytest.raises(expected):
            with readers(theirs, seen), ours:
                {"theirs": theirs, "ours": ours}[loses].lost = 3
        assert seen.lost == ("expected no event lost by the tracer, found 3" if loses == "theirs" else "")
    assert "getpgid" not in attached()


def test_a_readers_program_that_does_not_compile_says_so_in_the_compilers_words():
    seen = Program()
    with readers_own("this is no C") as theirs, pytest.raises(Refused):
        with readers(theirs, seen):
            pass
    assert "error:" in seen.refused


def test_a_reader_may_do_without_a_handler_and_have_one_for_a_return():
    text = PROGRAM.replace("on_entered", "after_entered") + "/*\nint on_nothing(void *ctx) { return 0; }\n*/\n"
    with readers_own(text) as theirs, readers(theirs, Program()):
        theirs.watch("us", 7)
        os.getpgid(0)
    assert [event.value for event in theirs.events] == [btf.offset("sock", "sk_dst_cache")]


def test_what_looks_like_a_handler_and_is_none_is_said():
    seen = Program()
    with readers_own(PROGRAM.replace("on_entered", "on_enterd")) as theirs, pytest.raises(Refused):
        with readers(theirs, seen):
            pass
    assert "nothing calls on_enterd()" in seen.refused and "on_entered" in seen.refused


def test_a_readers_program_which_bcc_compiles_reports_what_ours_does(program):
    ours = tracer(program, "__x64_sys_getpgid")
    with readers_own(PROGRAM) as theirs, readers(theirs, Program()), ours:
        for live in (theirs, ours):
            live.watch("us", 7)
        os.getpgid(0)
    (one,), (other,) = theirs.events, ours.events
    assert (one.value, one.detail, one.functions) == (other.value, other.detail, other.functions)


def test_a_substitution_is_told(program):
    with tracer(program, "no_such_function", "__x64_sys_getpgid") as live:
        pass
    assert "no_such_function is not a symbol" in live.substitutions[0]
    assert "__x64_sys_getpgid" in live.substitutions[0]


def test_what_cannot_be_attached_is_no_verdict(program):
    with pytest.raises(CannotTry, match="none of no_such_function"):
        with tracer(program, "no_such_function"):
            pass
    program.write_text("this is no C")
    with pytest.raises(CannotTry, match="does not compile"):
        with tracer(program, "__x64_sys_getpgid"):
            pass
    assert attached() == ""


def test_what_the_kernel_refuses_is_no_verdict(program):
    program.write_text(PROGRAM.replace("return note_port", "for (;;) ; return note_port"))
    with pytest.raises(CannotTry, match="entered.bpf.c does not load"):
        with tracer(program, "__x64_sys_getpgid"):
            pass


def test_the_object_of_a_changed_source_is_not_taken(program, without_compiler):
    def reported():
        with tracer(program, "__x64_sys_getpgid") as live:
            live.watch("us", 7)
            os.getpgid(0)
        return live.events[0].value

    def changed(value):
        program.write_text(PROGRAM.replace("sock__sk_dst_cache,", f"{value},"))

    for value in (3, 4, 3):
        changed(value)
        assert reported() == value
    without_compiler()
    for value in (3, 4):
        changed(value)
        assert reported() == value
    changed(5)
    with pytest.raises(CannotTry, match="no object of entered.bpf.c as it is now, and no"):
        reported()


def test_attaching_what_was_compiled_beforehand_takes_a_fraction(monkeypatch, tmp_path):
    from labs.cases.frag_needed.tracing import stall_tracer

    for name in ("KEPT", "BROUGHT"):
        monkeypatch.setattr(objects, name, tmp_path / name)
    took_s = []
    for _ in range(2):
        with stall_tracer() as live:
            pass
        took_s.append(live.attach_s)
    assert took_s[1] < took_s[0] / 2, took_s


def test_one_that_is_prepared_is_attached_when_it_is_entered_by_the_address_of_its_function(program):
    running().read()
    live = tracer(program, "__x64_sys_getpgid").prepare()
    assert "getpgid" not in attached()
    with live:
        assert "getpgid" in attached()
        live.watch("us", 7)
        os.getpgid(0)
    assert [event.functions[0] for event in live.events] == ["__x64_sys_getpgid"] and "getpgid" not in attached()


def test_a_failing_block_detaches(program):
    with pytest.raises(ZeroDivisionError):
        with tracer(program, "__x64_sys_getpgid"):
            1 / 0
    assert "getpgid" not in attached()


def test_symbols_by_name_then_by_clone():
    symbols = b"ffff t ip_fragment.constprop.0\nffff T tcp_v4_err\nffff t odd.cold\nffff t x.part.0\nffff T x\n"
    assert symbol_of("ip_fragment", symbols) == "ip_fragment.constprop.0"
    assert symbol_of("tcp_v4_err", symbols) == "tcp_v4_err"
    assert symbol_of("x", symbols) == "x"
    assert symbol_of("odd", symbols) is None and symbol_of("tcp_v4", symbols) is None


def test_the_table_of_symbols_is_read_only_for_what_the_type_information_lacks(tmp_path):
    assert Symbols(tmp_path / "none").of_function("tcp_v4_err") == "tcp_v4_err"
    with pytest.raises(FileNotFoundError):
        Symbols(tmp_path / "none").of_function("ip_fragment")
    kernel = Symbols()
    assert kernel.of_function("ip_fragment").startswith("ip_fragment.") and "no_such_function" not in kernel
    written = KALLSYMS.read_bytes()
    for function in ("tcp_v4_err", "ip_fragment", "__icmp_send", "tcp_write_wakeup", "no_such_function"):
        assert kernel.of_function(function) == symbol_of(function, written), function


def test_every_function_is_known_by_an_address_in_it():
    names = Symbols()
    for line in KALLSYMS.read_text().splitlines()[::100]:
        address, kind, name = line.split()[:3]
        if kind in "tT" and int(address, 16):
            assert names.at(int(address, 16)).endswith("+0x0"), line
    known = {line.split()[2]: int(line.split()[0], 16) for line in KALLSYMS.read_text().splitlines()}
    for function in ("tcp_v4_err", "__icmp_send", "tcp_write_wakeup"):
        assert names.at(known[function] + 5) == f"{function}+0x5"


def test_offsets_come_from_the_kernel():
    assert btf.offset("sock", "__sk_common") == 0
    assert btf.offset("tcp_sock", "packets_out") > btf.offset("inet_sock", "inet_sport") > 0
    for wrong in (("no_such_struct", "x"), ("sock", "no_such_field"), ("sock", "packets_out")):
        with pytest.raises(btf.NoSuchField):
            btf.offset(*wrong)


def test_a_tail_call_is_proven_by_the_code():
    code = KernelCode()
    jump = code.jump("ip_queue_xmit", {"__ip_queue_xmit"})
    assert jump.target == "__ip_queue_xmit" and "leaves no frame" in str(jump)
    assert code.jump("tcp_sendmsg", {"release_sock"}) is None  # it calls, and returns
    assert code.jump("no_such_function", {"release_sock"}) is None
