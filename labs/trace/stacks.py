"""Does the kernel do what the report says? An expected call stack beside the observed one.

An expected stack is text, newest call first, one frame a line:

    tcp_v4_err                                          @net/ipv4/tcp_ipv4.c  # the socket is owned
    __do_softirq => handle_softirqs : renamed in 6.1.y  @kernel/softirq.c
    ip_finish_output ~ ip_output() leaves by a tail call
    cpuidle_enter ? the processor may have had work
    [pipe_to_sendpage]
    sock_sendpage
    [!pipe_to_sendpage]
    sock_sendmsg
    []

`=>` gives the running kernel's name for a frame and, after a colon, why it differs; `~` says why a
frame may be absent because of the compiler (inlined, or left by a tail call), `?` on what else it depends; `@` the
file it is in; `#` a note for the reader. A line that begins with `#` is a comment. The observed stack
may hold frames that are not expected: they are shown, and nothing depends on them.
"""

import re
from collections.abc import Container, Iterable, Sized
from dataclasses import dataclass, field, replace
from enum import StrEnum

from core import symbols
from core.draw import stacks_view
from core.draw.page import MIME
from core.draw.tree import Element, markup


class State(StrEnum):
    """What became of a frame. The value is what recordings say, and but for NO_FRAME the word that is shown."""

    SEEN = "seen"
    RENAMED = "renamed"
    NO_FRAME = "folded"  # inlined, or left by a tail call: core.draw.stacks_view says which
    CHANCE = "by chance"
    MISSING = "missing"
    EXTRA = "also there"


@dataclass(frozen=True)
class Frame:
    """A call that is expected.

    `renamed_to` is its name in the running kernel, and `why_renamed` explains that. `no_frame` allows it to be absent
    (inlined, or left by a tail call), `chance` too (what an interrupt interrupts may be anything), and `why` explains
    each. `source` is a path in the kernel tree. `where` says of which kernels it is expected, see above. `on_32_bits`
    is its name in a kernel of 32 bits, and why.
    """

    name: str
    renamed_to: str | None = None
    no_frame: bool = False
    chance: bool = False
    why: str | None = None
    note: str | None = None
    source: str | None = None
    why_renamed: str | None = None
    where: str | None = None
    on_32_bits: tuple[str, str] | None = None

    @property
    def names(self) -> tuple[str, ...]:
        """Every name under which the frame may be observed."""
        return tuple(filter(None, (self.name, self.renamed_to, self.on_32_bits and self.on_32_bits[0])))

    def why_called(self, name: str) -> str | None:
        """Why it is observed under this name, which is not its first."""
        return self.on_32_bits[1] if self.on_32_bits and name == self.on_32_bits[0] else self.why_renamed


@dataclass(frozen=True)
class Row:
    """One line of the comparison; `frame` is None for a frame that was not expected."""

    state: State
    frame: Frame | None
    observed: str | None
    reason: str | None = None


@dataclass(frozen=True)
class Comparison:
    """The expected stack aligned with the observed one, newest frame first."""

    rows: list[Row] = field(default_factory=list)
    title: str = ""

    @property
    def missing(self) -> list[str]:
        """Names of the frames that the kernel did not call here, and that are not said to be absent."""
        return [row.frame.name for row in self.rows if row.frame and row.state is State.MISSING]

    @property
    def ok(self) -> bool:
        """True if no frame is missing and at least one was seen: frames that may be absent prove nothing."""
        return not self.missing and bool(self.count(State.SEEN) + self.count(State.RENAMED))

    def count(self, state: State) -> int:
        """How many rows are in `state`."""
        return sum(row.state is state for row in self.rows)

    def summary(self) -> str:
        """One line: what `stacks_view.counted` says of this one."""
        return stacks_view.counted({state.value: self.count(state) for state in State})

    def to_json(self) -> stacks_view.Comparison:
        """Plain values for `--json` and for the page."""
        return {
            "title": self.title,
            "ok": self.ok,
            "missing": self.missing,
            "summary": self.summary(),
            "rows": [_row_json(row) for row in self.rows],
        }

    def text(self, width: int = 80) -> str:
        """Text for the terminal, no line longer than `width` columns."""
        return stacks_view.text(self.to_json(), width)

    def drawn(self) -> Element:
        """For notebook and page: one figure."""
        return stacks_view.figure(self.to_json())

    def html(self) -> str:
        """The same as HTML."""
        return markup(self.drawn())

    def figure(self) -> dict:
        """Plain values for a recording, see `core.draw.figures`."""
        return {"kind": "stack", **self.to_json()}

    def _repr_html_(self) -> str:
        return self.html()

    def _repr_mimebundle_(self, include=None, exclude=None) -> dict:
        return {"text/plain": self.text(), "text/html": self.html(), MIME: self.figure()}


