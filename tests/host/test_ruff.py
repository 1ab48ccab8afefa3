"""Is layout nobody's opinion? ruff as linter and as formatter, with the settings of pyproject.toml."""

import subprocess
import sys

import pytest

from host.paths import REPOSITORY


@pytest.mark.parametrize("words", [("check",), ("format", "--check", "--diff")])
def test_ruff_finds_nothing_to_change(words):
    done = subprocess.run(
        [sys.executable, "-m", "ruff", *words, "--no-cache", "."], cwd=REPOSITORY, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stdout + done.stderr
