"""Where does the time go, call by call? Sampled stacks, added up, as a flame graph.

Each sample is a stack of functions, outermost first; the width of a function is the share of samples
in which it was on the stack in that place, and what no callee covers is its own time.
`core.draw.flame_svg` draws it.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from core.draw import flame_svg
from core.draw.page import MIME
from core.draw.tree import Element, markup
from core.serialization import Damaged, from_json

FOLDED = re.compile(r"(.+) (\d{1,20})", re.ASCII)  # a stack and its count


@dataclass
class Call:
    """A function called in one place: `samples` with what it called, `own` without."""

    name: str
    samples: int = 0
    own: int = 0
    calls: dict[str, Call] = field(default_factory=dict)

    def callee(self, name: str) -> Call:
        return self.calls.setdefault(name, Call(name))

    def walk(self, depth: int = 0, start: int = 0) -> Iterator[tuple[Call, int, int]]:
        """This call and all below it, as (call, depth, samples to the left); callees by name."""
        yield self, depth, start
        for name in sorted(self.calls):
            yield from self.calls[name].walk(depth + 1, start)
            start += self.calls[name].samples


@dataclass
class Flame:
    """Samples by stack, outermost function first: {("sendto", "udp_sendmsg"): 17}."""

    stacks: Counter[tuple[str, ...]]
    title: str = ""

    @property
    def samples(self) -> int:
        return sum(self.stacks.values())

    def root(self) -> Call:
        """All calls as a tree; its root is none of the functions."""
        root = Call("all", self.samples)
        for stack, count in self.stacks.items():
            call = root
            for name in stack:
                call = call.callee(name)
                call.samples += count
            call.own += count
        return root

    def under(self, function: str) -> Flame:
        """Only what happened in and below a function, which becomes the outermost."""
        cut: Counter[tuple[str, ...]] = Counter()
        for stack, count in self.stacks.items():
            if function in stack:
                cut[stack[stack.index(function) :]] += count
        return Flame(cut, self.title)

    def own(self) -> dict[str, float]:
        """Share of the samples that each function spent itself, largest first; they add up to 1."""
        counts: Counter[str] = Counter()
        for stack, count in self.stacks.items():
            counts[stack[-1]] += count
        return {name: count / self.samples for name, count in counts.most_common()}

    def with_callees(self, function: str) -> float:
        """Share of the samples with this function anywhere on the stack."""
        return sum(count for stack, count in self.stacks.items() if function in stack) / max(self.samples, 1)

    def folded(self) -> str:
        """One stack a line, as flame graph programs exchange them: 'sendto;udp_sendmsg 17'."""
        return "\n".join(f"{';'.join(stack)} {count}" for stack, count in sorted(self.stacks.items()))

    def text(self, width: int = 80, least: float = 0.01) -> str:
        """Text for the terminal: calls indented, with their share and their own; rare ones are left out."""
        lines = [f"{'with callees':>13}{'own':>8}  function"]
        for call, depth, _ in self.root().walk():
            if depth and call.samples >= least * self.samples:
                line = (
                    f"{call.samples / self.samples:13.1%}{call.own / self.samples:8.1%}  {' ' * (depth - 1)}{call.name}"
                )
                lines.append(line[:width])
        return "\n".join(lines)

    def __repr__(self) -> str:
        return self.text()

    def drawn(self) -> Element:
        """For notebook and page: one self-contained figure."""
        return flame_svg.figure(self)

    def html(self) -> str:
        """The same as HTML."""
        return markup(self.drawn())

    def _repr_html_(self) -> str:
        return self.html()

    def _repr_mimebundle_(self, include: object = None, exclude: object = None) -> dict[str, Any]:
        return {"text/plain": self.text(), "text/html": self.html(), MIME: self.figure()}

    def figure(self) -> dict[str, Any]:
        """Plain values for a recording, see `core.draw.figures`; `of` reads them."""
        return {"kind": "flame", "title": self.title, "stacks": self.folded().splitlines()}

    @classmethod
    def of(cls, figure: Mapping[str, Any]) -> Flame:
        """The flame graph of `figure()`. Raises Damaged."""
        stacks: Counter[tuple[str, ...]] = Counter()
        for number, line in enumerate(from_json(list[str], figure.get("stacks"), "figure.stacks")):
            if not (found := FOLDED.fullmatch(line)):
                raise Damaged(f"figure.stacks[{number}]: expected a stack and a count, found {line[:80]!r}")
            stacks[tuple(found[1].split(";"))] = int(found[2])
        return cls(stacks, from_json(str, figure.get("title"), "figure.title"))

    def to_json(self) -> dict[str, Any]:
        """Plain values: shares to three digits."""
        return {"samples": self.samples, "own": {name: round(share, 4) for name, share in self.own().items()}}
