"""What a reader types into a cell where there is no terminal: does it say what the terminal would?"""

import json
import os

import pytest
from IPython.core.interactiveshell import InteractiveShell

from core.cases import exercises
from core.judge import verdict
from core.judge.verdict import Verdict
from labs import notebook


@pytest.fixture
def typed(tmp_path, monkeypatch, capsys):
    """typed(line) runs a line magic, or with a cell the cell's; what it printed."""
    monkeypatch.setattr(verdict, "VERDICTS_FILE", str(tmp_path / "verdicts"))
    monkeypatch.setattr(verdict, "VERDICTS_TAKEN", str(tmp_path / "taken"))
    shell = InteractiveShell()
    notebook.load_ipython_extension(shell)

    def run(line: str, cell: str | None = None) -> str:
        name, _, rest = line.lstrip("%").partition(" ")
        shell.run_line_magic(name, rest) if cell is None else shell.run_cell_magic(name, rest, cell)
        return capsys.readouterr().out

    return run


@pytest.fixture
def judges(monkeypatch):
    """The answers that were judged; "right" passes."""
    answers = []

    def take_and_judge(id: str, answer: str):
        answers.append(answer)
        found = Verdict(id)
        found.expect("right", answer == "right", "it holds", "it does not hold")
        return found, None

    monkeypatch.setattr(notebook, "take_and_judge", take_and_judge)
    return answers


def state(typed, id: str) -> str:
    (line,) = [line for line in typed("%list").splitlines() if line.startswith(f"{id} ")]
    return line.partition("  [")[2].rstrip("]")


def test_hints_go_on_also_when_the_host_has_fetched_them(typed):
    assert state(typed, "frag-needed/1") == "open"
    assert typed("%hint frag-needed/1").startswith("hint 1 of")
    os.rename(verdict.VERDICTS_FILE, verdict.VERDICTS_TAKEN)
    assert typed("%hint frag-needed/1").startswith("hint 2 of")
    assert state(typed, "frag-needed/1") == "2 hints"
    for _ in range(5):
        last = typed("%hint frag-needed/1")
    number, _, total = last.split()[1:4]
    assert number == total.rstrip(":")


def test_the_list_has_each_exercise_and_says_what_it_does_not_know(typed):
    said = typed("%list")
    assert len([line for line in said.splitlines() if line.endswith("[open]")]) == len(exercises())
    assert "./lab list" in said.splitlines()[-1]


def test_a_file_is_judged_and_the_last_cell_again(typed, judges, tmp_path):
    typed("%%answer frag-needed/1", "wrong")
    typed("%check frag-needed/1")
    assert judges == ["wrong", "wrong"] and state(typed, "frag-needed/1") == "2 tried"
    (tmp_path / "an answer.sh").write_text("right")
    typed(f"%check frag-needed/1 {tmp_path / 'an answer.sh'}")
    assert judges[-1] == "right" and state(typed, "frag-needed/1") == "passed"


def test_what_it_cannot_judge_is_said_with_what_to_do(typed, judges):
    assert "Next: %%answer frag-needed/1" in typed("%check frag-needed/1")
    assert "Next: %%writefile /nowhere.sh" in typed("%check frag-needed/1 /nowhere.sh")
    assert "./lab check rtl8139-tso/5 FILE" in typed("%%answer rtl8139-tso/5", "int x;")
    assert "there are: frag-needed/1" in typed("%hint frag-needed/99") and not judges


def test_what_else_lies_there_is_passed_over(typed):
    junk = ["{", "null", "[]", json.dumps({"exercise": "frag-needed/1", "hint": "all"})]
    with open(verdict.VERDICTS_FILE, "w") as file:
        file.write("\n".join(junk))
    assert state(typed, "frag-needed/1") == "open"