class Unreadable(ValueError):
    """A line of an expected stack that cannot be read: which, and what should be there."""


_LINE = re.compile(
    r"^(?P<name>[A-Za-z_]\w*)"
    r"(?:\s*=>\s*(?P<renamed_to>[A-Za-z_]\w*)(?:\s*:\s*(?P<rename_why>[^~?@#]+?))?)?"
    r"(?:\s*(?P<absent>[~?])\s*(?P<absent_why>[^@#]*?))?"
    r"(?:\s*@\s*(?P<source>[^\s#]+))?"
    r"(?:\s*#\s*(?P<note>.+))?$"
)
_WHERE = re.compile(r"^\[(?P<where>(?:!?[A-Za-z_]\w*)?)\]$")


def parse(text: str, name: str = "stack") -> list[Frame]:
    """Frames of an expected stack, newest first. `name` is what an error calls the text.

    Raises Unreadable with the line's number, what was found, and what was expected.
    """
    frames, where = [], None
    for number, line in enumerate(text.splitlines(), 1):
        line = line.strip()
        if not line or line.startswith("#"):
            continue
        if of_some := _WHERE.match(line):
            where = of_some["where"] or None
            continue
        frames.append(replace(_parse_line(line, f"{name}, line {number}"), where=where))
    if not frames:
        raise Unreadable(f"{name}: expected at least one frame, found none")
    return frames


def _parse_line(line: str, where: str) -> Frame:
    found = _LINE.match(line)
    if found is None:
        raise Unreadable(
            f"{where}: expected `function [=> new_name : why] [~ or ? why] [@file] [# note]`, found `{line}`"
        )
    if found["renamed_to"] and not found["rename_why"]:
        raise Unreadable(f"{where}: expected `: why` after the new name `{found['renamed_to']}`")
    if found["absent"] and not found["absent_why"]:
        raise Unreadable(f"{where}: expected why `{found['name']}` may be absent after `{found['absent']}`")
    return Frame(
        found["name"],
        found["renamed_to"],
        found["absent"] == "~",
        found["absent"] == "?",
        found["absent_why"] or None,
        found["note"],
        found["source"],
        found["rename_why"],
    )


def shown_name(observed: str | bytes) -> str:
    """A traced frame as text, its offset kept: b'ip_fragment.constprop.0+0x7a' as str."""
    if isinstance(observed, bytes):
        observed = observed.decode("ascii", "replace")
    return re.sub(r"\s*\[\w+\]$", "", observed.strip())


def function_name(observed: str | bytes) -> str:
    """The C function behind a traced frame: 'ip_fragment.constprop.0+0x7a' gives 'ip_fragment'."""
    return symbols.function_name(shown_name(observed))


