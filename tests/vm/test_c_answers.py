"""What may an answer in C do without harm? Stop the kernel: the guest is thrown away, and that is said."""

import dataclasses
import json
import re

import pytest

from core import cases
from host.exercises import commands
from tests.labs.judge.stored import failed

EXERCISE = cases.exercise("splice-push/4")
# What a reader is given, 240 s, would be slept out here. The last third is to be all sleep: compiling is over by then.
IMPATIENT_S = 90


@pytest.fixture
def check(lab, tmp_path, no_guest_left):
    """Judge this text as an answer to splice-push/4; returns the verdict."""

    def judged(text: str):
        file = tmp_path / "answer.c"
        file.write_text(text)
        return json.loads(lab("check", EXERCISE.id, str(file), "--json").stdout)

    return judged


@pytest.mark.parametrize(
    "name, words",
    [
        ("oops.c", "NULL pointer dereference.*RIP: 0010:page_to_socket"),
        pytest.param(
            "hangs.c",
            "stalls|lockup",  # of which a quiet console does not say where
            marks=pytest.mark.part("machinery", why="waits for the kernel's own watchdog"),
        ),
    ],
)
def test_the_kernels_end_is_a_verdict_with_the_consoles_words(check, name, words):
    verdict = check((EXERCISE.folder / "wrong" / name).read_text())
    assert verdict["verdict"] == "FAIL"
    assert failed(verdict) == ["kernel-lives"] and re.search(words, verdict["reasons"][0])


@pytest.mark.part("machinery", why="sleeps out a deadline")
def test_one_that_never_returns_from_loading_has_a_deadline(tmp_path, monkeypatch, no_guest_left):
    start = EXERCISE.start.read_text()
    asleep = start.replace("return klp_enable_patch", "for (;;)\n\t\tmsleep(1000);\n\treturn klp_enable_patch").replace(
        "#include <linux/fs.h>", "#include <linux/delay.h>\n#include <linux/fs.h>"
    )
    file = tmp_path / "answer.c"
    file.write_text(asleep)
    impatient = dataclasses.replace(EXERCISE, deadline_s=IMPATIENT_S)
    monkeypatch.setattr(cases, "exercise", lambda id, among=None: impatient)
    verdict = commands.check(EXERCISE.id, file)
    assert (
        verdict["verdict"] == "FAIL"
        and failed(verdict) == ["kernel-lives"]
        and f"{IMPATIENT_S} s" in verdict["reasons"][0]
    )
