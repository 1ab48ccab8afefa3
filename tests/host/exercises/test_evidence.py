"""Is evidence kept whole, and judged again by a program that needs no guest and cannot do harm?"""

import json
import sys

import pytest
from click.testing import CliRunner

from core.judge.packed import pack
from core.statuses import Status
from host.cli import main
from host.errors import LabError
from host.exercises import commands, evidence, judging
from tests.labs.judge.made import RIGHT, mended, observed
from tests.labs.judge.stored import failed

LINE = f"where-packets-wait frag-needed/1 {pack(RIGHT.text())}"
WRONG_LINE = f"where-packets-wait frag-needed/1 {pack(mended(observed(200.0)).text())}"


def kept(folder, found=RIGHT):
    file = folder / "kept.json"
    evidence.keep(file, found.to_json())
    return file


def test_what_was_kept_comes_to_its_verdict(tmp_path):
    assert [each["verdict"] for each in evidence.verdicts_on_file(kept(tmp_path))] == ["PASS"]
    [wrong] = evidence.verdicts_on_file(kept(tmp_path, mended(observed(200.0))))
    assert wrong["verdict"] == "FAIL" and failed(wrong) == ["no-stall-direct-b"]
    assert [file.name for file in tmp_path.iterdir()] == ["kept.json"]


@pytest.mark.parametrize("text", [LINE, f"\ufeff\n{LINE}\r\n\n  ", f" {LINE}"])
def test_a_line_that_was_handed_in_comes_to_its_verdict_and_says_that_it_is_a_tabs(tmp_path, text):
    (tmp_path / "lines").write_text(text, newline="")
    [verdict] = evidence.verdicts_on_file(tmp_path / "lines")
    assert verdict["verdict"] == "PASS" and verdict["reasons"][0] == verdict["notes"][0]
    assert "is from a tab" in verdict["notes"][0]


def judged(file, *options):
    return CliRunner().invoke(main, ["judge", str(file), *options])


def test_of_lines_each_is_judged_and_a_damaged_one_is_said_by_its_number(tmp_path):
    file = tmp_path / "lines"
    file.write_text("\n".join([LINE, "", LINE[:-8], WRONG_LINE]))
    said = judged(file)
    assert said.exit_code == Status.FAILS
    assert [each for each in said.stdout.splitlines() if not each.startswith(" ")] == [
        "PASS  frag-needed/1",
        "COULD NOT TELL  line 3",
        "FAIL  frag-needed/1",
    ]
    assert "line 3 is damaged: expected whole evidence" in said.stdout and "note: line 4 is from a tab" in said.stdout
    assert [each["verdict"] for each in json.loads(judged(file, "--json").stdout)] == ["PASS", "COULD NOT TELL", "FAIL"]
    file.write_text(f"{LINE}\n{LINE[:-8]}")
    assert judged(file).exit_code == Status.COULD_NOT_TELL
    file.write_text(LINE)
    assert judged(file).exit_code == 0 and json.loads(judged(file, "--json").stdout)["verdict"] == "PASS"


@pytest.mark.parametrize(
    "line, why",
    [
        (LINE.replace("/1", "/2"), "said to be of frag-needed/2, and its evidence is of frag-needed/1"),
        (f"{LINE} more", "expected where-packets-wait CASE/N LETTERS"),
        ("another line", "expected where-packets-wait CASE/N LETTERS"),
        ("where-packets-wait frag-needed/1 \x1b[2J", "other letters"),
    ],
    ids=["of another", "more", "no line", "no letters"],
)
def test_of_a_damaged_line_it_is_said_why(tmp_path, line, why):
    (tmp_path / "lines").write_text(f"{line}\n{LINE}")
    damaged, whole = evidence.verdicts_on_file(tmp_path / "lines")
    assert (damaged["exercise"], damaged["verdict"], whole["verdict"]) == ("line 1", "COULD NOT TELL", "PASS")
    assert why in damaged["reasons"][0] and "line 2" in whole["notes"][0]


def test_a_line_may_hold_what_is_no_evidence(tmp_path):
    (tmp_path / "lines").write_text(f"where-packets-wait frag-needed/1 {pack('{}')}")
    [verdict] = evidence.verdicts_on_file(tmp_path / "lines")
    assert verdict["verdict"] == "COULD NOT TELL" and failed(verdict) == ["evidence-whole"]


def test_damage_could_not_tell(tmp_path):
    file = kept(tmp_path)
    file.write_bytes(file.read_bytes()[:-100])
    [verdict] = evidence.verdicts_on_file(file)
    assert verdict["verdict"] == "COULD NOT TELL" and failed(verdict) == ["evidence-whole"]


def test_a_file_that_is_not_there_is_named(tmp_path):
    with pytest.raises(LabError, match="cannot read .*: No such file") as refused:
        evidence.verdicts_on_file(tmp_path / "none")
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
    monkeypatch.setattr(evidence, "DEADLINE_S", 1 if "sleep" in program else 60)
    [verdict] = evidence.verdicts_on_file(file)
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
