"""Is a QEMU that ends, or stops, while it is spoken to an error that is known, whenever it does?"""

import gc
import json
import shutil
import socket
import tempfile
import threading
from pathlib import Path

import pytest

from host.vm import snapshot
from host.vm.machine import Guest, GuestDied

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
