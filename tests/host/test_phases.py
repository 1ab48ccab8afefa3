"""Do phases show one line each, nested or not, in a terminal and out of one?"""

import io
import sys

import pytest

from host import phases


class Stream(io.StringIO):
    """Standard error, which is a terminal or not."""

    def __init__(self, terminal: bool) -> None:
        super().__init__()
        self.isatty = lambda: terminal


@pytest.mark.parametrize("terminal", [True, False])
def test_phases_may_be_nested(monkeypatch, terminal):
    out = Stream(terminal)
    monkeypatch.setattr(sys, "stderr", out)
    monkeypatch.setenv("TERM", "xterm")
    with phases.phase("outer") as progress:
        progress("first")
        with phases.phase("inner") as within:
            within("a step")
        progress("second")
    with phases.phase("next"):
        pass
    assert ("\x1b[" in out.getvalue()) == terminal  # the line that moves
    lines = [line for line in out.getvalue().splitlines() if line.rstrip().endswith(" s")]
    said = [name for name in ("inner: ", "outer: ", "next: ") if any(name in line for line in lines)]
    assert said == ["inner: ", "outer: ", "next: "]


def test_what_is_said_on_a_terminal_is_not_broken_into_lines(monkeypatch):
    out = Stream(terminal=True)
    monkeypatch.setattr(sys, "stderr", out)
    monkeypatch.setenv("COLUMNS", "40")
    long = "Next: sudo apt-get install " + " ".join(f"package-{n}" for n in range(20))
    with phases.phase("outer"):
        phases.say(long)
    assert long in out.getvalue()


def test_a_phase_that_fails_leaves_none_under_way(monkeypatch):
    monkeypatch.setattr(sys, "stderr", Stream(terminal=True))
    with pytest.raises(ZeroDivisionError), phases.phase("outer"), phases.phase("inner"):
        1 / 0
    assert phases._under_way is None
