"""How do a notebook's cells run on a page? In one process, as in a kernel of Jupyter's: `python -m labs cells CASE`
reads an object a line from standard input, {"seed": "…"} first and then a cell each, {"source": "…"}, and prints what
comes of a cell, as it comes: one JSON object a line, with its `kind`.

    {"kind": "ready"}                                   what takes long is done; now the seed is read
    {"kind": "text", "text": "…", "complaint": true}    what it prints; a complaint, if Python's to standard error
    {"kind": "result", "text": "…", "tree": […]}        what it shows, in words; a picture's tree, if it is one
    {"kind": "error", "text": "…", "lacks": "bcc"}      a traceback, and the module that is missing, if it was that
    {"kind": "done", "failed": true}                    it has ended; now the next one is read

IPython runs them, so magics, `display()` and what is shown of a last expression are as in JupyterLab; but a page gets
no markup of it, only words and trees. What programs write that a cell has started is text, too.

A case's module `live` has prepare_cells(), which brings networks up; the notebook's case.Network() gives one of these.
What is to be unforeseen is drawn by the seed, because this process may have been saved.
"""

from __future__ import annotations

import asyncio
import codecs
import contextlib
import fcntl
import gc
import io
import json
import os
import random
import select
import sys
import termios
import threading
import types
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

# IPython's package imports its terminal, and with that prompt_toolkit, and its completer imports jedi: half of what it
# takes of memory, which each page would load.
sys.modules.setdefault("IPython.terminal.embed", types.ModuleType("embed")).__dict__.setdefault("embed", None)
sys.modules.setdefault("jedi", None)  # type: ignore[arg-type]  # None: as if it were not there

from IPython.core.displayhook import DisplayHook  # noqa: E402
from IPython.core.displaypub import DisplayPublisher  # noqa: E402
from IPython.core.formatters import DisplayFormatter  # noqa: E402
from IPython.core.interactiveshell import InteractiveShell  # noqa: E402
from traitlets import Type  # noqa: E402
from traitlets.config import Config  # noqa: E402

from core.draw.tree import data  # noqa: E402
from core.protocol import TAB_PROCESSOR_S  # noqa: E402
from labs.case import module  # noqa: E402

if TYPE_CHECKING:
    from core.cases import Case

TREE = "application/vnd.where-packets-wait.tree+json"
WORDS = "text/plain"
MOST_LETTERS = 1_000_000  # that is said of a cell; a page that shows more stands still
TOO_MUCH = f"more than {MOST_LETTERS} letters: the page shows no more of this cell\n"
READ_BYTES = 1 << 16


class TooMuch(Exception):
    """A cell has said more than a page can show."""


class Lines:
    """What is said of a cell, an object a line: whole, whichever thread says it, and no more than a page can show.

    Standard output, standard error and what programs write are three that say it, and `one_says` is held by who does,
    from before it looks what there is to say. `first` is called before anything is said, and says what came earlier.
    """

    first: Callable[[], None]

    def __init__(self, descriptor: int) -> None:
        self.descriptor, self.one_says, self.first = descriptor, threading.RLock(), lambda: None
        # A process that a cell forks has no thread that would let go of it.
        held, let_go = self.one_says.acquire, self.one_says.release
        os.register_at_fork(before=held, after_in_parent=let_go, after_in_child=let_go)
        self.begin()

    def begin(self) -> None:
        """Forget what was said of an earlier cell."""
        self.left = MOST_LETTERS

    def say(self, kind: str, **what: Any) -> None:
        """One object, unless too much was said before. The main thread, which runs the cell, is told so."""
        with self.one_says:
            self.first()
            self.say_next(kind, **what)
        if self.left < 0 and _runs_the_cell():
            raise TooMuch(TOO_MUCH.strip())

    def say_next(self, kind: str, **what: Any) -> None:
        """The same for who holds `one_says`: nothing comes first, and nobody is told."""
        line = json.dumps({"kind": kind} | what, separators=(",", ":"))
        over, self.left = self.left < 0, self.left - len(line)
        if not over and self.left < 0:
            line = json.dumps({"kind": "text", "text": TOO_MUCH, "complaint": True})
        if not over:
            self._write(line)

    def done(self, well: bool) -> None:
        """The cell has ended."""
        with self.one_says:
            self.first()
            self._write(json.dumps({"kind": "done"} | ({} if well else {"failed": True})))

    def _write(self, line: str) -> None:
        left = f"{line}\n".encode()
        while left:
            left = left[os.write(self.descriptor, left) :]


