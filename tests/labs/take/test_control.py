"""Whose is it that no answer came? The reader's, where an answer acts; the machine's, where none does, and where an
instrument of ours failed."""

import contextlib
import importlib
import time
import types

import pytest

from core.cases import exercise
from core.protocol import CONTROL
from labs.errors import RAN_ON, CouldNotTell
from labs.measure.timing import breakdown

UNSETTLED = "expected the client to acknowledge all that the server sent; still open, in bytes: [2341]"


@pytest.fixture
def script(guests_packages):
    return importlib.import_module("labs.take.script")


@pytest.fixture
def taking(script):
    return script.Taking(exercise("frag-needed/3"), "an answer")


@pytest.fixture
def not_ready(script):
    def fails(*_, **__):
        raise script.NotReady(UNSETTLED)

    return fails


def test_where_an_answer_acts_it_is_the_readers(taking, not_ready):
    with taking.network_errors_noted():
        not_ready()
    assert taking.unanswered == UNSETTLED


def test_where_none_acts_it_is_the_machines(taking, script, not_ready):
    with pytest.raises(CouldNotTell, match="in the control: expected the client") as raised:
        with taking.network_errors_noted(), script.control():
            not_ready()
    assert raised.value.check == RAN_ON and not taking.unanswered


def test_the_seconds_of_a_control_are_counted_as_its_own(script):
    began = time.monotonic()
    with script.control():
        pass
    assert CONTROL in breakdown(began)


def in_frag_needed(not_ready, monkeypatch):
    measure = importlib.import_module("labs.cases.frag_needed.cure.measure")
    monkeypatch.setattr(measure, "direct", not_ready)
    measure.observe(measure.Cure(), measure.Untouched("untouched"), "mended")


def in_its_bulk(not_ready, monkeypatch):
    measure = importlib.import_module("labs.cases.frag_needed.cure.measure")
    monkeypatch.setattr(measure, "bulk_s", lambda net: not_ready() if net == "untouched" else 0.1)
    measure.in_bulk(measure.Cure(), measure.Untouched("untouched"), "mended", None)


def in_addr_select(not_ready, monkeypatch):
    measure = importlib.import_module("labs.cases.addr_select.cure.measure")
    monkeypatch.setattr(measure.Sender, "seen_source", not_ready)
    measure.Untouched.seen_source(object.__new__(measure.Untouched))


def in_rtl8139_tso(not_ready, monkeypatch):
    measure = importlib.import_module("labs.cases.rtl8139_tso.card.measure")
    router = types.SimpleNamespace(sysctl=lambda settings: None)
    net = types.SimpleNamespace(clamp=lambda mss: None, router=router)
    monkeypatch.setattr(measure, "OtherCard", lambda: contextlib.nullcontext(net))
    for name, value in (("drawn", []), ("drawn_plain", []), ("intact", True), ("served", ""), ("_telling", "")):
        monkeypatch.setattr(measure, name, lambda *_, value=value: value)
    monkeypatch.setattr(measure, "download", lambda net, server="", **_: not_ready() if server else "")
    measure.take("mended", exercise("rtl8139-tso/5"), "an answer")


@pytest.mark.parametrize("untouched", [in_frag_needed, in_its_bulk, in_addr_select, in_rtl8139_tso])
def test_so_it_is_in_each_case(taking, not_ready, monkeypatch, untouched):
    with pytest.raises(CouldNotTell, match="in the control") as raised, taking.network_errors_noted():
        untouched(not_ready, monkeypatch)
    assert raised.value.check == RAN_ON


def test_what_was_measured_before_is_not_measured_again(guests_packages, monkeypatch):
    measure = importlib.import_module("labs.cases.frag_needed.cure.measure")
    asked = []

    def seconds(name):
        return lambda net: asked.append((name, net)) or len(asked)

    monkeypatch.setattr(measure.Untouched, "ways", lambda control: asked.append(("ways", control.net)) or "ways")
    for name in ("bulk_s", "sidecar_bulk_s"):
        monkeypatch.setattr(measure, name, seconds(name))
    before, seen = measure.MeasuredBefore("untouched"), measure.Cure()
    assert {net for _, net in asked} == {"untouched"} and len(asked) == 1 + 2 * measure.BULK_ROUNDS
    asked.clear()
    assert before.ways() == "ways" and not asked
    measure.in_bulk(seen, before, "mended", None)
    assert {net for _, net in asked} == {"mended"} and len(asked) == 2 * measure.BULK_ROUNDS
    assert [each.untouched_s for each in (*seen.bulk, *seen.sidecar_bulk)] == [2, 3, 4, 5, 6, 7]


@pytest.mark.parametrize("tcpdump, slow", [("exec sleep 60", True), ("echo no such device >&2; exit 1", False)])
def test_a_tcpdump_that_does_not_listen_is_not_the_readers(taking, monkeypatch, tmp_path, tcpdump, slow):
    capture = importlib.import_module("labs.wire.capture")
    (tmp_path / "tcpdump").write_text(f"#!/bin/sh\n{tcpdump}\n")
    (tmp_path / "tcpdump").chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}", prepend=":")
    with pytest.raises(CouldNotTell, match="expected tcpdump to listen") as raised, taking.network_errors_noted():
        capture.Capture(tmp_path / "seen.pcap", deadline_s=2 if not slow else 0.2).__enter__()
    assert (raised.value.check == RAN_ON) is slow
