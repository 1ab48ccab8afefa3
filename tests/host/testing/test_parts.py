"""Does a change bring along the parts of the tests that it touches, and does `--all` run what has not passed?"""

import json
import re
import subprocess
import sys

import pytest

from host.errors import LabError
from host.paths import REPOSITORY
from host.testing import parts, run


@pytest.fixture
def repository(tmp_path, monkeypatch):
    """A checkout with two parts, `page` and `case`, of which nothing has passed yet; it landed as it is."""
    monkeypatch.setattr(parts, "REPOSITORY", tmp_path)
    case = parts.Part(100, ("case/",), ("host/", "lab"), ("host/tab/", "host/site.py"))
    monkeypatch.setattr(parts, "parts", lambda: {"page": parts.Part(50, ("book/",)), "case": case})
    for name in ("book/page.md", "case/run.py", "host/vm.py", "host/site.py", "lab", "README.md"):
        write(tmp_path, name, "as it was")
    write(tmp_path, ".gitignore", "_build/")
    git(tmp_path, "init", "-q")
    commit(tmp_path)
    monkeypatch.setenv("LAND_BASE", head(tmp_path))
    return tmp_path


def write(repository, name, text):
    (repository / name).parent.mkdir(parents=True, exist_ok=True)
    (repository / name).write_text(text)


def git(repository, *words):
    who = ["-c", "user.name=a", "-c", "user.email=a@example.org"]
    return subprocess.run(["git", "-C", repository, *who, *words], check=True, capture_output=True, text=True).stdout


def commit(repository):
    git(repository, "add", "-A")
    git(repository, "commit", "-qm", "a change")


def head(repository):
    return git(repository, "rev-parse", "HEAD").strip()


@pytest.fixture
def all_passed(repository):
    for name in parts.parts():
        assert parts.passed(name, lambda: 0) == 0
    return repository


def test_what_landed_brings_nothing_along_and_all_runs_what_never_passed(repository):
    assert parts.touched() == ([], []) and parts.not_passed() == ["page", "case"]


def test_what_passed_on_these_files_is_not_run_again(all_passed):
    write(all_passed, "README.md", "edited")
    assert parts.touched() == ([], []) and parts.not_passed() == []


@pytest.mark.parametrize(
    "name, along, again",
    [
        ("book/page.md", ["page"], ["page"]),
        ("book/new.md", ["page"], ["page"]),
        ("case/run.py", ["case"], ["case"]),
        ("host/vm.py", [], ["case"]),
        ("lab", [], ["case"]),
        ("laboratory", [], []),
        ("host/site.py", [], []),
        ("host/tab/state.py", [], []),
    ],
)
@pytest.mark.parametrize("committed", [True, False])
def test_own_files_bring_a_part_along_and_its_machinery_has_all_run_it(all_passed, name, along, again, committed):
    write(all_passed, name, "edited")
    if committed:
        commit(all_passed)
    assert parts.touched() == (along, []) and parts.not_passed() == again


