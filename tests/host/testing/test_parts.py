"""Does a change bring along the parts of the tests that it touches, and is what has not passed owed?"""

import re
import subprocess
import sys

import pytest

from host.errors import LabError
from host.paths import REPOSITORY
from host.testing import parts, run


@pytest.fixture
def repository(tmp_path, monkeypatch):
    """A checkout with two parts, `page` and `case`, of which nothing has passed yet."""
    monkeypatch.setattr(parts, "REPOSITORY", tmp_path)
    case = parts.Part(("case/",), ("host/", "lab"), ("host/tab/", "host/site.py"))
    monkeypatch.setattr(parts, "parts", lambda: {"page": parts.Part(("book/",)), "case": case})
    for name in ("book/page.md", "case/run.py", "host/vm.py", "host/site.py", "lab", "README.md"):
        write(tmp_path, name, "as it was")
    (tmp_path / "tests").mkdir()
    git(tmp_path, "init", "-q")
    commit(tmp_path)
    return tmp_path


def write(repository, name, text):
    (repository / name).parent.mkdir(parents=True, exist_ok=True)
    (repository / name).write_text(text)


def git(repository, *words):
    who = ["-c", "user.name=a", "-c", "user.email=a@example.org"]
    subprocess.run(["git", "-C", repository, *who, *words], check=True, capture_output=True)


def commit(repository):
    git(repository, "add", "-A")
    git(repository, "commit", "-qm", "a change")


@pytest.fixture
def all_passed(repository):
    for name in parts.parts():
        assert parts.passed(name, lambda: 0) == 0
    return repository


def test_what_never_passed_is_owed(repository):
    assert parts.due() == ([], ["page", "case"])


def test_what_passed_on_these_files_is_neither_run_nor_owed(all_passed):
    assert parts.due() == ([], [])
    commit(all_passed)  # the record itself, which is no change
    write(all_passed, "README.md", "edited")
    assert parts.due() == ([], [])


@pytest.mark.parametrize(
    "name, along, owed",
    [
        ("book/page.md", ["page"], []),
        ("book/new.md", ["page"], []),
        ("case/run.py", ["case"], []),
        ("host/vm.py", [], ["case"]),
        ("lab", [], ["case"]),
        ("laboratory", [], []),
        ("host/site.py", [], []),
        ("host/tab/state.py", [], []),
    ],
)
@pytest.mark.parametrize("committed", [True, False])
def test_own_files_bring_a_part_along_and_its_machinery_makes_it_owed(all_passed, name, along, owed, committed):
    write(all_passed, name, "edited")
    if committed:
        commit(all_passed)
    assert parts.due() == (along, owed)


@pytest.mark.parametrize(
    "name, owed",
    [
        ("host/tab/state.py", False),
        ("vm-image/tab/live.js", False),
        ("host/site/build.py", False),
        ("host/vm/serving.py", True),
        ("host/recording/record.py", True),
        ("vm-image/packages.toml", True),
        ("core/cases.py", True),
        ("labs/table.py", True),
        ("tests/vm/test_tab.py", False),
        ("tests/vm/conftest.py", True),
        ("tests/vm/test_cases.py", True),
        ("labs/cases/addr_select/case.py", False),
    ],
)
def test_a_case_is_owed_for_what_it_runs_through_and_for_nothing_else(monkeypatch, name, owed):
    monkeypatch.setattr(parts, "changed_since", lambda commit: [name])
    known = {"frag-needed": {"passed_on": "abc", "took_s": 1}}
    assert parts.stale(known).get("frag-needed") == (False if owed else None)


@pytest.mark.parametrize(
    "name",
    [
        "book/new.md",
        "book/_ext/chart.py",
        "notebooks/frag-needed.md",
        "host/site/build.py",
        "host/chromium.py",
        "requirements.txt",
        "vm-image/qemu/rtl8139/tso-mtu.patch",
    ],
)
def test_what_pages_are_made_of_brings_the_site_along(monkeypatch, name):
    monkeypatch.setattr(parts, "changed_since", lambda commit: [name])
    assert parts.stale({"site": {"passed_on": "abc", "took_s": 1}})["site"]


