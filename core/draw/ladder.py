"""Who sent what to whom, and where did time pass? Packets as a ladder: one line per host.

A `Ladder` is data; `core.draw.ladder_svg` draws it for notebook and page, `text()` for the terminal.
Time runs down. Gaps are to scale as far as labels allow; one that dwarfs the rest is cut short
and marked with its length, for it is what the reader came to see.
"""

from __future__ import annotations

import textwrap
from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from core.draw import ladder_svg
from core.draw.ladder_svg import PAIR, duration
from core.draw.page import MIME
from core.draw.tree import Element, markup
from core.serialization import from_json, to_json
from core.wire.packet import Packet

# A gap is cut short where it is this many times the next smaller one, and that many seconds long.
CUT_RATIO = 8
CUT_FLOOR_S = 0.008


@dataclass(frozen=True)
class Step:
    """A packet on its way between two hosts, or from a host to itself.

    `lost` marks one that the far host dropped. `label` is what stands at the arrow, `note` what
    stands under it.
    """

    packet: Packet
    start: str
    end: str
    label: str
    note: str = ""
    lost: bool = False

    @property
    def kinds(self) -> list[str]:
        """The words that pictures turn into classes and dashes."""
        marks = [
            ("icmp", self.packet.is_icmp),
            ("again", self.packet.retransmission),
            ("lost", self.lost),
            ("loop", self.start == self.end),
            ("bare", self.packet.proto == "tcp" and self.packet.flags == "ACK" and not self.packet.payload_bytes),
        ]
        return [word for word, holds in marks if holds]

    def described(self) -> str:
        """The step as one sentence, for those who do not see the arrow."""
        way = f"{self.start} to itself" if self.start == self.end else f"{self.start} to {self.end}"
        dropped = ", dropped there" if self.lost else ""
        return f"{way}: {self.label}{dropped}" + (f" ({self.note})" if self.note else "")


@dataclass(frozen=True)
class Gap:
    """The time before a step; `cut` if it is drawn shorter than scale."""

    length_s: float
    cut: bool = False
    note: str = ""

    def said(self) -> str:
        """'207 ms pass: the probe timer runs'."""
        words = f"{duration(self.length_s)} pass"
        return f"{words}: {self.note}" if self.note else words


@dataclass(frozen=True)
class Ladder:
    """Steps in order of time between `hosts`, which stand from left to right.

    `gap_notes` says, by the number of a step, what happened in the time before it.
    """

    title: str
    hosts: list[str]
    steps: list[Step]
    gap_notes: dict[int, str] = field(default_factory=dict)
    addresses: dict[str, str] = field(default_factory=dict)

    def gaps(self) -> list[Gap]:
        """The time before each step; the first has none and is a gap of 0 s."""
        times = [step.packet.time_s for step in self.steps]
        lengths = [0.0, *(later - earlier for earlier, later in zip(times, times[1:]))][: len(times)]
        limit_s = cut_limit_s(lengths[1:])
        return [Gap(length, length >= limit_s, self.gap_notes.get(number, "")) for number, length in enumerate(lengths)]

    def summary(self) -> str:
        """What the picture shows, in a few sentences: its text alternative."""
        if not self.steps:
            return f"No packets between {', '.join(self.hosts)}."
        span_s = self.steps[-1].packet.time_s - self.steps[0].packet.time_s
        count = f"{len(self.steps)} packet{'s' if len(self.steps) > 1 else ''}"
        parts = [f"{count} between {', '.join(self.hosts)} in {duration(span_s)}."]
        for step, gap in zip(self.steps, self.gaps()):
            if gap.cut or gap.note:
                parts.append(f"Then {gap.said()}.")
            parts.append(f"At {step.packet.time_s * 1e3:.2f} ms {step.described()}.")
        return " ".join(parts)

    def text(self, width: int = 80) -> str:
        """Text for the terminal, no line longer than `width` columns (the shortest sensible is 60)."""
        return "\n".join(line.rstrip() for line in _Terminal(self, max(width, 60)).lines())

    def drawn(self) -> Element:
        """For notebook and page: one <figure class="wpw-ladder"> with its table of packets."""
        return ladder_svg.figure(self)

    def html(self) -> str:
        """The same as HTML."""
        return markup(self.drawn())

    def figure(self) -> dict[str, Any]:
        """Plain values for a recording, see `core.draw.figures`; `of` reads them."""
        return {"kind": "ladder", **to_json(self)}

    @classmethod
    def of(cls, figure: Mapping[str, Any]) -> Ladder:
        """The ladder of `figure()`. Raises Damaged."""
        found: Ladder = from_json(cls, {name: each for name, each in figure.items() if name != "kind"}, "figure")
        return found

    def _repr_html_(self) -> str:
        return self.html()

    def _repr_mimebundle_(self, include: object = None, exclude: object = None) -> dict[str, Any]:
        return {"text/plain": self.text(), "text/html": self.html(), MIME: self.figure()}


