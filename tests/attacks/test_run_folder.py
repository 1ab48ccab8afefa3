"""What is in /tmp another user may have put there first. A folder, or a link, in the place of the run folder that is
not the reader's alone is refused: sockets and states of guests are never in a stranger's hands."""

import os

import pytest

from host import paths


@pytest.fixture
def planted(tmp_path, monkeypatch):
    """The run folder's place, empty, in a folder that all may write to."""
    monkeypatch.setenv("LAB_RUN_DIR", str(tmp_path))
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    place = paths.run()
    place.rmdir()
    return place


def test_a_folder_of_another_users_is_refused(planted, monkeypatch):
    us = os.getuid()
    monkeypatch.setattr(os, "getuid", lambda: us + 1)
    theirs = planted.with_name(planted.name.replace(f"-{us}-", f"-{us + 1}-"))
    theirs.mkdir(mode=0o700)
    with pytest.raises(PermissionError, match="not this user's alone"):
        paths.run()


@pytest.mark.parametrize("mode", [0o750, 0o701, 0o777])
def test_a_folder_that_others_may_open_is_refused(planted, mode):
    planted.mkdir()
    planted.chmod(mode)
    with pytest.raises(PermissionError, match="not this user's alone"):
        paths.run()


def test_a_link_to_a_folder_of_the_readers_is_refused(planted, tmp_path):
    (tmp_path / "mine").mkdir(mode=0o700)
    planted.symlink_to(tmp_path / "mine")
    with pytest.raises(PermissionError, match="not this user's alone"):
        paths.run()