def test_the_lines_of_the_toolbox_are_tried_when_its_page_has_changed(monkeypatch):
    monkeypatch.setattr(parts, "changed_since", lambda commit: ["book/toolbox.md"])
    assert parts.stale({"machinery": {"passed_on": "abc", "took_s": 1}})["machinery"]


def test_what_is_aside_is_there_and_no_command_for_a_case_needs_it():
    assert all((REPOSITORY / path).exists() for path in parts.ASIDE)
    code = (
        "import host.exercises.answering, host.notebook.jupyter, host.notebook.kernel, host.vm.labs, sys\n"
        "print(*sys.modules)"
    )
    known = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, cwd=REPOSITORY)
    needed = [name.replace(".", "/") + ".py" for name in known.stdout.split() if name.startswith("host.")]
    assert "host/vm/serving.py" in needed and not [name for name in needed if name.startswith(parts.ASIDE)]


def test_no_file_of_tests_that_is_aside_has_a_test_of_a_case():
    for name in parts.OF_NO_CASE:
        text = (REPOSITORY / f"tests/vm/test_{name}.py").read_text()
        assert set(re.findall(r"\bwhole\(([^,)]*)", text)) <= {'"machinery"'}, name


def test_a_file_that_moved_out_of_a_part_has_changed_there(all_passed):
    git(all_passed, "mv", "book/page.md", "page.md")
    assert parts.due() == (["page"], [])


def test_no_more_comes_along_than_there_is_time_for(all_passed):
    record = all_passed / parts.RECORD
    record.write_text(re.sub(r"took_s = \d+", f"took_s = {parts.AT_MOST_S // 2 + 1}", record.read_text()))
    write(all_passed, "book/page.md", "edited")
    write(all_passed, "case/run.py", "edited")
    assert parts.due() == (["page"], ["case"])


def test_a_commit_that_this_clone_lacks_is_as_if_nothing_had_passed(all_passed):
    record = all_passed / parts.RECORD
    record.write_text(record.read_text().replace(parts.recorded()["page"]["passed_on"], "0" * 40))
    assert parts.due() == ([], ["page", "case"])


def test_what_fails_is_not_written_down_nor_what_ran_on_no_commit(repository, capsys):
    assert parts.passed("page", lambda: 1) == 1 and parts.recorded() == {}
    write(repository, "README.md", "not committed")
    assert parts.passed("page", lambda: 0) == 0 and parts.recorded() == {}
    assert "changes without a commit" in capsys.readouterr().err


def test_one_that_comes_along_and_passes_is_written_down_with_the_time_that_it_took_alone(all_passed):
    record = all_passed / parts.RECORD
    record.write_text(re.sub(r"took_s = \d+", "took_s = 7", record.read_text()))
    write(all_passed, "book/page.md", "edited")
    assert parts.came_along(["page"], lambda: 0) == 0 and parts.due() == (["page"], []), "this is no commit"
    commit(all_passed)
    assert parts.came_along(["page"], lambda: 1) == 1 and parts.due() == (["page"], [])
    assert parts.came_along(["page"], lambda: 0) == 0 and parts.due() == ([], [])
    head = subprocess.run(["git", "-C", all_passed, "rev-parse", "HEAD"], capture_output=True, text=True).stdout.strip()
    assert parts.recorded()["page"] == {"passed_on": head, "took_s": 7}


def test_one_that_passed_in_part_is_owed_and_one_that_failed_in_part_too(all_passed):
    write(all_passed, "host/vm.py", "edited")
    commit(all_passed)
    assert parts.passed("case", lambda: 0, whole=False) == 0 and parts.due() == ([], ["case"])
    assert parts.passed("page", lambda: 1, whole=False) == 1 and parts.due() == ([], ["page", "case"])


def test_one_that_fails_after_it_passed_is_owed(all_passed):
    assert parts.passed("page", lambda: 1) == 1
    assert parts.due() == ([], ["page"])


def test_an_unknown_part_names_the_known():
    with pytest.raises(LabError, match="no part 'pages'; there are: base, site, machinery, frag-needed"):
        run.run(False, False, "pages", [])
