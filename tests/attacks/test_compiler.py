"""A reader's C is compiled on this machine, and what a compiler does is up to what it compiles. Is one ended that works
for ever, or writes without end? Here it is a program of the test's."""

import contextlib
import os
import signal
from pathlib import Path

import pytest

from core.waiting import poll
from host.exercises import device
from host.vm.qemu import Built
from tests.attacks.conftest import DEADLINE_S

UNIT, REPLACES = "hw/card.c", "hw/card.c.inc"
MOST_MIB = 256  # of what compiler and linker write, each file
A_MOMENT_S = 1


@pytest.fixture
def compiled(tmp_path, monkeypatch):
    """compiled(program, unconfined): a program of shell in the compiler's place; the object file is its `$1`."""
    ours, folder = Built(tmp_path / "built"), tmp_path / "device"
    for each in (ours.source / "hw", ours.build, folder):
        each.mkdir(parents=True)
    (ours.source / UNIT).touch()

    def made(program: str, unconfined: bool = False) -> Path:
        compile_it = {"output": "card.o", "words": ["sh", "-c", program, "sh", "card.o"]}
        monkeypatch.setattr(device, "_commands", lambda *_: (compile_it, {"output": "qemu", "words": ["true"]}))
        return device.rebuilt(ours, REPLACES, UNIT, "", "answer.c", folder, unconfined)

    return made


def test_one_that_waits_has_a_deadline(compiled, monkeypatch):
    monkeypatch.setattr(device, "DEADLINE_S", A_MOMENT_S)
    with pytest.raises(device.DoesNotBuild, match=f"not compiled after {A_MOMENT_S} s"):
        compiled("sleep 20")


@pytest.mark.parametrize("mib, fits", [(MOST_MIB, True), (MOST_MIB + 1, False)])
def test_what_it_writes_has_an_end(compiled, mib, fits):
    with contextlib.nullcontext() if fits else pytest.raises(device.DoesNotBuild):
        compiled(f'truncate -s {mib}M "$1"')


def test_what_it_leaves_at_work_unconfined_is_ended_too(compiled, tmp_path, monkeypatch):
    """The deadline ends the compiler's first process, which waits here for longer than what it has started can last;
    that has only so much of a processor."""
    monkeypatch.setattr(device, "DEADLINE_S", A_MOMENT_S)
    monkeypatch.setattr(
        device, "LIMITS", [f"--cpu={A_MOMENT_S}" if word.startswith("--cpu=") else word for word in device.LIMITS]
    )
    with pytest.raises(device.DoesNotBuild):
        compiled(f"(while :; do :; done) & echo $! >{tmp_path}/left; sleep 20", unconfined=True)
    left = Path("/proc", (tmp_path / "left").read_text().strip(), "cmdline")
    try:
        assert poll(lambda: not left.exists() or not left.read_bytes(), DEADLINE_S, 0.05)
    finally:
        with contextlib.suppress(ProcessLookupError):
            os.kill(int(left.parent.name), signal.SIGKILL)