def _runs_the_cell() -> bool:
    """Whether the caller is the cell. What else prints is not to be ended by that: it would leave a program whose
    output nobody reads."""
    if threading.current_thread() is not threading.main_thread():
        return False
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return True
    return False


class Printed(io.TextIOBase):
    """Standard output or error of cells: whole lines are said at once, the rest when something else is, or at the
    end."""

    def __init__(self, lines: Lines, **marks: bool) -> None:
        self.lines, self.marks, self.partial = lines, marks, ""

    def writable(self) -> bool:
        return True

    def write(self, text: str) -> int:
        whole, newline, rest = text.rpartition("\n")
        with self.lines.one_says:
            said, self.partial = (self.partial + whole + newline, rest) if newline else ("", self.partial + text)
            if len(self.partial) > READ_BYTES:
                said, self.partial = said + self.partial, ""
            if said:
                self.lines.say("text", text=said, **self.marks)
        return len(text)

    def flush(self) -> None:
        """Say what has come of a line that has not ended."""
        if not getattr(self, "partial", ""):  # of a stream that is being removed there may be none
            return
        with self.lines.one_says:
            said, self.partial = self.partial, ""
            self.lines.say("text", text=said, **self.marks)


class Formatter(DisplayFormatter):
    """What a page can show of an object: words, and a tree, if it can be drawn."""

    def format(self, obj: object, include: object = None, exclude: object = None) -> tuple[dict, dict]:
        found, marks = super().format(obj, include={WORDS}, exclude=None)
        drawn = None if isinstance(obj, type) else getattr(obj, "drawn", None)
        if found and callable(drawn):
            with contextlib.suppress(Exception):  # the words are there
                found[TREE] = data(drawn())
        return found, marks


class Result(DisplayHook):
    """The value of a cell's last expression."""

    def start_displayhook(self) -> None:
        """Begin nothing, because a result is said as one line."""

    def write_output_prompt(self) -> None:
        """Write none, because a page marks outputs itself."""

    def write_format_data(self, format_dict: dict, md_dict: dict | None = None) -> None:
        self.shell.shows(format_dict)

    def finish_displayhook(self) -> None:
        """End nothing, as it began."""


class Displayed(DisplayPublisher):
    """What a cell displays."""

    def publish(self, data: dict, metadata: dict | None = None, **_more: object) -> None:
        self.shell.shows(data)

    def clear_output(self, wait: bool = False) -> None:
        """Keep what was said, because a page cannot take it back."""


class Shell(InteractiveShell):
    """IPython, which says what comes of a cell."""

    displayhook_class = Type(Result)
    display_pub_class = Type(Displayed)
    lines: Lines

    def init_display_formatter(self) -> None:
        self.display_formatter = Formatter(parent=self)
        self.configurables.append(self.display_formatter)

    def init_hooks(self) -> None:
        """Have `name?` print, because there is no pager."""
        super().init_hooks()
        self.set_hook("show_in_pager", lambda _shell, shown, **_: print(_words(shown)), 0)

    def ask_exit(self) -> None:
        """Stay, because the page's Restart is what ends it."""
        print("A cell cannot end this Python. Restart, at the top of the page, does.")

    def shows(self, found: dict[str, Any]) -> None:
        """Say a result: its words, and its tree."""
        flushed()
        tree = {"tree": found[TREE]} if TREE in found else {}
        self.lines.say("result", text=str(found.get(WORDS, "")), **tree)

    def _showtraceback(self, etype: type, evalue: BaseException, stb: list[str]) -> None:
        lacks = evalue.name if isinstance(evalue, ModuleNotFoundError) else None
        with contextlib.suppress(TooMuch):
            flushed()
            self.lines.say("error", text=self.InteractiveTB.stb2text(stb), **({"lacks": lacks} if lacks else {}))

    def run(self, source: str) -> bool:
        """Run a cell; whether it went well."""
        return bool(self.run_cell(source, store_history=True).success)