def match(
    expected: str | Iterable[Frame], observed: Iterable[str | bytes], symbols: Container[str], title: str = ""
) -> Comparison:
    """Aligns `observed` (newest first) with `expected` and says what became of each expected frame.

    `symbols` tells which functions the running kernel has. What is absent is missing, unless its line says that it may
    be.
    Raises Unreadable on an expected stack that cannot be read, ValueError if `symbols` is empty.
    """
    frames = parse(expected) if isinstance(expected, str) else list(expected)
    if isinstance(symbols, Sized) and not len(symbols):
        raise ValueError(
            "expected the running kernel's symbols, found none: every absent frame "
            "would pass as inlined; run as root, and look at /proc/kallsyms"
        )
    frames = [frame for frame in frames if _of_this_kernel(frame, symbols)]
    shown = [shown_name(name) for name in observed]
    names = [function_name(name) for name in shown]
    rows = []
    for frame, index in _align(frames, names):
        seen = None if index is None else shown[index]
        if frame is None:
            rows.append(Row(State.EXTRA, None, seen))
        elif index is None:
            rows.append(_absent(frame, names, symbols))
        elif names[index] == frame.name:
            rows.append(Row(State.SEEN, frame, seen))
        else:
            rows.append(Row(State.RENAMED, frame, seen, frame.why_called(names[index])))
    return Comparison(rows, title)


def _of_this_kernel(frame: Frame, symbols: Container[str]) -> bool:
    return not frame.where or (frame.where.removeprefix("!") in symbols) != frame.where.startswith("!")


def _align(frames: list[Frame], names: list[str]) -> list[tuple[Frame | None, int | None]]:
    """Pairs in order, as many as possible: a longest common subsequence.

    Walking both lists greedily would not do: ip_output() is twice on a tunnel's stack, and one
    absent frame would take its namesake further down and lose everything between.
    """
    best = [[0] * (len(names) + 1) for _ in range(len(frames) + 1)]
    for i in reversed(range(len(frames))):
        for j in reversed(range(len(names))):
            best[i][j] = best[i + 1][j + 1] + 1 if names[j] in frames[i].names else max(best[i + 1][j], best[i][j + 1])
    pairs: list[tuple[Frame | None, int | None]] = []
    i = j = 0
    while i < len(frames) or j < len(names):
        if i < len(frames) and j < len(names) and names[j] in frames[i].names:
            pairs.append((frames[i], j))
            i, j = i + 1, j + 1
        elif j == len(names) or (i < len(frames) and best[i + 1][j] >= best[i][j + 1]):
            pairs.append((frames[i], None))
            i += 1
        else:
            pairs.append((None, j))
            j += 1
    return pairs


def _absent(frame: Frame, names: list[str], symbols: Container[str]) -> Row:
    """What became of an expected frame that is not in its place."""
    if frame.chance:
        return Row(State.CHANCE, frame, None, frame.why)
    known = next((name for name in reversed(frame.names) if name in symbols), None)
    if known is None and frame.no_frame:
        reason = "the running kernel has no such symbol: inlined"
        state = State.NO_FRAME
    elif known is None:
        reason = f"the running kernel has no {' and no '.join(frame.names)}: gone, or inlined against what was expected"
        state = State.MISSING
    elif frame.no_frame:
        reason = f"the running kernel has {known}, and it is not on this stack" + (
            "" if frame.why else ": a tail call or a partial inline"
        )
        state = State.NO_FRAME
    else:
        elsewhere = set(frame.names) & set(names)
        reason = (
            f"{known} is on the stack, but not in this place"
            if elsewhere
            else f"the running kernel has {known}, and it is not on this stack"
        )
        state = State.MISSING
    if frame.why and state is State.NO_FRAME:
        reason = f"{frame.why}; {reason}"
    return Row(state, frame, None, reason)


def _row_json(row: Row) -> stacks_view.Row:
    frame = row.frame
    return {
        "state": row.state.value,
        "told": frame.name if frame else None,
        "observed": row.observed,
        "reason": row.reason,
        "note": frame.note if frame else None,
        "source": frame.source if frame else None,
    }
