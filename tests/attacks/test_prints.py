"""Can what a guest prints act on the reader's terminal, fill the disk, or be taken for what it is not?

Root in a guest may print anything: a terminal's commands (ECMA-48), text without end, JSON that Python cannot read.
"""

import contextlib
import json
import signal
import sys
from dataclasses import replace

import pytest
from click.testing import CliRunner

from core import cases
from core.judge.check import Check
from core.judge.verdict import of_one
from core.statuses import VERDICTS, Status
from core.waiting import poll
from host import cli, phases
from host.errors import LabError
from host.exercises import judging, progress
from host.recording import record
from host.terminal_escape import escaped, escaped_json, escaped_pieces
from host.vm import call, guest_commands, machine
from tests.attacks.conftest import SEALED, judge
from tests.labs.judge.made import RIGHT, SETTINGS

HARMLESS = "B waits 204.3 ms\n\tÜ, 等, ✓, é; a line that ends\r\nas Windows has it"
# What it is, as a guest prints it, and as it is shown.
ATTACKS = [
    ("another title", "\x1b]0;mine\x07", "\\x1b]0;mine\\x07"),
    ("a cleared screen", "\x1b[2J\x1b[H", "\\x1b[2J\\x1b[H"),
    ("the same in one byte", "\x9b2J", "\\x9b2J"),
    ("a line over this one", "FAIL\rPASS", "FAIL\\x0dPASS"),
    ("a letter taken back", "FAIL\x08\x08\x08\x08PASS", "FAIL\\x08\\x08\\x08\\x08PASS"),
    ("the clipboard", "\x1b]52;c;cm0gLXJm\x1b\\", "\\x1b]52;c;cm0gLXJm\\x1b\\"),
    ("a line that reads backwards", "\u202eSSAP", "\\u202eSSAP"),
    ("half a character", "\ud800", "\\ud800"),
    ("delete", "\x7f", "\\x7f"),
]
HOSTILE = "os.write(1, b'yes\\x1b[2J\\xff\\n'); os.write(2, b'\\x1b]0;mine\\x07\\n')"


@pytest.fixture
def lab(monkeypatch, tmp_path, guest):
    """lab(program, word, …) is ./lab with these words, when what would run in the guest is this program."""
    monkeypatch.setattr(progress.paths, "data", lambda: tmp_path)

    def call(program, *words):
        monkeypatch.setattr(guest_commands.guests, "throwaway", lambda which: contextlib.nullcontext(guest(program)))
        monkeypatch.setattr(sys, "argv", ["lab", *words])
        return CliRunner().invoke(cli.main, words)

    return call


@pytest.mark.parametrize("text, shown", [attack[1:] for attack in ATTACKS], ids=[attack[0] for attack in ATTACKS])
def test_what_a_terminal_obeys_is_written_out(text, shown):
    assert escaped(text) == shown
    assert json.loads(escaped_json(json.dumps([text], ensure_ascii=False))) == [text]


def test_the_rest_is_as_it_was():
    assert escaped(HARMLESS) == HARMLESS.replace("\r\n", "\n")


def test_pieces_may_be_cut_anywhere():
    raw = f"{HARMLESS}\x1b[2J\r".encode() + b"\xff\xe2\x82"
    for size in range(1, len(raw)):
        pieces = (raw[at : at + size] for at in range(0, len(raw), size))
        assert "".join(escaped_pieces(pieces)) == escaped(HARMLESS) + "\\x1b[2J\\x0d\ufffd\ufffd"


def test_a_run_obeys_nothing(guest, monkeypatch, capfd):
    monkeypatch.setattr(guest_commands.guests, "throwaway", lambda which: contextlib.nullcontext(guest(HOSTILE)))
    assert guest_commands.in_throwaway("run", "frag-needed", as_json=False) == 0
    shown = capfd.readouterr()
    assert shown.out == "yes\\x1b[2J\ufffd\n" and shown.err == "\\x1b]0;mine\\x07\n"


