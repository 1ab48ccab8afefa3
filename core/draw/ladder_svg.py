"""How does a ladder of packets become a picture that reads everywhere?

One <figure> with inline SVG: no background, currentColor, accents that colour-blind readers tell
apart and that are dashes and words too. The same packets follow as a table that can be opened.
"""

from __future__ import annotations

import re
import textwrap
from dataclasses import dataclass
from typing import TYPE_CHECKING

from core import style
from core.draw import parts
from core.draw.page import ALONE, Page
from core.draw.tree import Attribute, Element, h

if TYPE_CHECKING:  # it imports us
    from core.draw.ladder import Gap, Ladder, Step

# Sizes in units of the view box, which is shown at one unit a pixel where there is room.
AXIS_X, FIRST_X, EDGE, LANE_MIN = 64, 132, 72, 128
TOP, LINE, NOTE, ROW_MIN, STRETCH, BAND = 62, 17, 16, 30, 92, 30
BOX = 66  # half the width of a host's box
# Widths of a letter in the widest font that readers are likely to have, DejaVu Sans: bold, italic.
LABEL_W, NOTE_W = 8.2, 6.7
LOOP_W, LOOP_H, LOOP_GAP = 24, 24, 8
TABLE = "These packets as a table"
# Pairs that no line break may part: 'MTU 1480', '1448 B'.
PAIR = re.compile(r"(?<=\bMTU) (?=\d)|(?<=\d) (?=(?:B|s|ms|\u00b5s)\b)")

CSS = style.css("""
.wpw-ladder{margin:1.4em 0;color:inherit;--wpw-l-icmp:$icmp;--wpw-l-stall:$stall}
.wpw-ladder figcaption{text-align:left;font-weight:600;font-size:1rem;margin:0 0 .5em;color:inherit}
.wpw-ladder .wpw-scroll{overflow-x:auto;max-width:100%}
.wpw-ladder svg{display:block;width:100%;height:auto;max-width:var(--wpw-l-width);min-width:var(--wpw-l-min);
 font-family:$font;font-size:13px;background:none;overflow:visible}
.wpw-ladder svg text{fill:currentColor;stroke:none}
.wpw-ladder .wpw-host{font-weight:650;font-size:14px;text-anchor:middle}
.wpw-ladder .wpw-address{font-size:11.5px;text-anchor:middle;opacity:.8}
.wpw-ladder .wpw-box{fill:none;stroke:currentColor;stroke-opacity:.45}
.wpw-ladder .wpw-life{stroke:currentColor;stroke-opacity:.38;stroke-width:$host_line}
.wpw-ladder .wpw-axis{stroke:currentColor;stroke-opacity:.55;stroke-width:1}
.wpw-ladder .wpw-time{font-size:12px;text-anchor:end;font-variant-numeric:tabular-nums;opacity:.85}
.wpw-ladder .wpw-line{fill:none;stroke:currentColor;stroke-width:$packet_line}
.wpw-ladder .wpw-head{fill:currentColor;stroke:none}
.wpw-ladder .wpw-label{font-weight:550}
.wpw-ladder .wpw-note{font-size:12px;font-style:italic;opacity:.88}
.wpw-ladder .wpw-hit{fill:currentColor;fill-opacity:0}
.wpw-ladder .wpw-packet:hover .wpw-hit,.wpw-ladder .wpw-packet:focus .wpw-hit{fill-opacity:.07}
.wpw-ladder .wpw-packet:focus{outline:none}
.wpw-ladder .wpw-packet:focus-visible .wpw-hit{stroke:currentColor;stroke-width:1.5}
.wpw-ladder .bare .wpw-line{stroke-width:1.2;stroke-opacity:.7}
.wpw-ladder .bare .wpw-label{font-weight:400}
.wpw-ladder .again .wpw-line{stroke-width:$strong_line}
.wpw-ladder .icmp .wpw-line{stroke:var(--wpw-l-icmp);stroke-width:2.2;stroke-dasharray:6 4}
.wpw-ladder .icmp .wpw-head{fill:var(--wpw-l-icmp)}
.wpw-ladder .wpw-cross{stroke:var(--wpw-l-stall);stroke-width:$strong_line;fill:none;stroke-linecap:round}
.wpw-ladder .wpw-band{fill:currentColor;fill-opacity:.05}
.wpw-ladder .stall .wpw-band{fill:var(--wpw-l-stall);fill-opacity:.14}
.wpw-ladder .wpw-tear{fill:none;stroke:currentColor;stroke-opacity:.4;stroke-width:1.2}
.wpw-ladder .stall .wpw-tear{stroke:var(--wpw-l-stall);stroke-opacity:1;stroke-width:1.6}
.wpw-ladder .stall .wpw-length{font-weight:700;font-size:15px}
.wpw-ladder .wpw-foot,.wpw-ladder details{font-size:.84rem;margin:.35em 0 0;color:inherit}
.wpw-ladder .wpw-foot{opacity:.85;max-width:var(--wpw-l-width)}
.wpw-ladder details table.wpw-packets{border-collapse:collapse;margin:.4em 0;color:inherit;
 background:transparent;width:auto;font-size:inherit}
.wpw-ladder details table.wpw-packets caption{text-align:left;color:inherit;caption-side:top;font-size:inherit}
.wpw-ladder details table.wpw-packets tr{background:transparent}
.wpw-ladder details table.wpw-packets tr>*{text-align:left;vertical-align:top;padding:.15em .8em .15em 0;
 border:0;border-bottom:1px solid rgba(128,128,128,.32);background:transparent;color:inherit;max-width:none}
""")


