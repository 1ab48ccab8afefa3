"""Do `./lab test`'s calls of pytest come in their order, and does one that fails make the whole fail?"""

import shutil
import subprocess
import sys

import pytest

from host.debian import installed
from host.paths import REPOSITORY
from host.site import quoted
from host.tab import state
from host.testing import parts, run
from host.vm import snapshot
from tests.guest.conclusive import conclusive

WITHOUT_VM = ["tests/core", "tests/host", "tests/labs", "tests/site", "tests/attacks"]


@pytest.fixture
def calls(monkeypatch):
    """What is made and called, in order; pytest ends with the statuses in `calls.ends`, 0 after those. In `calls.whole`
    the parts that are written down if they pass (or not)."""

    class Calls(list):
        ends: list[int] = []
        whole: dict[str, bool]

    seen = Calls()
    seen.whole = {}
    monkeypatch.setattr(installed, "need", lambda *names: None)
    monkeypatch.setattr(run, "names", lambda: ["stock"])
    monkeypatch.setattr(parts, "touched", lambda: (["site"], ["machinery"]))
    monkeypatch.setattr(parts, "not_passed", lambda: ["site", "machinery"])
    monkeypatch.setattr(parts, "passed", lambda name, run, whole: seen.whole.update({name: whole}) or run())
    monkeypatch.setattr(snapshot, "snapshot", lambda name: seen.append("snapshot"))
    monkeypatch.setattr(state, "state", lambda: seen.append("tab"))
    monkeypatch.setattr(quoted, "trees", lambda: seen.append("sources"))

    def pytest_called(words):
        seen.append([word for word in words if word.startswith(("tests/", "-k", "--parts"))])
        return seen.ends.pop(0) if seen.ends else 0

    monkeypatch.setattr(run, "_pytest", pytest_called)
    return seen


def status(*words, quick=False, everything=False, part=None) -> int:
    with pytest.raises(SystemExit) as ended:
        run.run(quick, everything, part, list(words))
    return ended.value.code


def test_what_measures_runs_after_what_opens_a_browser(calls):
    assert status() == 0
    assert calls == [
        "snapshot",
        "tab",
        "sources",
        ["--parts=base,site", *WITHOUT_VM],
        ["--parts=base,site", "tests/vm"],
    ]


def test_without_a_vm_none_is_made(calls):
    assert status(quick=True) == 0 and status("tests/host/test_cli.py") == 0
    assert calls == ["tab", "sources", ["--parts=base,site", *WITHOUT_VM], "sources", ["tests/host/test_cli.py"]]


@pytest.mark.parametrize(
    "word, made",
    [("tests/site/test_whole.py", True), ("tests/vm/test_tab_cells.py", True), ("tests/vm/test_vm.py", False)],
)
def test_the_kernel_of_the_tab_is_made_for_those_who_run_it(calls, word, made):
    assert status(word) == 0 and ("tab" in calls) is made


@pytest.mark.parametrize("ends, code", [([1, 0], 1), ([0, 1], 1), ([5, 0], 0), ([0, 5], 0), ([5, 5], 5), ([1, 5], 1)])
def test_each_part_runs_and_one_that_fails_makes_the_whole_fail(calls, ends, code):
    calls.ends = list(ends)
    assert status("-k", "something") == code
    assert calls[-1] == ["--parts=base,site", "tests/vm", "-k"]


def test_all_runs_each_part_by_itself_and_one_may_be_named(calls):
    assert status(everything=True) == 0
    assert [call[0] for call in calls[3::2]] == ["--parts=base", "--parts=site", "--parts=machinery"]
    calls.clear()
    assert status(part="machinery", quick=True) == 0
    assert calls == ["tab", "sources", ["--parts=machinery", *WITHOUT_VM]]


@pytest.mark.parametrize(
    "words, quick, whole",
    [([], False, True), (["-rfE", "--durations=25"], False, True), (["-k", "reset"], False, False), ([], True, False)],
)
def test_a_part_of_which_some_tests_ran_has_not_passed(calls, words, quick, whole):
    assert status(*words, quick=quick, part="machinery") == 0 and calls.whole == {"machinery": whole}


def test_a_part_that_changed_and_is_not_run_is_named_with_its_command(calls, capsys):
    assert status(quick=True) == 0 and calls.whole == {}
    assert "changed, and not run: machinery" in (said := capsys.readouterr().err) and "./lab test --all" in said


@pytest.mark.parametrize("lost, code", [(0, 0), (run.MOST_LOST, 0), (run.MOST_LOST + 1, 1)])
def test_guests_that_were_lost_are_counted_and_too_many_are_a_failure(calls, capsys, monkeypatch, tmp_path, lost, code):
    monkeypatch.setattr(run, "LOST_GUESTS_FILE", str(tmp_path / "lost"))
    monkeypatch.setattr(run, "_pytest", lambda words: (tmp_path / "lost").write_text("stock: it did not\n" * lost) * 0)
    assert status() == code
    assert ("lost: " in (said := capsys.readouterr().err)) == bool(lost) and said.count("it did not") == lost


@pytest.mark.parametrize("inconclusive", range(run.MOST_LOST + 2))
def test_what_could_not_tell_is_lost_and_asked_again(inconclusive):
    answers, lost = iter([False] * inconclusive + [True] * 2), []
    assert conclusive(lambda: next(answers), lambda found: not found, lost.append) is (inconclusive <= run.MOST_LOST)
    assert lost == ["the machine did not hold still"] * min(inconclusive, run.MOST_LOST)


IN_GUEST = """
from types import SimpleNamespace as Outcome

case = Outcome(run=lambda: outcomes.pop())
outcomes = [Outcome(reproduced=True)]
outcomes += [Outcome(reproduced=None, claimed=lambda: {"reasons": ["the machine stood still"]})] * 2


def test_it_reproduces(outcome):
    assert outcome.reproduced
"""


def test_what_a_guest_loses_is_said_on_the_terminal(tmp_path):
    for name in ("conftest.py", "conclusive.py"):
        shutil.copy(REPOSITORY / "tests/guest" / name, tmp_path)
    (tmp_path / "test_case.py").write_text(IN_GUEST)
    words = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", f"--rootdir={tmp_path}", tmp_path]
    done = subprocess.run(words, cwd=REPOSITORY, capture_output=True, text=True)
    said = [line for line in done.stdout.splitlines() if line.startswith("lost: ")]
    assert (done.returncode, said) == (0, ["lost: the machine did not hold still"] * 2), done.stdout