@pytest.mark.parametrize("words", [[], ["--json"]], ids=["text", "json"])
def test_a_verdict_obeys_nothing(lab, words):
    hostile = "".join(attack[1] for attack in ATTACKS)
    verdict = of_one("frag-needed/1", "FAIL", Check("ran", False, hostile, hostile))
    asked = ["check", "frag-needed/1", str(cases.exercise("frag-needed/1").start), *words]
    done = lab(judge(verdict, f"{SEALED}; sys.exit(1)"), *asked)
    assert done.exit_code == 1 and "SSAP" in done.stdout
    assert done.stdout.replace("\n", "").isprintable()


@pytest.mark.parametrize("said, status", VERDICTS.items())
def test_check_ends_as_the_verdict_says(lab, said, status):
    start = cases.exercise("frag-needed/1").start
    verdict = of_one("frag-needed/1", said, Check("ran", None, "", "a reason"))
    if said == "PASS":  # is judged here
        evidence = replace(RIGHT, answer=start.read_text())
        verdict = {"exercise": "frag-needed/1", "evidence": evidence.to_json()}
    done = lab(judge(verdict, f"{SEALED}; sys.exit({int(status)})"), "check", "frag-needed/1", str(start))
    assert done.exit_code == status and done.stdout.startswith(f"{said}  frag-needed/1\n"), done.exception
    assert said == "PASS" or done.stdout.endswith("\n  ?    ran\n       found:    a reason\n")


@pytest.mark.parametrize("words", [[], ["--json"]], ids=["text", "json"])
def test_evidence_obeys_nothing(lab, words, tmp_path):
    start = cases.exercise("frag-needed/1").start
    hostile = "".join(attack[1] for attack in ATTACKS)
    evidence = replace(RIGHT, answer=start.read_text(), settings=[replace(SETTINGS[0], now=[hostile]), SETTINGS[1]])
    printed = judge({"exercise": "frag-needed/1", "evidence": evidence.to_json()}, SEALED)
    kept = tmp_path / "kept.json"
    for asked in (["check", "frag-needed/1", str(start), "--keep", str(kept)], ["judge", str(kept)]):
        done = lab(printed, *asked, *words)
        assert done.exit_code == 1 and "SSAP" in done.stdout
        assert done.stdout.replace("\n", "").isprintable()


def test_an_error_and_what_is_said_obey_nothing(lab, capfd):
    done = lab("os.write(2, b'\\x1b[2J'); sys.exit(9)", "run", "frag-needed", "--json")
    assert done.exit_code == Status.COULD_NOT and "\x1b" not in done.output and "\\x1b[2J" in done.output
    phases.say("\x1b[2J")
    assert capfd.readouterr().err == "\\x1b[2J\n"


@pytest.mark.parametrize("stream", [1, 2])
def test_a_run_that_prints_without_end_is_ended(guest, capfd, monkeypatch, stream):
    monkeypatch.setattr(call, "LARGEST_BYTES", 1 << 20)
    with pytest.raises(LabError, match="printed more than 1 MiB, and was ended") as raised:
        call.stream(guest(f"while True: os.write({stream}, b'x' * 65536)"), "labs", "run", "frag-needed")
    assert raised.value.status == Status.COULD_NOT
    assert "".join(capfd.readouterr()).count("x") == 1 << 20


def test_a_reader_who_has_seen_enough_ends_the_run(guest, monkeypatch):
    class Closed:
        def write(self, text):
            raise BrokenPipeError

    monkeypatch.setattr(sys, "stdout", Closed())
    with pytest.raises(BrokenPipeError):
        call.stream(guest("import time; print('x', flush=True); time.sleep(10**6)"), "labs", "run", "frag-needed")


