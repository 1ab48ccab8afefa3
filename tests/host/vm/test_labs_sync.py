"""Does a guest get what it lacks of core/ and labs/, and all of it when nobody knows what it has?"""

import io
import shutil
import subprocess
import tarfile

import pytest

from host.vm import labs_sync

ALL = ["core/cases.py", "labs/case.py", "labs/cases/one/start.sh", "tests/guest/test_one.py"]


@pytest.fixture
def checkout(tmp_path, monkeypatch):
    """A small repository, and a run's folder whose guest woke with what it holds."""
    for name in (*ALL, "labs/__pycache__/case.pyc"):
        file = tmp_path / "repository" / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(name)
    monkeypatch.setattr(labs_sync, "REPOSITORY", tmp_path / "repository")
    run = tmp_path / "run"
    run.mkdir()
    labs_sync.has(run, labs_sync.contents())
    return tmp_path / "repository", run


def sent(run):
    """(names of the files in the archive, the command that unpacks it)"""
    with labs_sync.packed(run) as labs:
        if labs.archive == subprocess.DEVNULL:
            return [], labs.unpack
        with tarfile.open(fileobj=io.BytesIO(labs.archive.read())) as archive:
            return sorted(member.name for member in archive if member.isfile()), labs.unpack


def test_nothing_is_sent_when_nothing_has_changed(checkout):
    assert sent(checkout[1]) == ([], "")


def test_what_changed_or_is_new_is_sent_alone(checkout):
    repository, run = checkout
    (repository / "labs/case.py").write_text("another")
    (repository / "labs/cases/one/start.sh").chmod(0o755)
    (repository / "labs/new.py").write_text("new")
    assert sent(run) == (["labs/case.py", "labs/cases/one/start.sh", "labs/new.py"], "tar -x")


def test_what_is_gone_is_removed_and_nothing_is_sent_for_it(checkout):
    """Everything sent anew would have everything compiled anew, see __pycache__."""
    repository, run = checkout
    (repository / "labs/cases/one/start.sh").unlink()
    (repository / "labs/case.py").rename(repository / "labs/the case.py")
    (repository / "labs/cases/one/wrong").mkdir()
    (repository / "labs/cases/one/wrong/start.sh").write_text("wrong")
    assert sent(run) == (
        ["labs/cases/one/wrong/start.sh", "labs/the case.py"],
        "rm -rf -- labs/case.py labs/cases/one/start.sh && tar -x",
    )


def test_a_folder_of_which_no_file_is_left_goes_whole(checkout):
    repository, run = checkout
    shutil.rmtree(repository / "labs/cases")
    assert sent(run) == ([], "rm -rf -- labs/cases")


@pytest.mark.parametrize("spoil", [lambda list_: list_.unlink(), lambda list_: list_.write_text('{"labs/ca')])
def test_all_is_sent_when_nobody_knows(checkout, spoil):
    spoil(checkout[1] / labs_sync.LIST)
    assert sent(checkout[1]) == (ALL, "tar -x --recursive-unlink")


def test_a_guest_that_was_not_reached_gets_the_same_again(checkout):
    repository, run = checkout
    (repository / "labs/case.py").write_text("another")
    with labs_sync.packed(run) as labs:
        pass
    labs.lost()
    assert sent(run) == (["labs/case.py"], "tar -x")


def test_who_asks_second_gets_all(checkout):
    assert sent(checkout[1]) == ([], "")
    assert sent(checkout[1]) == (ALL, "tar -x --recursive-unlink")


def test_answers_are_kept_back(checkout):
    """Also from who gets all, and from a guest that has some of an older ./lab."""
    repository, run = checkout
    known = labs_sync.contents()
    for kind in ("solutions", "wrong"):
        file = repository / "labs/cases/one/exercises/ex1" / kind / "1.sh"
        file.parent.mkdir(parents=True)
        file.write_text(kind)
    assert labs_sync.contents() == known and sent(run) == ([], "")
    assert sent(run) == (ALL, "tar -x --recursive-unlink")
    labs_sync.has(run, known | {"labs/cases/one/exercises/ex1/solutions/1.sh": "known"})
    assert sent(run) == ([], "rm -rf -- labs/cases/one/exercises")