@pytest.mark.parametrize(
    "name, again",
    [
        ("host/tab/state.py", False),
        ("vm-image/tab/live.js", False),
        ("host/site/build.py", False),
        ("host/vm/guests.py", True),
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
def test_all_runs_a_case_for_what_it_runs_through_and_for_nothing_else(monkeypatch, name, again):
    monkeypatch.setattr(parts, "changed_since", lambda commit: [name])
    monkeypatch.setattr(parts, "recorded", lambda: {"frag-needed": "abc"})
    assert ("frag-needed" in parts.not_passed()) is again


@pytest.mark.parametrize(
    "name",
    [
        "book/new.md",
        "book/_ext/drawn/chart.py",
        "notebooks/frag-needed.md",
        "host/site/build.py",
        "host/chromium.py",
        "requirements.txt",
        "tests/requirements.txt",
        "vm-image/qemu/rtl8139/tso-mtu.patch",
    ],
)
def test_what_pages_are_made_of_brings_the_site_along(monkeypatch, name):
    monkeypatch.setenv("LAND_BASE", "abc")
    monkeypatch.setattr(parts, "changed_since", lambda commit: [name])
    assert "site" in parts.touched()[0]


def test_the_lines_of_the_toolbox_are_tried_when_its_page_has_changed(monkeypatch):
    monkeypatch.setenv("LAND_BASE", "abc")
    monkeypatch.setattr(parts, "changed_since", lambda commit: ["book/toolbox.md"])
    assert "machinery" in sum(parts.touched(), [])


def test_where_no_commit_is_named_the_base_runs_alone(repository, monkeypatch):
    monkeypatch.delenv("LAND_BASE")
    write(repository, "book/page.md", "edited")
    assert parts.touched() == ([], [])


def test_what_is_aside_is_there_and_no_command_for_a_case_needs_it():
    assert all((REPOSITORY / path).exists() for path in parts.NOT_ON_PATH)
    code = (
        "import host.exercises.commands, host.notebook.jupyter, host.notebook.kernel, host.vm.guest_commands, sys\n"
        "print(*sys.modules)"
    )
    known = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, cwd=REPOSITORY)
    needed = [name.replace(".", "/") + ".py" for name in known.stdout.split() if name.startswith("host.")]
    assert "host/vm/guests.py" in needed and not [name for name in needed if name.startswith(parts.NOT_ON_PATH)]


def test_no_file_of_tests_that_is_aside_has_a_test_of_a_case():
    for name in parts.OF_NO_CASE:
        text = (REPOSITORY / f"tests/vm/test_{name}.py").read_text()
        assert set(re.findall(r"\bwhole\(([^,)]*)", text)) <= {'"machinery"'}, name


def test_a_file_that_moved_out_of_a_part_has_changed_there(all_passed):
    git(all_passed, "mv", "book/page.md", "page.md")
    assert parts.touched() == (["page"], [])


def test_no_more_comes_along_than_there_is_time_for(all_passed, monkeypatch):
    monkeypatch.setattr(parts, "AT_MOST_S", 149)
    write(all_passed, "book/page.md", "edited")
    write(all_passed, "case/run.py", "edited")
    assert parts.touched() == (["page"], ["case"])


def test_a_commit_that_this_clone_lacks_is_as_if_all_had_changed(all_passed, monkeypatch):
    (all_passed / parts.RECORD).write_text(json.dumps(parts.recorded() | {"page": "0" * 40}))
    assert parts.not_passed() == ["page"]
    monkeypatch.setenv("LAND_BASE", "0" * 40)
    assert parts.touched() == (["page", "case"], [])


@pytest.mark.parametrize("damaged", ["", "{", "[]", '"page"'])
def test_a_damaged_record_is_none(all_passed, damaged):
    (all_passed / parts.RECORD).write_text(damaged)
    assert parts.not_passed() == ["page", "case"]


def test_what_fails_is_not_written_down_nor_what_ran_on_no_commit(repository, capsys):
    assert parts.passed("page", lambda: 1) == 1 and parts.recorded() == {}
    write(repository, "README.md", "not committed")
    assert parts.passed("page", lambda: 0) == 0 and parts.recorded() == {}
    assert "changes without a commit" in capsys.readouterr().err


def test_one_that_passed_in_part_is_run_again_and_one_that_failed_in_part_too(all_passed):
    write(all_passed, "host/vm.py", "edited")
    commit(all_passed)
    assert parts.passed("case", lambda: 0, whole=False) == 0 and parts.not_passed() == ["case"]
    assert parts.passed("page", lambda: 1, whole=False) == 1 and parts.not_passed() == ["page", "case"]


def test_one_that_fails_after_it_passed_is_run_again(all_passed):
    assert parts.passed("page", lambda: 1) == 1
    assert parts.not_passed() == ["page"]


def test_an_unknown_part_names_the_known():
    with pytest.raises(LabError, match="no part 'pages'; there are: base, site, tab, machinery, frag-needed"):
        run.run(False, False, "pages", [])