def duration(length_s: float) -> str:
    """A length of time with its unit: '1.20 s', '207 ms', '1.2 ms', '40 us' with the micro sign."""
    if length_s >= 1:
        return f"{length_s:.2f} s"
    if length_s >= 0.01:
        return f"{length_s * 1e3:.0f} ms"
    if length_s >= 0.001:
        return f"{length_s * 1e3:.1f} ms"
    return f"{length_s * 1e6:.0f} \N{MICRO SIGN}s"


def figure(ladder: Ladder, page: Page = ALONE) -> Element:
    """`core.draw.ladder.Ladder` as one <figure class="wpw-ladder">; `page` leads from packets to code."""
    drawing = _Drawing(ladder, page)
    body, height = drawing.svg()
    width = drawing.width
    title = ladder.title or "Packets between " + ", ".join(ladder.hosts)
    return parts.figure(
        "ladder",
        CSS,
        title,
        parts.drawing(width, height, title, ladder.summary(), ladder.title + ladder.summary(), body, role="group"),
        h("p", {"class": "wpw-foot"}, drawing.scale_note()),
        _table(ladder),
        **{"l-width": width, "l-min": width * 0.87},
    )


COLUMNS = ("time, ms", "from", "to", "packet", "IP length", "seq", "note")


def rows(ladder: Ladder) -> list[dict[str, str]]:
    """The packets as records for a CSV file; a gap is a remark on the packet behind it."""
    made = []
    for step, gap in zip(ladder.steps, ladder.gaps()):
        record = dict(zip(COLUMNS, _cells(step)))
        made.append(record | ({"remark": gap.said()} if gap.cut or gap.note else {}))
    return made


def _cells(step: Step) -> list[str]:
    packet = step.packet
    label = step.label + (", dropped there" if step.lost else "")
    seq = "" if packet.seq is None else str(packet.seq)
    at, length = f"{packet.time_s * 1e3:.3f}", f"{packet.length_bytes} B"
    return [at, step.start, step.end, label, length, seq, step.note]


def _table(ladder: Ladder) -> Element:
    """The packets and gaps as a table that can be opened."""
    lines = []
    for step, gap in zip(ladder.steps, ladder.gaps()):
        if gap.cut or gap.note:
            lines.append(h("tr", {}, h("td", {"colspan": "7"}, gap.said())))
        lines.append(parts.line(*_cells(step)))
    return parts.opened(TABLE, COLUMNS, lines, "wpw-packets", h("caption", {}, ladder.title))


def wrap(words: str, room: float, letter: float) -> list[str]:
    """`words` in lines that fit `room` with letters of that width, pairs of number and unit whole."""
    columns, whole = max(int(room / letter), 8), PAIR.sub("\N{NO-BREAK SPACE}", words)
    return textwrap.wrap(whole, columns) if len(whole) > columns else [whole] if whole else []


@dataclass
class _Row:
    """A step's words, wrapped, and the room they need above and below its arrow."""

    label: list[str]
    note: list[str]
    text_x: float
    anchor: str
    above: float
    below: float
    y: float = 0.0


