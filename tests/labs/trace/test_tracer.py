"""What does a tracer ask of whoever brings its program into the kernel, and when? With one that only notes it."""

import ctypes
from pathlib import Path

import pytest

from labs.trace import tracer as tracing
from labs.trace.symbols import Symbols
from labs.trace.tracer import Tracer, TracerError

FIRST, SECOND = 0xC1001000, 0xC1001040
TABLE = f"{FIRST:x} T first\n{SECOND:x} T second\n"


class Noted:
    """A program in a kernel that does nothing but what `reports` has it do."""

    def __init__(self, did: list) -> None:
        self.did = did
        did.append("loaded")

    def attach(self, handler, symbol, address):
        self.did.append((handler, symbol, address))

    def listen(self, on_event, on_lost):
        self.on_event, self.did[-1] = on_event, "loaded, and is heard"

    def reports(self, time_ns, probe, port, *stack):
        words = (ctypes.c_uint64 * tracing.LONGEST_STACK)(*stack)
        raw = tracing._Raw(time_ns, probe, port, 5, 0, 8 * len(stack), words)
        self.on_event(ctypes.addressof(raw))

    def drain(self):
        self.did.append("drained")

    def watch(self, port):
        self.did.append(port)

    def close(self):
        self.did.append("closed")


@pytest.fixture
def known(tmp_path, monkeypatch):
    """The running kernel's symbols, of which there are two."""
    (tmp_path / "kallsyms").write_text(TABLE)
    symbols = Symbols(tmp_path / "kallsyms")
    monkeypatch.setattr(tracing, "running", lambda: symbols)
    return symbols


@pytest.fixture
def did():
    return []


@pytest.fixture
def live(did, known, monkeypatch):
    monkeypatch.setattr(Symbols, "of_function", lambda self, function: function if function in TABLE else None)
    probes = {"on_first": ["no_such", "first"], "on_second": ["second"]}
    return Tracer(Path("program.bpf.c"), probes, load=lambda program: Noted(did))


def test_entered_it_is_loaded_and_attached_and_taken_out_at_the_end(live, did):
    with live:
        live.watch("A", 7)
        live._loaded.reports(2_000_000_000, 1, 7, SECOND + 4, FIRST)
        live._loaded.reports(1_000_000_000, 0, 9, FIRST)
    assert did == [
        "loaded, and is heard",
        ("on_first", "first", None),
        ("on_second", "second", None),
        7,
        "drained",
        "closed",
    ]
    early, late = live.events
    assert (early.function, early.connection, early.time_s) == ("first", "", 1)
    assert (late.function, late.connection, late.stack) == ("second", "A", ["second+0x4", "first+0x0"])
    assert len(live.substitutions) == 1 and "no_such" in live.substitutions[0]


def test_prepared_it_is_loaded_once_and_only_attached_when_it_is_entered(live, did, known):
    known.read()
    assert live.prepare() is live and live.prepare() is live
    assert did == ["loaded, and is heard"]
    with live:
        # Where the symbols are known the kernel is not asked for a name.
        assert did[1:] == [("on_first", "first", FIRST), ("on_second", "second", SECOND)]


def test_what_has_come_so_far_is_taken_while_it_goes_on(live, did):
    with live:
        live._loaded.reports(1, 0, 7, FIRST)
        assert [event.function for event in live.take()] == ["first"] and "closed" not in did
        live._loaded.reports(2, 1, 7, SECOND)
    assert [event.function for event in live.events] == ["first", "second"]


def test_a_loss_is_told_when_events_are_taken_and_hides_no_other_failure(live, did):
    with pytest.raises(TracerError, match="found 3"), live:
        live.lost = 3
        with pytest.raises(TracerError):
            live.take()
    with pytest.raises(ZeroDivisionError), live:
        1 / 0
    assert did.count("closed") == did.count("loaded, and is heard") == 2


def test_an_event_whose_number_is_no_probes_is_there_without_a_function(live):
    """What a reader writes may number its reports as it likes."""
    with live:
        live._loaded.reports(10, 7, 1024)
    assert [(event.function, event.value) for event in live.events] == [("", 5)]


def test_one_that_cannot_be_attached_is_taken_out(live, did):
    live.probes = {"on_third": ["third"]}
    with pytest.raises(tracing.CannotTry, match="none of third"), live:
        pass
    assert did == ["loaded, and is heard", "closed"]