def ladder(
    packets: Iterable[Packet],
    hosts: Mapping[str, Collection[str]],
    title: str = "",
    place: Callable[[Packet], tuple[str, str] | None] | None = None,
    notes: Mapping[int, str] | None = None,
    gap_notes: Mapping[int, str] | None = None,
    labels: Mapping[int, str] | None = None,
    lost: Collection[int] = (),
) -> Ladder:
    """A ladder of `packets`. `hosts` gives each host, from left to right, its addresses.

    `place` may say (from, to) of a packet whose addresses do not tell, as behind a balancer, and
    None to leave it to them. `notes`, `labels`, `lost` and `gap_notes` go by packet number, from 0.
    Raises ValueError if an address or a name belongs to no host.
    """
    notes, labels = notes or {}, labels or {}
    owner = {address: host for host, addresses in hosts.items() for address in addresses}
    steps = []
    for number, packet in enumerate(sorted(packets, key=lambda packet: packet.time_s)):
        ends = (place and place(packet)) or (owner.get(packet.src), owner.get(packet.dst))
        found = []
        for end, address in zip(ends, (packet.src, packet.dst)):
            if end is None or end not in hosts:
                raise ValueError(
                    f"packet {number}: expected an address or name of one of "
                    f"{', '.join(hosts)}, found {end or address}; add it to `hosts`, "
                    "or tell by `place` where the packet belongs"
                )
            found.append(end)
        start, end = found
        steps.append(
            Step(packet, start, end, labels.get(number) or packet.label(), notes.get(number, ""), number in lost)
        )
    shown = {host: addresses for host, addresses in hosts.items() if addresses}
    return Ladder(
        title,
        list(hosts),
        steps,
        dict(gap_notes or {}),
        {host: ", ".join(addresses) for host, addresses in shown.items()},
    )


def cut_limit_s(lengths_s: Collection[float]) -> float:
    """The length from which on a gap dwarfs the others: above the steepest step of the sorted lengths.

    Infinity if none does. A gap alone is judged beside the packets' own time, under a millisecond.
    """
    least_s = CUT_FLOOR_S / CUT_RATIO
    ranked = sorted([*lengths_s, *([least_s] if len(lengths_s) == 1 else [])])
    jumps = [(later / max(earlier, least_s), later) for earlier, later in zip(ranked, ranked[1:])]
    ratio, limit_s = max(jumps, default=(0, 0))
    return limit_s if ratio >= CUT_RATIO else float("inf")


def _wrap(words: str, columns: int) -> list[str]:
    """Lines of at most `columns`, 'MTU 1480' and '1448 B' kept whole."""
    lines = textwrap.wrap(PAIR.sub("\N{NO-BREAK SPACE}", words), max(columns, 1))
    return [line.replace("\N{NO-BREAK SPACE}", " ") for line in lines]


