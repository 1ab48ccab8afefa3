"""Can an answer, which is root in its judge's guest, be its own judge?

Before there was a wall each of tests/vm/forgeries did what its first line says; "taken-over" passed even with nonce,
hash and exit status compared (tests/walls/test_verdicts.py), and so did "by-a-server" when only scripts had the wall.
An answer now starts without the capabilities that reach into another process, see labs/take/answer.py.
"""

import json
from pathlib import Path

import pytest

FORGERIES = sorted(Path(__file__).with_name("forgeries").iterdir())


def attacks():
    for path in FORGERIES:
        marks = () if path.stem == "taken-over" else pytest.mark.whole("machinery", why="the same wall")
        yield pytest.param(path, id=path.stem, marks=marks)


@pytest.mark.parametrize("path", attacks())
def test_a_forger_is_kept_out_and_named(lab, path, no_guest_left):
    exercise = "splice-push/1" if path.suffix == ".py" else "frag-needed/1"
    answer = lab("check", exercise, str(path), "--json")
    verdict = json.loads(answer.stdout)
    assert (answer.returncode, verdict["verdict"]) == (1, "FAIL"), verdict
    said = " ".join(verdict["reasons"])
    assert "forged" not in said and ("Permission denied" in said or "not permitted" in said), said
