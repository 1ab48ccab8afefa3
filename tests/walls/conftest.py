"""What do the attacks share? A guest that is none: what would run there runs here, as a program of the test's."""

import sys
from types import SimpleNamespace

import pytest

from host.vm import ssh


@pytest.fixture
def guest(tmp_path):
    """guest(program) is one in which each call runs this Python program."""

    def made(program: str):
        class Here(ssh.Connection):
            def arguments(self, *options, control="ssh"):
                return [sys.executable, "-c", f"import os, sys\n{program}"]

        return SimpleNamespace(
            connection=Here(tmp_path, 0),
            alive=lambda: True,
            death=lambda: "",
            end=lambda: None,
            folder=tmp_path,
            console=tmp_path / "console",
        )

    return made
