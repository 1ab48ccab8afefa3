"""Can an answer, which is root in its judge's guest, be its own judge?

Before there was a wall each of tests/vm/forgeries did what its first line says; "taken-over" passed even with nonce,
hash and exit status compared (tests/attacks/test_verdicts.py), and so did "by-a-server" when only scripts had the wall.
A script now runs in a system of its own, see labs/take/walled.py, a program with nobody's rights, and a server without
the capabilities that reach into another process.
"""

import json
from pathlib import Path

import pytest

from core.judge.evidence import REFUSED
from tests.guest.conclusive import conclusive
from tests.vm.conftest import held_up, lost

FORGERIES = sorted(Path(__file__).with_name("forgeries").iterdir())
# Of those that are refused nothing: what they write nobody else has, or what they do is seen.
SAYS = {
    "by-an-instrument": "still waits",
    "by-the-fork-server": "still waits",
    "by-new-mounts": "still waits",  # refused, and mount(8) says that a file is no folder
    "by-its-number": "another network by its number",
}


def attacks():
    for path in FORGERIES:
        marks = () if path.stem == "taken-over" else pytest.mark.part("machinery", why="the same wall")
        yield pytest.param(path, id=path.stem, marks=marks)


@pytest.mark.parametrize("path", attacks())
def test_a_forger_is_kept_out_and_named(lab, path, no_guest_left):
    exercise = "splice-push/1" if path.suffix == ".py" else "frag-needed/1"
    verdict = conclusive(lambda: json.loads(lab("check", exercise, str(path), "--json").stdout), held_up, lost)
    assert verdict["verdict"] == "FAIL", verdict
    said = " ".join(verdict["reasons"])
    assert "forged" not in said and "not the judge's" not in said, said
    assert SAYS[path.stem] in said if path.stem in SAYS else REFUSED.search(said), said