@pytest.mark.parametrize(
    "program, said, why",
    [
        ("print('[' * 200000)", "COULD NOT TELL", "nested too deeply"),
        ("print('{\"a\":' * 500 + '1' + '}' * 500)", "COULD NOT TELL", "nested too deeply"),
        ('os.write(1, b\'{"a": "\\xff"}\')', "COULD NOT TELL", "not UTF-8 (byte 7)"),
        ("while True: print('x' * 100000)", "COULD NOT TELL", "more than 16 MiB"),
        ("print('1' * 5000)", "COULD NOT TELL", "found other text"),
        ("print('[]')", "COULD NOT TELL", "found a list"),
        ("print('{} {}')", "COULD NOT TELL", "found other text"),
        ('print(\'{"verdict": "PASS"}\')', "COULD NOT TELL", "no verdict on frag-needed/1"),
        ('print(\'{"verdict": [], "reasons": []}\')', "COULD NOT TELL", "no verdict on frag-needed/1"),
        (
            'print(\'{"exercise": "frag-needed/1", "verdict": "PASS", "reasons": [1], "checks": []}\')',
            "COULD NOT TELL",
            "no verdict on",
        ),
        (
            'print(\'{"exercise": "frag-needed/2", "verdict": "PASS", "reasons": [], "checks": []}\')',
            "COULD NOT TELL",
            "no verdict on",
        ),
        ("sys.exit(255)", "FAIL", "the guest fell silent"),
        ("sys.exit('a\\nb\\nc\\nd')", "FAIL", "the judge was ended before its verdict (b; c; d)"),
        ("sys.stderr.write('KeyError: x'); sys.exit(70)", "COULD NOT TELL", "says nothing of the answer (KeyError: x)"),
    ],
)
def test_what_is_no_verdict_could_not_tell(guest, program, said, why):
    found = judging._verdict(cases.exercise("frag-needed/1"), "", guest(program))
    assert found["verdict"] == said and why in found["reasons"][0]


@pytest.mark.parametrize(
    "program, why",
    [
        ("print('[]')", "found a list"),
        ("os.write(1, b'\\xff')", "not UTF-8"),
        ("print('yes')", "found other text"),
        ("print('{\"a\":' * 500 + '1' + '}' * 500)", "nested too deeply"),
    ],
)
def test_a_run_whose_json_is_none_could_not_tell(lab, program, why):
    done = lab(program, "run", "frag-needed", "--json")
    assert done.exit_code == Status.COULD_NOT and why in json.loads(done.stdout)["error"]


def test_a_recording_that_is_none_is_told(guest, monkeypatch):
    monkeypatch.setattr(record.guests, "throwaway", lambda which: contextlib.nullcontext(guest("print('[' * 200000)")))
    with pytest.raises(LabError, match="frag-needed: nothing was recorded .*nested too deeply"):
        record._data(cases.case("frag-needed"))


QEMU = """
import socket, sys
words = sys.argv[1:]
console = open(words[words.index("-chardev") + 1].split("path=")[1], "wb")
listening = socket.socket(socket.AF_UNIX)
listening.bind(words[words.index("-qmp") + 1].removeprefix("unix:").split(",")[0])
listening.listen()
listening.accept()[0].send(b"{}")
while True:
    console.write(b"x" * 65536)
"""


def test_a_guest_whose_console_prints_without_end_is_ended(tmp_path):
    """QEMU is here a program that does nothing but print there."""
    guest = machine.start(lambda port: [sys.executable, "-c", QEMU], tmp_path, [], outlives_us=False)
    try:
        poll(lambda: guest.process.poll() is not None or guest.console.stat().st_size >= 64 << 20, 30, 0.05)
        assert guest.console.stat().st_size == 16 << 20 and guest.process.poll() == -signal.SIGKILL
        assert guest.death() == "its console printed 16 MiB, and it was ended for that"
        assert len(machine.last_words(guest)) < 5000 and len(judging._console(guest)) <= 1 << 20
    finally:
        guest.end()