def _words(shown: str | dict[str, str]) -> str:
    return shown if isinstance(shown, str) else shown.get(WORDS, "")


def flushed() -> None:
    """Have each stream say what it still holds, so that all comes in its order."""
    for stream in (sys.stdout, sys.stderr):
        with contextlib.suppress(Exception):  # a cell may have put anything there
            stream.flush()


def shell() -> Shell:
    """A shell in which nothing has run."""
    return Shell.instance(
        config=Config(
            {
                "HistoryManager": {"enabled": False},
                "ScriptMagics": {"script_magics": ["bash", "sh"]},
                "InteractiveShell": {"colors": "NoColor"},
            }
        )
    )


class Programs:
    """What programs write that cells start, said as it comes, and before what Python prints later. None of them reads
    the cells."""

    def __init__(self, lines: Lines) -> None:
        self.lines, self.decoder = lines, codecs.getincrementaldecoder("utf-8")("replace")
        self.reads, writes = os.pipe()
        for number, descriptor in enumerate((os.open(os.devnull, os.O_RDONLY), writes, writes)):
            os.dup2(descriptor, number)
        lines.first = self.say_now
        os.register_at_fork(after_in_child=self._in_a_child)
        threading.Thread(target=self._read, daemon=True).start()

    def say_now(self) -> None:
        """Say what they have written by now."""
        with self.lines.one_says:
            written = int.from_bytes(fcntl.ioctl(self.reads, termios.FIONREAD, bytes(4)), sys.byteorder)
            if written and (text := self.decoder.decode(os.read(self.reads, written))):
                self.lines.say_next("text", text=text)

    def _read(self) -> None:
        while select.select([self.reads], [], []):
            self.say_now()

    def _in_a_child(self) -> None:
        """A process that a cell has forked is a program, too, and says no object."""
        self.lines.first, self.lines.descriptor = lambda: None, os.open(os.devnull, os.O_WRONLY)
        sys.stdout, sys.stderr = (open(number, "w", buffering=1, closefd=False) for number in (1, 2))


def serve(runs: Shell) -> None:
    """Run each cell that comes, until there are no more."""
    ours = os.getpid()
    cells, lines = os.fdopen(os.dup(0), encoding="utf-8"), Lines(os.dup(1))
    lines.say("ready")
    random.seed(json.loads(cells.readline())["seed"])
    runs.lines = lines
    Programs(lines)
    sys.stdin = open(os.devnull)
    sys.stdout, sys.stderr = Printed(lines), Printed(lines, complaint=True)
    for line in cells:
        lines.begin()
        well = runs.run(json.loads(line)["source"])
        if os.getpid() != ours:  # a cell has forked, and its child has come back
            os._exit(0)
        with contextlib.suppress(TooMuch):
            flushed()
        lines.done(well)


def run(case: Case) -> None:
    """All of it, with networks of the case that are up."""
    from labs import live  # these need Mininet, and the cells do not
    from labs.take import answer, standing

    answer.processor_limit_s = TAB_PROCESSOR_S
    ours = module(case)
    module(case, "live").prepare_cells()
    ours.Network = standing.taken_first(ours.Network)  # type: ignore[attr-defined]
    runs = shell()
    live.drop_files()
    gc.collect()
    gc.freeze()  # what is there by now is never looked at again
    serve(runs)
