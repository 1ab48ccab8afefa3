"""Is a recording from which the book's conclusions do not follow noticed, and said to be?"""

import json
import subprocess

import pytest

from host.errors import LabError
from host.recording import conclusions, record
from host.recording.record import RECORDINGS

STORED = sorted(RECORDINGS.glob("*.json"))
RECORDING = {"run": {"a_ms": 20.0, "b_ms": 240.0, "ways": [{"name": "A", "ok": True}, {"name": "B", "ok": False}]}}


@pytest.mark.parametrize("file", STORED, ids=lambda file: file.stem)
def test_the_stored_recordings_lead_to_the_books_conclusions(file):
    record.hold(file.stem, json.loads(file.read_text()))


def test_there_is_a_recording():
    assert STORED


def test_a_slower_machine_changes_nothing_and_another_outcome_does():
    file = RECORDINGS / "frag-needed.invariants.toml"
    text = (RECORDINGS / "frag-needed.json").read_text()
    slower = json.loads(text, parse_float=lambda figure: float(figure) * 1.7)
    assert conclusions.changed(file, slower) == []
    alike = json.loads(text)
    alike["run"]["direct"]["b_ms"] = alike["run"]["direct"]["a_ms"]
    changed = conclusions.changed(file, alike)
    assert [line.split()[0] for line in changed] == ["B", "Without"]


@pytest.mark.parametrize("expression, expected", [
    ("run.b_ms > 5 * run.a_ms", True), ("run.a_ms > run.b_ms", False), ("10 < run.a_ms < 30", True),
    ("run.ways[1].name == 'B'", True), ("run['ways'][0]['name'] in ['A', 'C']", True),
    ("all(way.ok for way in run.ways)", False), ("any(way.ok for way in run.ways if way.name == 'A')", True),
    ("len(run.ways) == 2 and not run.ways[1].ok", True), ("abs(run.a_ms - run.b_ms) / 2 == 110", True),
    ("run.ways[0].ok == true", True),
])
def test_what_an_expression_may_say(expression, expected):
    assert conclusions.value(expression, RECORDING) is expected


@pytest.mark.parametrize("expression, complaint", [
    ("run.c_ms > 1", "there is no 'c_ms' in a_ms, b_ms, ways"), ("run.a_ms >", "at column"),
    ("__import__('os')", "expected one of len"), ("run.a_ms.__class__", "there is no '__class__'"),
    ("(lambda: 1)()", "expected one of len"), ("run.a_ms > 'A'", "not supported"), ("run.a_ms ** 2 > 1", "Pow"),
])
def test_what_it_may_not(expression, complaint):
    with pytest.raises(conclusions.Unreadable, match=complaint.replace("(", r"\(")):
        conclusions.value(expression, RECORDING)


def test_a_changed_conclusion_says_which_and_by_what_values(tmp_path, monkeypatch):
    monkeypatch.setattr(record, "RECORDINGS", tmp_path)
    (tmp_path / "x.invariants.toml").write_text('[[conclusion]]\nsays = "B waits longer."\nholds = "run.b_ms > run.a_ms"\n')
    record.hold("x", RECORDING)
    with pytest.raises(LabError) as error:
        record.hold("x", {"run": {"a_ms": 5, "b_ms": 4, "reasons": ["yes A answered", "no B waited long"]}})
    assert "nothing was stored" in str(error.value) and "B waits longer." in str(error.value)
    assert "run.b_ms = 4, run.a_ms = 5" in str(error.value)
    assert "- B waited long" in str(error.value) and "A answered" not in str(error.value)
    with pytest.raises(LabError, match="found no such file"):
        record.hold("y", RECORDING)


def test_a_recording_names_its_commit_and_what_it_writes_itself_is_no_change(tmp_path, monkeypatch):
    def git(*words):
        subprocess.run(["git", "-C", tmp_path, "-c", "user.name=a", "-c", "user.email=a", *words], check=True,
                       capture_output=True)

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
    for file in files[:2]:
        file.write_text("recorded anew")
    assert record.commit() == clean and len(clean) == 12
    files[2].write_text("edited")
    assert record.commit() == f"{clean}-dirty"
