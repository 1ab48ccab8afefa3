"""Is evidence kept whole, and judged again by a program that needs no guest and cannot do harm?"""

import json
import sys

import pytest

from core.statuses import Status
from host.errors import LabError
from host.exercises import commands, evidence, judging
from tests.labs.judge.made import RIGHT, mended, observed
from tests.labs.judge.stored import failed


def kept(folder, found=RIGHT):
    file = folder / "kept.json"
    evidence.keep(file, found.to_json())
    return file


def test_what_was_kept_comes_to_its_verdict(tmp_path):
    assert evidence.verdict_on_file(kept(tmp_path))["verdict"] == "PASS"
    wrong = evidence.verdict_on_file(kept(tmp_path, mended(observed(200.0))))
    assert wrong["verdict"] == "FAIL" and failed(wrong) == ["no-stall-direct-b"]
    assert [file.name for file in tmp_path.iterdir()] == ["kept.json"]


def test_damage_could_not_tell(tmp_path):
    file = kept(tmp_path)
    file.write_bytes(file.read_bytes()[:-100])
    verdict = evidence.verdict_on_file(file)
    assert verdict["verdict"] == "COULD NOT TELL" and failed(verdict) == ["evidence-whole"]


def test_a_file_that_is_not_there_is_named(tmp_path):
    with pytest.raises(LabError, match="cannot read .*: No such file") as refused:
        evidence.verdict_on_file(tmp_path / "none")
    assert refused.value.status == Status.USAGE


@pytest.mark.parametrize(
    "program, said",
    [
        ("import time; time.sleep(600)", "it was not judged in 1 s"),
        ("raise SystemExit('no')", "the judge itself failed (no)"),
        ("print('[]')", "the judge itself failed (status 0)"),
        ('print(\'{"verdict": "PASS"}\'); raise SystemExit(1)', "the judge itself failed (status 1)"),
        ("print('{\"verdict\": []}')", "the judge itself failed (status 0)"),
    ],
)
def test_a_judge_that_fails_or_hangs_could_not_tell(tmp_path, monkeypatch, program, said):
    file = kept(tmp_path)
    python = tmp_path / "python"
    python.write_text(f"#!{sys.executable}\n{program}\n")
    python.chmod(0o755)
    monkeypatch.setattr(evidence.sys, "executable", str(python))
    monkeypatch.setattr(evidence, "DEADLINE_S", 1)
    verdict = evidence.verdict_on_file(file)
    assert (verdict["verdict"], verdict["reasons"]) == ("COULD NOT TELL", [said])


@pytest.fixture
def answer(tmp_path, monkeypatch):
    """answer(found, keep): an answer is checked, and its guest says this evidence."""
    monkeypatch.setattr(commands.progress, "add", lambda event: None)
    file = tmp_path / "answer.sh"
    file.write_text("on client true\n")

    def checked(found, keep):
        said = {"exercise": "frag-needed/1", "verdict": "PASS", "reasons": ["yes"]} | (
            {"evidence": found} if found else {}
        )
        monkeypatch.setattr(judging, "judge", lambda *_: dict(said))
        return commands.check("frag-needed/1", file, keep=keep)

    return checked


def test_it_is_kept_where_the_reader_says(answer, tmp_path):
    verdict = answer({"a": 1}, tmp_path / "kept.json")
    assert verdict == {"exercise": "frag-needed/1", "verdict": "PASS", "reasons": ["yes"]}
    assert json.loads((tmp_path / "kept.json").read_text()) == {"a": 1}


def test_a_verdict_without_evidence_says_so(answer, tmp_path):
    verdict = answer(None, tmp_path / "kept.json")
    assert "there is no evidence of this verdict to keep" in verdict["reasons"][-1] == verdict["notes"][-1]
    assert not (tmp_path / "kept.json").exists()


@pytest.mark.parametrize("where", ["", "none/kept.json"])
def test_where_nothing_can_be_kept_nothing_is_measured(answer, tmp_path, monkeypatch, where):
    with pytest.raises(LabError, match="no file can be made there") as refused:
        answer(None, tmp_path / where)
    assert refused.value.status == Status.USAGE


def test_the_answer_is_not_written_over(answer, tmp_path):
    with pytest.raises(LabError, match="is the answer itself") as refused:
        answer(None, tmp_path / "answer.sh")
    assert refused.value.status == Status.USAGE