class _Terminal:
    """Draws a ladder on a grid of characters."""

    AXIS = 10  # columns for the time

    def __init__(self, ladder: Ladder, width: int) -> None:
        self.ladder, self.width = ladder, width
        hosts = ladder.hosts
        first = self.AXIS + 1 + len(hosts[0]) // 2
        last = max(width - 2 - len(hosts[-1]) // 2, first)
        spread = (last - first) / max(len(hosts) - 1, 1)
        self.column = {host: round(first + spread * number) for number, host in enumerate(hosts)}

    def lines(self) -> list[str]:
        """The whole picture."""
        head = [" "] * self.width
        for host, column in self.column.items():
            self._put(head, max(column - len(host) // 2, self.AXIS), host)
        head[self.AXIS - 4 : self.AXIS - 2] = "ms"
        lines = [*textwrap.wrap(self.ladder.title, self.width), "".join(head), self._blank()]
        for step, gap in zip(self.ladder.steps, self.ladder.gaps()):
            if gap.cut or gap.note:
                lines += self._pause(gap)
            lines += self._loop(step) if step.start == step.end else self._arrow(step)
        return lines + [self._blank()]

    def _blank(self, time_s: float | None = None) -> str:
        """A line with only the hosts' lines, and a time before them."""
        row = [" "] * self.width
        if time_s is not None:
            self._put(row, 0, f"{time_s * 1e3:8.2f}")
        for column in self.column.values():
            row[column] = "|"
        return "".join(row)

    def _put(self, row: list[str], at: int, words: str) -> None:
        for offset, letter in enumerate(words[: self.width - at]):
            row[at + offset] = letter

    def _pause(self, gap: Gap) -> list[str]:
        rule = ("= " if gap.cut else ". ") * self.width
        inside = textwrap.wrap(gap.said(), self.width - self.AXIS - 2)
        edge = " " * self.AXIS + rule[: self.width - self.AXIS]
        return [edge, *(" " * self.AXIS + line.center(self.width - self.AXIS) for line in inside), edge]

    def _lane(self, step: Step) -> tuple[int, int]:
        """First column and room of the lane at the sender's side, where its words stand."""
        order = self.ladder.hosts
        at, to = order.index(step.start), order.index(step.end)
        near = order[at + (1 if to > at else -1)]
        left, right = sorted((self.column[step.start], self.column[near]))
        return left + 1, right - left - 1

    def _arrow(self, step: Step) -> list[str]:
        left, room = self._lane(step)
        rightward = self.column[step.end] > self.column[step.start]
        row = list(self._blank(step.packet.time_s))
        low, high = sorted((self.column[step.start], self.column[step.end]))
        for column in range(low + 1, high):
            row[column] = "~" if step.packet.is_icmp else "-"
        row[high - 1 if rightward else low + 1] = "X" if step.lost else ">" if rightward else "<"
        above = _wrap(step.label, room - 2)
        if len(step.label) <= room - 8:
            self._put(row, left + (room - len(step.label) - 2) // 2, f" {step.label} ")
            above = []
        under = _wrap(step.note, room - 2)
        return [
            *(self._worded(left, room, line) for line in above),
            "".join(row),
            *(self._worded(left, room, line) for line in under),
        ]

    def _loop(self, step: Step) -> list[str]:
        column = self.column[step.start]
        last = step.start == self.ladder.hosts[-1] and len(self.column) > 1
        neighbour = [other for other in self.column.values() if (other < column) == last and other != column]
        edge = (max(neighbour) if last else min(neighbour)) if neighbour else self.width
        room = abs(edge - column) - 7
        words = _wrap(step.label, room) + _wrap(step.note, room)
        lines = []
        for number, line in enumerate(words + [""] * (2 - len(words))):
            row = list(self._blank(step.packet.time_s if number == 0 else None))
            bend = (".--", "'->")[number] if last and number < 2 else ("--.", "<-'")[number] if number < 2 else "   "
            self._put(row, column - 3 if last else column + 1, bend)
            self._put(row, column - 4 - len(line) if last else column + 5, line)
            lines.append("".join(row))
        return lines

    def _worded(self, left: int, room: int, words: str) -> str:
        row = list(self._blank())
        self._put(row, left + (room - len(words)) // 2, words)
        return "".join(row)
