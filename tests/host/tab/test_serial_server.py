"""Does the tab's fork server obey one request at a time, and hand on what is held? Its own code at a pseudo-terminal;
in the place of cgroups are folders, and of slow imports none."""

import json
import os
import pty
import subprocess
import sys
import time
import tty

import pytest

from host.paths import VM_IMAGE
from host.tab.root import TAB

OURS = "rootfs/usr/local/lib/lab"
SERVER = """
import os, signal, sys
line, folder, ours, shared = sys.argv[1:]
sys.path[:0] = [ours, shared]
import fork_server, serial_server
fork_server.FOLDER, serial_server.CGROUPS = folder, folder
serial_server.LINE, serial_server.CONSOLE = line, f"{folder}/console"
serial_server.HELD = f"{folder}/held.json"
serial_server.import_all = lambda names: None
def end(group):
    try:
        os.killpg(int(open(f"{group}/cgroup.procs").read()), signal.SIGKILL)
    except ProcessLookupError:
        pass
serial_server.end = end
serial_server.main()
"""
TALKS = """
import os, sys, time
print(f"first {sys.argv[1:]} {os.environ.get('SAID')}", flush=True)
given = sys.stdin.read()
print(f"given {given!r}")
print("wrong", file=sys.stderr)
if "for ever" in given:
    time.sleep(1000)
sys.exit(int(given or 0))
"""
DEADLINE_S, UNCAUGHT = 60, 70  # what fork_server.py ends with where blanks are no number


class Page:
    """The other end of the line."""

    def __init__(self, line: int) -> None:
        self.line = os.fdopen(line, "r+b", buffering=0)

    def asks(self, *arguments: str, **more) -> None:
        self.line.write(json.dumps({"module": "talks", "arguments": arguments} | more).encode() + b"\n")

    def hears(self) -> dict:
        line = b""
        while not line.endswith(b"\n"):
            line += self.line.read(1)
        return json.loads(line)

    def hears_all(self) -> tuple[list[str], list[str], int]:
        """What a request prints, and its status."""
        said: dict = {"out": [], "err": []}
        while "status" not in (one := self.hears()):
            (kind, line), *_ = one.items()
            said[kind].append(line)
        return said["out"], said["err"], one["status"]


@pytest.fixture
def page(request, tmp_path):
    """A server that holds `talks held`, or another module."""
    (tmp_path / "talks.py").write_text(TALKS)
    (tmp_path / "held.json").write_text(
        json.dumps({"module": getattr(request, "param", "talks"), "arguments": ["held"]})
    )
    ours, line = pty.openpty()
    tty.setraw(line)
    words = [os.ttyname(line), tmp_path, TAB / OURS, VM_IMAGE / OURS]
    server = subprocess.Popen([sys.executable, "-c", SERVER, *words], start_new_session=True)
    until = time.monotonic() + DEADLINE_S
    while not (tmp_path / "console").exists() or not (tmp_path / "console").read_text():
        assert server.poll() is None and time.monotonic() < until
        time.sleep(0.01)
    yield Page(ours)
    server.kill()
    server.wait()
    for group in tmp_path.glob("lab-*"):
        subprocess.run(["kill", "-9", (group / "cgroup.procs").read_text()], stderr=subprocess.DEVNULL)
    os.close(line)


def test_what_is_held_was_begun_before_and_goes_on_with_what_is_sent(page, tmp_path):
    assert (tmp_path / "console").read_text().startswith("lab: ready ")
    page.asks("held", stdin="3")
    assert page.hears_all() == (["first ['held'] None", "given '3'"], ["wrong"], 3)
    page.asks("held", stdin="4")  # the same once more is begun now
    assert page.hears_all() == (["first ['held'] None", "given '4'"], ["wrong"], 4)


def test_anything_else_is_begun_when_it_is_asked_for_and_ends_what_is_held(page, tmp_path):
    held = int((tmp_path / "lab-1/cgroup.procs").read_text())
    page.asks("other", "words", variables={"SAID": "so"})
    assert page.hears_all() == (["first ['other', 'words'] so", "given ''"], ["wrong"], 0)
    with pytest.raises(ProcessLookupError):
        os.kill(held, 0)


def test_another_request_ends_the_one_before_it(page):
    page.asks("one", stdin="for ever")
    assert page.hears() == {"out": "first ['one'] None"}
    page.asks("two")
    said, _, status = page.hears_all()
    assert said[-2:] == ["first ['two'] None", "given ''"] and status == 0


def test_who_leaves_standard_input_open_sends_more_of_it(page, tmp_path):
    (tmp_path / "echoes.py").write_text("import sys\nfor line in sys.stdin: print('heard', line.strip(), flush=True)\n")
    page.line.write(json.dumps({"module": "echoes", "stdin": "one\n", "open": True}).encode() + b"\n")
    assert page.hears() == {"out": "heard one"}
    page.line.write(json.dumps({"stdin": "two\n"}).encode() + b"\n")
    assert page.hears() == {"out": "heard two"}
    page.asks("another")  # ends it, though it waits
    assert page.hears_all() == (["first ['another'] None", "given ''"], ["wrong"], 0)


def test_one_that_has_closed_its_input_is_given_more_and_the_next_is_obeyed(page, tmp_path):
    (tmp_path / "closes.py").write_text("import os, time\nos.close(0)\nprint('closed', flush=True)\ntime.sleep(1000)\n")
    page.line.write(json.dumps({"module": "closes", "stdin": "", "open": True}).encode() + b"\n")
    assert page.hears() == {"out": "closed"}
    page.line.write(json.dumps({"stdin": "more\n"}).encode() + b"\n")
    page.asks("two")
    assert page.hears_all()[2] == 0


def test_more_for_what_has_ended_is_heard_by_nobody(page):
    page.asks("one")
    page.hears_all()
    page.line.write(json.dumps({"stdin": "two\n"}).encode() + b"\n")
    page.asks("two")
    assert page.hears_all()[2] == 0


def test_more_than_a_pipe_holds_is_taken_and_given(page):
    page.asks("long", stdin=" " * 300_000)
    said, _, status = page.hears_all()
    assert len(said[1]) > 300_000 and status == UNCAUGHT


def test_for_another_state_another_request_is_held(page, tmp_path):
    held = int((tmp_path / "lab-1/cgroup.procs").read_text())
    page.line.write(json.dumps({"hold": {"module": "talks", "arguments": ["cells"]}}).encode() + b"\n")
    assert page.hears() == {"status": 0}
    with pytest.raises(ProcessLookupError):
        os.kill(held, 0)
    page.asks("cells", stdin="3")
    assert page.hears_all() == (["first ['cells'] None", "given '3'"], ["wrong"], 3)


@pytest.mark.parametrize("page", ["no_such_module"], indirect=True)
def test_a_guest_whose_held_request_has_ended_is_not_ready(page, tmp_path):
    """Or it would be saved, and whoever asks for that would be told what had gone wrong."""
    assert (tmp_path / "console").read_text() == "lab: failed ImportError: No module named no_such_module\n"
