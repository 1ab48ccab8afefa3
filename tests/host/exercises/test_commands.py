"""Is an answer taken as it was meant, whatever an editor did to it, and is that said?"""

import pytest

from core import cases
from host.exercises import commands

ANSWER = "on client true\necho ü\n"


@pytest.mark.parametrize(
    "before, end, said",
    [
        (b"", b"\n", []),
        (b"\xef\xbb\xbf", b"\n", ["byte-order mark"]),
        (b"", b"\r\n", ["CRLF"]),
        (b"\xef\xbb\xbf", b"\r\n", ["byte-order mark", "CRLF"]),
    ],
)
def test_marks_of_an_editor_are_taken_off_and_said(tmp_path, before, end, said):
    file = tmp_path / "answer.sh"
    file.write_bytes(before + ANSWER.encode().replace(b"\n", end))
    text, notes = commands.read(file, cases.exercise("frag-needed/1"))
    assert text == ANSWER and len(notes) == len(said)
    assert all(word in note for word, note in zip(said, notes))


@pytest.mark.parametrize(
    "verdict, state", [("FAIL", "1 tried"), ("SKIP", "open"), ("COULD NOT TELL", "open"), ("PASS", "passed")]
)
def test_what_says_nothing_of_the_answer_is_no_try(tmp_path, monkeypatch, verdict, state):
    monkeypatch.setattr(commands.progress.paths, "data", lambda: tmp_path)
    commands.progress.add({"exercise": "frag-needed/1", "verdict": verdict})
    assert commands._state("frag-needed/1") == state
