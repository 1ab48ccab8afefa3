"""How does a case happen on a page? `python -m labs live CASE` brings its network up, waits for one line on standard
input, and prints what a page shows, as it comes: one JSON object a line, with its `kind`.

    {"kind": "ready"}                           the network is up, the instruments listen; now the line is read
    {"kind": "begins", "clock_ms": 51234.5}     by the guest's monotonic clock
    {"kind": "asks", "name": "B"}               who waits now
    {"kind": "exchange", "name": "B", "bytes": 1448, "at_ms": 71.2, "waited_ms": 207.9, "late_ms": 0.3}
    {"kind": "ends", "clock_ms": 51561.1}
    {"kind": "figure", "name": "b-ladder", "tree": ["figure", {"class": "wpw-ladder"}, …]}
    {"kind": "outcome", …}                      all that is known of the run, as plain values
    {"kind": "over"}                            what follows is cleared away

The line is a JSON object: what the case's `live.py` takes (for frag-needed {"told": true, "trace": true});
{"terminal": [80, 24]}, columns and rows, for Mininet's command line on that network at the console; or
{"check": "frag-needed/1", "answer": "…", "seed": "…"}, an answer to be judged as `labs check` does, on networks of its
own; what is to be unforeseen is drawn by that seed:

    {"kind": "step", "words": "…"}              what is done now
    {"kind": "verdict", "verdict": {…}}         as `labs check --json` prints it
    {"kind": "evidence", "packed": "…"}         what the verdict rests on, if it fits a line: core/judge/packed.py
    {"kind": "figure", "name": "judged", …}     of the packets that were judged, if there is one

A case's module has

    opened()    a context manager: a Live, whose network is up

What takes long is before the line is read. So whoever begins this early, and has it asked later, does not wait for it.
"""

import fcntl
import gc
import json
import os
import random
import struct
import sys
import termios
from collections.abc import Callable, Mapping
from pathlib import Path
from types import ModuleType
from typing import Any, Protocol

from core.draw.ladder import Ladder
from core.draw.tree import Element, data
from core.judge.packed import LONGEST_PACKED, pack
from core.protocol import ANSWER, CONTROL, NETWORK, TAB_PROCESSOR_S
from labs.judge import judging
from labs.measure import timing
from labs.take import answer as answers
from labs.take.attempts import take_and_judge

CONSOLE = "/dev/ttyS0"
Say = Callable[..., None]
# Of the steps of a check, for who waits for it.
STEPS = {
    NETWORK: "networks are set up or removed",
    CONTROL: "the untouched network is measured",
    ANSWER: "the answer runs",
}


class Live(Protocol):
    """A case with its network up."""

    def run(self, asked: Mapping[str, Any], say: Say) -> None:
        """Has it happen, and says what a page shows."""

    def terminal(self) -> None:
        """Mininet's command line, at standard input and output."""


def live(case: ModuleType) -> None:
    """All of it, for the case whose module `live` this is."""
    with case.opened() as opened:
        gc.collect()
        gc.freeze()  # what is there by now is never looked at again
        say("ready")
        asked = json.loads(sys.stdin.readline() or "{}")
        if "terminal" in asked:
            _at_console(*asked["terminal"])
            opened.terminal()
            return
        if "check" in asked:
            random.seed(asked["seed"])  # what this process would draw by itself was saved with it
            check(asked["check"], asked["answer"])
            say("over")
            return
        gc.disable()  # a run is over before there is much to collect
        opened.run(asked, say)
        say("over")


def check(exercise: str, answer: str) -> None:
    """Judges an answer, and says what is done meanwhile."""
    answers.processor_limit_s = TAB_PROCESSOR_S
    timing.call_at_each_step(lambda step: say("step", words=STEPS[step]) if step in STEPS else None)
    verdict, evidence = take_and_judge(exercise, answer)
    say("verdict", verdict=verdict.to_json())
    if evidence and len(packed := pack(evidence.text())) <= LONGEST_PACKED:
        say("evidence", packed=packed)
    drawn = judging.picture(evidence) if evidence else None
    if isinstance(drawn, Ladder):
        figure("judged", drawn.drawn())


def drop_files() -> None:
    """Has the kernel forget all file contents that no process has mapped. What is read from here on stays in memory:
    rehearsed now, a run finds what it needs in a guest that is saved then, and nothing else is saved with it."""
    Path("/proc/sys/vm/drop_caches").write_text("3")


def say(kind: str, **what: Any) -> None:
    """One line, at once."""
    print(json.dumps({"kind": kind} | what, separators=(",", ":")), flush=True)


def figure(name: str, drawn: Element) -> None:
    """The line with a figure's tree."""
    say("figure", name=name, tree=data(drawn))


def _at_console(columns: int, rows: int) -> None:
    """The console becomes this process's terminal, of that size. We lead a session: Ctrl-C reaches what runs there."""
    console = os.open(CONSOLE, os.O_RDWR)
    fcntl.ioctl(console, termios.TIOCSCTTY, 1)
    fcntl.ioctl(console, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))
    for number in range(3):
        os.dup2(console, number)
    sys.stdin = os.fdopen(0, closefd=False)
    os.environ["TERM"] = "xterm"
