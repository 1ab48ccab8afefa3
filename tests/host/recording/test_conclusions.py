"""Is a recording from which the book's conclusions do not follow noticed, and said to be?"""

import json
import subprocess

import pytest

from core import cases
from host.errors import LabError
from host.recording import conclusions, record
from host.recording.record import RECORDINGS

STORED = sorted(RECORDINGS.glob("*.json"))
RECORDING = {"run": {"a_ms": 20.0, "b_ms": 240.0, "ways": [{"name": "A", "ok": True}, {"name": "B", "ok": False}]}}


@pytest.mark.parametrize("file", STORED, ids=lambda file: file.stem)
def test_the_stored_recordings_lead_to_the_books_conclusions(file):
    record.hold(file.stem, json.loads(file.read_text()))


@pytest.mark.parametrize("case", cases.cases())
def test_a_look_that_finds_the_fault_where_nothing_is_wrong_is_noticed_in_every_case(case):
    recording = json.loads((RECORDINGS / f"{case}.json").read_text())
    next(look for look in recording["on_call"].values() if not look["describes"])["tells_in_control"] = True
    with pytest.raises(LabError, match="do not find it in the control"):
        record.hold(case, recording)


def test_there_is_a_recording():
    assert STORED


def test_a_slower_machine_changes_nothing_and_another_outcome_does():
    file = RECORDINGS / "frag-needed.conclusions.py"
    text = (RECORDINGS / "frag-needed.json").read_text()
    slower = json.loads(text, parse_float=lambda figure: float(figure) * 1.7)
    assert conclusions.changed(file, slower) == []
    alike = json.loads(text)
    alike["run"]["direct"]["b_ms"] = alike["run"]["direct"]["a_ms"]
    changed = conclusions.changed(file, alike)
    assert [line.split()[0] for line in changed] == ["B", "Without"]


@pytest.fixture
def changed(tmp_path):
    """changed(line, recording) is what is said of a conclusion with this line, the fourth of its file."""

    def said(line: str, recording: dict = RECORDING) -> str:
        file = tmp_path / "x.conclusions.py"
        file.write_text(f'def b_waits(run):\n    """B waits\n    longer."""\n    {line}\n')
        return "\n".join(conclusions.changed(file, recording))

    return said


@pytest.mark.parametrize(
    "line",
    [
        "assert run.b_ms > 5 * run.a_ms",
        "assert 10 < run.a_ms < 30 and run.ways[1].name == 'B'",
        "assert any(way.ok for way in run.ways if way.name == 'A')",
        "assert run['ways'][0]['ok'] is True",
    ],
)
def test_what_follows_is_not_mentioned(changed, line):
    assert changed(line) == ""


@pytest.mark.parametrize(
    "line, said",
    [
        ("assert run.a_ms > run.b_ms", "run.a_ms > run.b_ms\n    with run.a_ms = 20.0, run.b_ms = 240.0"),
        (
            "assert (run.ways[0].ok\n        and run.ways[1].ok)",
            "run.ways[0].ok and run.ways[1].ok\n    with run.ways[0].ok = True, run.ways[1].ok = False",
        ),
        ("for way in run.ways: assert way.ok, way.name", "way.ok: B\n    with way.ok = False"),
        ("assert run.c_ms > 1", "cannot be evaluated: there is no 'c_ms' in a_ms, b_ms, ways"),
        ("assert run.ways[2].ok", "cannot be evaluated: list index out of range"),
        ("assert run.a_ms > 'A'", "cannot be evaluated: '>' not supported"),
    ],
)
def test_what_does_not_is_named_with_its_line_and_values(changed, line, said):
    assert changed(line).startswith(f"B waits longer.\n    x.conclusions.py, line 4: {said}")


def test_a_recording_without_the_part_that_is_asked_for_is_named(changed):
    assert changed("pass", {"trace": {}}).endswith("x.conclusions.py: cannot be evaluated: there is no 'run' in trace")


def test_no_word_of_a_recording_is_run(changed, tmp_path):
    code = f"__import__('pathlib').Path({str(tmp_path / 'run')!r}).touch()"
    assert "with run.a_ms = __import__" in changed(
        "assert run.a_ms == run.b_ms", {"run": {"a_ms": code, "b_ms": {code: code}, "__class__": code, "items": code}}
    )
    assert not (tmp_path / "run").exists()


def test_a_changed_conclusion_says_which_and_by_what_values(tmp_path, monkeypatch):
    monkeypatch.setattr(record, "RECORDINGS", tmp_path)
    (tmp_path / "x.conclusions.py").write_text('def b(run):\n    "B waits longer."\n    assert run.b_ms > run.a_ms\n')
    record.hold("x", RECORDING)
    with pytest.raises(LabError) as error:
        record.hold("x", {"run": {"a_ms": 5, "b_ms": 4, "reasons": ["yes A answered", "no B waited long"]}})
    assert "nothing was stored" in str(error.value) and "B waits longer." in str(error.value)
    assert "run.b_ms = 4, run.a_ms = 5" in str(error.value)
    assert "- B waited long" in str(error.value) and "A answered" not in str(error.value)
    with pytest.raises(LabError, match="found no such file"):
        record.hold("y", RECORDING)
    (tmp_path / "x.conclusions.py").write_text("")
    with pytest.raises(LabError, match="at least one conclusion"):
        record.hold("x", RECORDING)


def test_a_recording_names_its_commit_and_what_it_writes_itself_is_no_change(tmp_path, monkeypatch):
    def git(*words):
        subprocess.run(
            ["git", "-C", tmp_path, "-c", "user.name=a", "-c", "user.email=a", *words], check=True, capture_output=True
        )

    files = [tmp_path / path for path in ("book/_recordings/a.json", "notebooks/a.ipynb", "notebooks/a.md")]
    for file in files:
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text("first")
    monkeypatch.setattr(record, "REPOSITORY", tmp_path)
    assert record.commit() == "uncommitted"
    git("init")
    git("add", ".")
    git("commit", "-m", "first")
    clean = record.commit()
    for file in files[:-1]:
        file.write_text("recorded anew")
    assert record.commit() == clean and len(clean) == 12
    files[-1].write_text("edited")
    assert record.commit() == f"{clean}-dirty"