class _Drawing:
    """Places everything, then writes it down."""

    def __init__(self, ladder: Ladder, page: Page) -> None:
        self.ladder, self.gaps, self.page = ladder, ladder.gaps(), page
        times = [step.packet.time_s for step in ladder.steps]
        self.decimals = 3 if times and times[-1] - times[0] < 0.01 else 2  # of a time in ms
        count = len(ladder.hosts)
        natural = {1: 480, 2: 600}.get(count, 720)
        self.width = max(natural, FIRST_X + EDGE + LANE_MIN * (count - 1))
        self.lane = (self.width - FIRST_X - EDGE) / max(count - 1, 1)
        self.x = {host: FIRST_X + self.lane * number for number, host in enumerate(ladder.hosts)}
        self.rows = [self._row(step) for step in ladder.steps]
        self.bands: dict[int, tuple[float, float]] = {}
        self._place()

    def _row(self, step: Step) -> _Row:
        """Wraps a step's words into the lane at its sender's side."""
        x, hosts = self.x[step.start], self.ladder.hosts
        if step.start != step.end:
            side = 1 if self.x[step.end] > x else -1
            label, note = wrap(step.label, self.lane - 18, LABEL_W), wrap(step.note, self.lane - 18, NOTE_W)
            return _Row(label, note, x + side * self.lane / 2, "middle", 8 + LINE * len(label), 8 + NOTE * len(note))
        # Words of a loop stand beside it, on the side where another host leaves room.
        side = -1 if step.start == hosts[-1] and len(hosts) > 1 else 1
        room = self.lane if len(hosts) > 1 else self.width - x
        room -= LOOP_W + LOOP_GAP + 5
        label, note = wrap(step.label, room, LABEL_W), wrap(step.note, room, NOTE_W)
        return _Row(
            label,
            note,
            x + side * (LOOP_W + LOOP_GAP),
            "start" if side > 0 else "end",
            14,
            max(LOOP_H + 8, LINE * len(label) + NOTE * len(note) - 2),
        )

    def _place(self) -> None:
        """Gives every row its height: to scale, but never closer than its words allow."""
        free = [gap.length_s for gap in self.gaps if not gap.cut and gap.length_s > 0]
        self.px_per_s = STRETCH / max(free) if free else 0.0
        y: float = TOP
        for number, (row, gap) in enumerate(zip(self.rows, self.gaps)):
            before = self.rows[number - 1].below if number else 0
            least = max(before + row.above + 6, ROW_MIN)
            if gap.cut or gap.note:
                top = y + before + 10
                room = BAND + NOTE * len(self._gap_words(gap)[1:])
                self.bands[number] = (top, top + room)
                y = top + room + row.above + 12
            else:
                y += max(least, gap.length_s * self.px_per_s)
            row.y = y
        self.bottom = (self.rows[-1].y + self.rows[-1].below if self.rows else y) + 12

    def _gap_words(self, gap: Gap) -> list[str]:
        return [f"{duration(gap.length_s)} pass", *wrap(gap.note, self.width - FIRST_X - LOOP_W - 30, NOTE_W)]

    def scale_note(self) -> str:
        """What the reader must know of the time axis."""
        said = "Time runs down; the axis is in ms."
        least = [max(before.below + row.above + 6, ROW_MIN) for before, row in zip(self.rows, self.rows[1:])]
        if self.px_per_s and min(least, default=0) < STRETCH:
            said += f" Gaps above {duration(max(least) / self.px_per_s)} are to scale, shorter ones are drawn wider."
        if any(gap.cut for gap in self.gaps):
            said += " The shaded gap is cut short."
        return said

    def svg(self) -> tuple[list[Element], float]:
        """The elements and the height they take."""
        drawn = [*self._lines(), *self._hosts()]
        for number, (step, row, gap) in enumerate(zip(self.ladder.steps, self.rows, self.gaps)):
            if number in self.bands:
                drawn.append(self._band(*self.bands[number], gap))
            drawn.append(self._packet(step, row))
        return drawn, self.bottom + 4

    def _hosts(self) -> list[Element]:
        drawn = [h("text", {"class": "wpw-time", "x": AXIS_X - 10, "y": TOP - 12}, "ms")]
        for host, x in self.x.items():
            address = self.ladder.addresses.get(host, "")
            half = min(self.lane / 2 - 4, BOX) if len(self.x) > 1 else BOX
            box: dict[str, Attribute] = {
                "x": f"{x - half:.1f}",
                "y": 3,
                "width": f"{2 * half:.1f}",
                "height": TOP - 16,
                "rx": 7,
            }
            drawn.append(h("rect", {"class": "wpw-box"} | box))
            drawn.append(h("text", {"class": "wpw-host", "x": f"{x:.1f}", "y": 22 if address else 31}, host))
            if address:
                drawn.append(h("text", {"class": "wpw-address", "x": f"{x:.1f}", "y": 38}, address))
        return drawn

    def _lines(self) -> list[Element]:
        """Axis and hosts' lines, left out where a band interrupts them."""
        edges = [TOP - 13, *(edge for band in self.bands.values() for edge in band), self.bottom]
        drawn = []
        for top, end in zip(edges[::2], edges[1::2]):
            start = top if top != TOP - 13 else TOP - 2
            drawn.append(h("path", {"class": "wpw-axis", "d": f"M{AXIS_X} {start:.1f}V{end:.1f}"}))
            drawn += [h("path", {"class": "wpw-life", "d": f"M{x:.1f} {top:.1f}V{end:.1f}"}) for x in self.x.values()]
        return drawn

    def _band(self, top: float, end: float, gap: Gap) -> Element:
        """Time that passes: a band with torn edges where it is cut short."""
        left = FIRST_X + LOOP_W + LOOP_GAP  # where a loop's words stand too, in sight on a narrow screen
        steps = int((self.width - 6 - AXIS_X + 14) / 8)
        edge = ("l4 -4l4 4" if gap.cut else "l4 0l4 0") * steps
        words = []
        for number, line in enumerate(self._gap_words(gap)):
            css = "wpw-note" if number else "wpw-length"
            words.append(h("text", {"class": css, "x": left, "y": f"{top + 20 + NOTE * number:.1f}"}, line))
        band: dict[str, Attribute] = {
            "x": AXIS_X - 14,
            "y": f"{top:.1f}",
            "width": 8 * steps,
            "height": f"{end - top:.1f}",
        }
        tear = f"M{AXIS_X - 14} {top + 2:.1f}{edge}M{AXIS_X - 14} {end + 2:.1f}{edge}"
        return h(
            "g",
            {"class": f"wpw-gap{' stall' if gap.cut else ''}"},
            h("rect", {"class": "wpw-band"} | band),
            h("path", {"class": "wpw-tear", "d": tear}),
            words,
        )

    def _packet(self, step: Step, row: _Row) -> Element:
        y, said = row.y, step.described()
        fields = "\n".join([said, *(f"{name}: {value}" for name, value in step.packet.fields())])
        top = y - row.above + 2
        time = f"{step.packet.time_s * 1e3:.{self.decimals}f}"
        function, source = self.page.packet(said) or (None, None)
        hit: dict[str, Attribute] = {
            "x": 2,
            "y": f"{top:.1f}",
            "width": self.width - 4,
            "height": f"{y + row.below - top:.1f}",
            "rx": 4,
        }
        return h(
            "g",
            {
                "class": f"wpw-packet {' '.join(step.kinds)}",
                "tabindex": "0",
                "role": "img",
                "aria-label": said,
                "data-function": function,
                "data-source": source,
            },
            h("title", {}, fields),
            h("rect", {"class": "wpw-hit"} | hit),
            h("path", {"class": "wpw-axis", "d": f"M{AXIS_X - 4} {y:.1f}h8"}),
            h("text", {"class": "wpw-time", "x": AXIS_X - 10, "y": f"{y + 4:.1f}"}, time),
            self._loop(step, y) if step.start == step.end else self._arrow(step, y),
            self._words(step, row),
        )

    def _words(self, step: Step, row: _Row) -> list[Element]:
        """Label above its arrow and note below; beside a loop both."""
        loop = step.start == step.end
        first = row.y + 5 if loop else row.y - 7 - LINE * (len(row.label) - 1)
        under = first + LINE * len(row.label) if loop else row.y + NOTE + 1
        at = {"x": f"{row.text_x:.1f}", "text-anchor": row.anchor}
        return [
            h("text", {"class": css} | at | {"y": f"{start + height * number:.1f}"}, line)
            for css, start, height, lines in (
                ("wpw-label", first, LINE, row.label),
                ("wpw-note", under, NOTE, row.note),
            )
            for number, line in enumerate(lines)
        ]

    def _arrow(self, step: Step, y: float) -> list[Element]:
        start, end = self.x[step.start], self.x[step.end]
        way = 1 if end > start else -1
        if step.lost:  # stops short of the host that drops it
            x = end - way * 13
            cross = f"M{x - 6:.1f} {y - 6:.1f}l12 12m0 -12l-12 12"
            return [_line(f"M{start:.1f} {y:.1f}H{x:.1f}"), h("path", {"class": "wpw-cross", "d": cross})]
        return [_line(f"M{start:.1f} {y:.1f}H{end - way * 9:.1f}"), _head(end - way, y, -way)]

    def _loop(self, step: Step, y: float) -> list[Element]:
        x = self.x[step.start]
        way = -1 if step.start == self.ladder.hosts[-1] and len(self.x) > 1 else 1
        reach, low = x + way * LOOP_W, y + LOOP_H
        bend = f"C{reach:.1f} {y:.1f} {reach:.1f} {low:.1f} {x + way * 9:.1f} {low:.1f}"
        return [_line(f"M{x:.1f} {y:.1f}{bend}"), _head(x + way, low, way)]


def _line(d: str) -> Element:
    return h("path", {"class": "wpw-line", "d": d})


def _head(x: float, y: float, way: int) -> Element:
    """An arrow's head with its point at (x, y), open to the right if `way` is 1."""
    return h("path", {"class": "wpw-head", "d": f"M{x:.1f} {y:.1f}l{way * 11} -5v10z"})
