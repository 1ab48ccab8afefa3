"""Do phases show one line each, nested or not, in a terminal and out of one?"""

import io

import pytest
from rich.console import Console

from host import phases


@pytest.mark.parametrize("terminal", [True, False])
def test_phases_may_be_nested(monkeypatch, terminal):
    out = io.StringIO()
    monkeypatch.setattr(phases, "console", Console(file=out, force_terminal=terminal, width=100))
    with phases.phase("outer") as progress:
        progress("first")
        with phases.phase("inner") as within:
            within("a step")
        progress("second")
    with phases.phase("next"):
        pass
    lines = [line for line in out.getvalue().splitlines() if line.rstrip().endswith(" s")]
    said = [name for name in ("inner: ", "outer: ", "next: ") if any(name in line for line in lines)]
    assert said == ["inner: ", "outer: ", "next: "]


def test_a_phase_that_fails_leaves_none_under_way(monkeypatch):
    monkeypatch.setattr(phases, "console", Console(file=io.StringIO(), force_terminal=True))
    with pytest.raises(ZeroDivisionError), phases.phase("outer"), phases.phase("inner"):
        1 / 0
    assert phases._under_way is None
