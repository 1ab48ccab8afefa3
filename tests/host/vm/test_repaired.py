"""When several calls meet the same broken snapshot, is it made again once?"""

import subprocess
import sys

from host.paths import REPOSITORY

CALLS = 4
# A call, as a process of its own. What it makes first is broken; each finds that before any of them makes it again.
CALL = """
import random, sys, time
from pathlib import Path
from types import SimpleNamespace
from host import store
from host.vm import snapshot
from host.vm.machine import GuestDied

folder, calls = Path(sys.argv[1]), int(sys.argv[2])
makings = folder / "makings"
profile = SimpleNamespace(name="x")
profile.kept = profile

def make(made):
    with open(makings, "a") as file:
        file.write("made\\n")
    time.sleep(0.1)  # two makings have two times
    (made / "state").write_text("broken" if makings.read_text() == "made\\n" else "whole")

def attempt():
    kept = snapshot.snapshot("x")
    time.sleep(random.random() / 5)  # in which another may discard it
    if (kept / "state").read_text() == "whole":
        return "awake"
    with open(folder / "met", "a") as file:
        file.write(".")
    while len((folder / "met").read_text()) < calls:
        time.sleep(0.01)
    raise GuestDied("it does not wake")

snapshot.machine_setup = lambda which: [profile]
snapshot.snapshot = lambda which: store.build_once("snapshot-x", "k", make)
print(snapshot._repaired("x", attempt))
"""


def test_who_meet_the_same_broken_snapshot_make_one(tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    monkeypatch.setenv("LAB_RUN_DIR", str(tmp_path))
    monkeypatch.setenv("PYTHONPATH", str(REPOSITORY))
    command = [sys.executable, "-P", "-c", CALL, tmp_path, str(CALLS)]
    calls = [subprocess.Popen(command, stdout=subprocess.PIPE, text=True) for _ in range(CALLS)]
    assert [call.communicate(timeout=120)[0] for call in calls] == ["awake\n"] * CALLS
    assert (tmp_path / "makings").read_text() == "made\n" * 2
