"""Is an answer taken as it was meant, whatever an editor did to it, and is that said? Is progress what was judged?"""

import pytest
from click.testing import CliRunner

from core import cases
from core.judge.packed import pack
from host.cli import main
from host.exercises import commands
from tests.host.exercises.test_evidence import LINE, WRONG_LINE
from tests.labs.judge.made import RIGHT

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


@pytest.fixture
def listed(tmp_path, monkeypatch):
    """`./lab list` of a reader who has done nothing yet and has no guest."""
    monkeypatch.setattr(commands.progress.paths, "data", lambda: tmp_path)
    monkeypatch.setattr(commands, "fetch_progress", lambda: None)

    def lines(*options) -> list[str]:
        said = CliRunner().invoke(main, ["list", *map(str, options)])
        assert said.exit_code == 0
        return said.stdout.splitlines()

    return lines


def first(lines: list[str]) -> str:
    [line] = [line for line in lines if line.startswith("  frag-needed/1 ")]
    return line


def test_what_pages_have_judged_is_taken_in_once(listed, tmp_path):
    file = tmp_path / "where-packets-wait.txt"
    file.write_text(f"{WRONG_LINE}\n{LINE[:-8]}\n")
    said = listed("--import", file)
    assert said[0] == "frag-needed/1: FAIL, taken in" and said[1].startswith(
        "line 2 is damaged: expected whole evidence"
    )
    assert first(said).endswith("[1 tried]")
    assert first(listed("--import", file)).endswith("[1 tried]") and first(listed()).endswith("[1 tried]")
    file.write_text(LINE)
    assert first(listed("--import", file)).endswith("[passed]")


def test_a_line_of_another_version_is_not_taken_in_and_it_is_said_why(listed, tmp_path):
    file = tmp_path / "lines"
    of_another = RIGHT.text().replace('"untouched":', '"unheard_of": 1, "untouched":', 1)
    file.write_text(f"where-packets-wait frag-needed/1 {pack(of_another)}")
    said = listed("--import", file)
    assert "unheard_of" in " ".join(said) and "taken in" not in " ".join(said) and first(said).endswith("[open]")


def test_a_line_that_is_said_to_be_of_another_exercise_is_not_taken_in(listed, tmp_path):
    file = tmp_path / "lines"
    file.write_text(LINE.replace("/1 ", "/2 "))
    said = listed("--import", file)
    assert "its evidence is of frag-needed/1" in said[0] and first(said).endswith("[open]")
