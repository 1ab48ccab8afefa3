"""Is a QEMU that ends, or stops, while it is spoken to an error that is known, whenever it does?"""

import contextlib
import gc
import json
import shutil
import socket
import tempfile
import threading
from pathlib import Path
from types import SimpleNamespace

import pytest

from host.vm import snapshot
from host.vm.machine import Guest, GuestDied, GuestSilent

GREETING = {"QMP": {"version": {"qemu": {"major": 7, "minor": 2, "micro": 0}, "package": ""}, "capabilities": []}}
DONE = {"return": {}}
STOPPED = {"stopped": True}


@pytest.fixture
def spoken_to():
    """`spoken_to(*answers)`: a guest whose QEMU says these, each after it was asked (the first at once), and ends. If
    the last is STOPPED, it says nothing more until it is left."""
    folder = Path(tempfile.mkdtemp(prefix="qmp-", dir="/tmp"))  # short, for a unix socket
    listening, threads = socket.socket(socket.AF_UNIX), []
    listening.bind(str(folder / "qmp"))
    listening.listen()

    def answering(*answers):
        def answer():
            with listening.accept()[0] as asker:
                for number, words in enumerate(answers):
                    if words is STOPPED:
                        while asker.recv(1 << 16):
                            pass
                        return
                    asked = json.loads(asker.recv(1 << 16)) if number else {}
                    named = {"id": asked["id"]} if "id" in asked else {}
                    asker.sendall(json.dumps(words | named).encode() + b"\n")

        threads.append(threading.Thread(target=answer))
        threads[0].start()
        return Guest(folder, pid=0, port=0)

    yield answering
    threads[0].join()
    listening.close()
    shutil.rmtree(folder)


@pytest.mark.parametrize("answers", [(), (GREETING,), (GREETING, DONE), (GREETING, DONE, DONE)])
def test_qemu_may_end_at_any_moment(spoken_to, answers):
    """A monitor that nobody closes says so when it is collected, in whichever test that is (pyproject.toml)."""
    with pytest.raises(snapshot.QMP_ERRORS), snapshot._monitor(spoken_to(*answers)) as monitor:
        while True:
            monitor.cmd("query-status")
    gc.collect()


@pytest.mark.parametrize("answers", [(), (GREETING,), (GREETING, DONE), (GREETING, DONE, DONE)])
def test_qemu_may_stop_at_any_moment(spoken_to, monkeypatch, answers):
    monkeypatch.setattr(snapshot, "MONITOR_DEADLINE_S", 1)
    with pytest.raises(GuestDied, match="QEMU runs and has not answered for 1 s"):
        with snapshot._monitor(spoken_to(*answers, STOPPED)) as monitor:
            monitor.cmd("query-status")
    gc.collect()


def test_an_event_that_does_not_come_is_no_stopped_qemu(spoken_to):
    with pytest.raises(TimeoutError), snapshot._monitor(spoken_to(GREETING, DONE, DONE, STOPPED)) as monitor:
        monitor.pull_event(wait=0.1)


DIED, SILENT = GuestDied("QEMU died"), GuestSilent("the guest did not answer in 60 s")


@pytest.fixture
def repaired(tmp_path, monkeypatch):
    """repaired(*deaths): how often it was tried to wake an answer's machine, which died so and then woke, and whether
    it did."""
    ours = SimpleNamespace(name="stock", kept=SimpleNamespace(name="stock"))
    monkeypatch.setattr(snapshot, "snapshot", lambda which: tmp_path)
    monkeypatch.setattr(snapshot, "machine_setup", lambda which: (ours,))
    monkeypatch.setattr(snapshot.store, "generation", lambda kept: 0)
    monkeypatch.setattr(snapshot.paths, "lost_guests", lambda: tmp_path / "lost")

    def call(*deaths):
        tries = []

        def attempt():
            tries.append(None)
            if len(tries) <= len(deaths):
                raise deaths[len(tries) - 1]
            return True

        wakes = False
        with contextlib.suppress(GuestDied):
            wakes = snapshot._repaired(ours, attempt)
        return len(tries), wakes

    return call


@pytest.mark.parametrize(
    "deaths, tries, wakes",
    [((SILENT,), 2, True), ((SILENT, SILENT), 2, False), ((SILENT, DIED), 2, False), ((DIED,), 1, False)],
)
def test_an_answers_machine_is_tried_again_once_if_it_was_silent(repaired, deaths, tries, wakes):
    assert repaired(*deaths) == (tries, wakes)
