"""What do the attacks share? A guest that is none: what would run there runs here, as a program of the test's."""

import json
import sys
from types import SimpleNamespace

import pytest

from core.waiting import poll
from host.vm import ssh

# What a judge is told is on its standard input, the nonce first.
JUDGE = """
import hashlib, json
nonce, _, answer = sys.stdin.read().partition("\\n")
seal = {"nonce": nonce, "answer_sha256": hashlib.sha256(answer.encode()).hexdigest()}
verdict = json.loads(VERDICT)
"""
DEADLINE_S = 60  # for what takes a tenth of a second on a quiet machine
SEALED = "print(json.dumps(verdict | {'seal': seal}))"  # how an honest one ends


def judge(verdict: dict, words: str) -> str:
    """A judge for `guest`, as a program that ends by these words. In them `verdict` is what it has to say, `nonce` and
    `seal` what tells the host that it is the judge who says it."""
    return JUDGE.replace("VERDICT", repr(json.dumps(verdict))) + words


def until(condition) -> None:
    """Wait until it holds."""
    assert poll(condition, DEADLINE_S, 0.01)


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
            survived=lambda status: True,
            death=lambda: "",
            end=lambda: None,
            folder=tmp_path,
            console=tmp_path / "console",
        )

    return made
