"""The directive `growth`: how a recorded number grows with another, drawn on linear axes.

::

    :::{growth} addr-select run.addresses
    :x: addresses
    :y: one send, ms
    :per: 1000
    :to: 1024
    :lines: ["as it is: send_us", "with the setting: fixed.send_us"]

    A caption in *MyST*.
    :::

PATH leads to a table whose keys are numbers, along x; each line is a name and a path from an entry of that table to the
number along y, which is divided by `:per:`. An entry without that path has no point on the line, and one beyond `:to:`
is not drawn. Every name stands at its line's end, so no legend has to be matched by colour; those of flat lines stand
above each other.
"""

import json
import math

from docutils import nodes
from docutils.parsers.rst import directives
from sphinx.application import Sphinx
from sphinx.util.docutils import SphinxDirective

from book._ext.fail_closed import fault
from book._ext.html_only import add_html_node
from book._ext.recordings.recorded import Recording, RecordingError, provenance_node, recorded_files
from core.draw.tree import Element, h, markup

WIDTH, HEIGHT = 480.0, 270.0  # pixels
LEFT, RIGHT, TOP, BOTTOM = 32.0, 470.0, 30.0, 230.0  # of the field between the axes
STEPS = (1, 2, 2.5, 5, 10)
MOST_TICKS = 5
NAME_H = 17.0  # between two names, at least
MARKS = ("M-4 0a4 4 0 1 0 8 0a4 4 0 1 0 -8 0", "M-4 -4h8v8h-8z", "M0 -5l5 9h-10z")

Points = list[tuple[float, float]]


class growth_picture(nodes.General, nodes.Element):  # noqa: N801  docutils names nodes so
    """Lines, drawn, and in words."""


def points(recording: Recording, path: str, inside: str, per: float, to: float) -> Points:
    """What one line goes through, from left to right."""
    found = []
    for key in recording.table(path):
        if float(key) > to:
            continue
        try:
            found.append((float(key), recording.value(f"{path}.{key}.{inside}") / per))
        except RecordingError:
            continue
    if not found:
        raise RecordingError(f"{recording.name}: no entry of {path!r} has {inside!r}")
    return sorted(found)


def ticks(most: float) -> list[float]:
    """Round numbers from 0 up to the largest, a few."""
    size = 10.0 ** (len(str(int(most))) - 2)
    step = next(each * size for each in (*STEPS, *(10 * step for step in STEPS)) if most / (each * size) <= MOST_TICKS)
    return [number * step for number in range(int(most / step) + 1)]


def svg(lines: dict[str, Points], x_name: str, y_name: str) -> Element:
    """Draw the lines between two axes, and their names."""
    most_x, most_y = (max(point[axis] for line in lines.values() for point in line) for axis in (0, 1))

    def x(value: float) -> float:
        return LEFT + (RIGHT - LEFT) * value / most_x

    def y(value: float) -> float:
        return BOTTOM - (BOTTOM - TOP) * value / most_y

    drawn = [h("path", {"class": "wpw-axis", "d": f"M{LEFT:g} {TOP:g}V{BOTTOM:g}H{RIGHT:g}"})]
    for value in ticks(most_x):
        at = {"x": f"{x(value):.1f}", "y": f"{BOTTOM + 16:g}", "text-anchor": "middle"}
        drawn.append(h("text", {"class": "wpw-tick", **at}, f"{value:,g}"))
    for value in ticks(most_y):
        at = {"x": f"{LEFT - 6:g}", "y": f"{y(value) + 4:.1f}", "text-anchor": "end"}
        drawn.append(h("text", {"class": "wpw-tick", **at}, f"{value:g}"))
        if value:
            drawn.append(h("path", {"class": "wpw-grid", "d": f"M{LEFT:g} {y(value):.1f}H{RIGHT:g}"}))
    drawn.append(h("text", {"x": f"{RIGHT:g}", "y": f"{BOTTOM + 34:g}", "text-anchor": "end"}, x_name))
    drawn.append(h("text", {"x": 1, "y": 13}, y_name))
    free = BOTTOM  # names from below upwards, none on another
    for number, (name, line) in sorted(enumerate(lines.items()), key=lambda each: each[1][1][-1][1]):
        line_at = [(x(across), y(up)) for across, up in line]
        free = min(line_at[-1][1] - 2, free - NAME_H)
        mark = MARKS[number % len(MARKS)]
        way = "L".join(f"{a:.1f} {b:.1f}" for a, b in line_at)
        marks = [
            h("path", {"class": "wpw-point", "transform": f"translate({a:.1f} {b:.1f})", "d": mark}) for a, b in line_at
        ]
        words = h("text", {"class": "wpw-name", "x": f"{RIGHT - 12:g}", "y": f"{free:.1f}"}, name)
        run = h("path", {"class": "wpw-run-of", "d": f"M{way}"})
        drawn.append(h("g", {"class": f"wpw-line-{number}"}, run, marks, words))
    size = {"viewBox": f"0 0 {WIDTH:g} {HEIGHT:g}", "width": f"{WIDTH:g}", "height": f"{HEIGHT:g}"}
    return h("svg", {**size, "role": "img", "aria-label": said(lines, x_name, y_name)}, drawn)


def said(lines: dict[str, Points], x_name: str, y_name: str) -> str:
    """The picture's text alternative: every number."""
    each = [f"{name}: " + ", ".join(f"{across:g}: {up:.3g}" for across, up in line) for name, line in lines.items()]
    return f"{y_name}, by {x_name}, both axes linear. {'; '.join(each)}."


class Growth(SphinxDirective):
    """`growth`: CASE PATH, with a caption as its content."""

    required_arguments = 2
    has_content = True
    option_spec = {
        "x": directives.unchanged_required,
        "y": directives.unchanged_required,
        "per": float,
        "to": float,
        "lines": directives.unchanged_required,
    }

    def run(self) -> list[nodes.Node]:
        """A figure, or nothing but a reported fault."""
        case, path = self.arguments
        try:
            recording = Recording(self.env, case)
            named = [line.partition(": ") for line in json.loads(self.options["lines"])]
            per, to = self.options.get("per", 1.0), self.options.get("to", math.inf)
            lines = {name: points(recording, path, at, per, to) for name, _, at in named}
            names = self.options["x"], self.options["y"]
        except (KeyError, TypeError, ValueError, RecordingError) as error:
            said_of = f"option {error} is missing" if isinstance(error, KeyError) else str(error)
            fault(self.env, said_of, self.env.docname, self.lineno)
            return []
        picture = growth_picture("", svg=svg(lines, *names), said=said(lines, *names))
        figure = nodes.figure("", picture, classes=["wpw-recorded-figure", "wpw-growth"])
        text = nodes.Element()
        self.state.nested_parse(self.content, self.content_offset, text)
        if text.children:
            figure += nodes.caption("", "", *text[0].children)
        files = recorded_files("", case=case, figure="", names=[])
        figure += nodes.legend("", provenance_node(recording.provenance), files)
        self.set_source_info(figure)
        return [figure]


def visit_html(self, node: growth_picture) -> None:
    """The picture, in a box that scrolls if the page is narrower."""
    region = {"role": "region", "aria-label": "Recorded growth"}
    self.body.append(markup(h("div", {"class": "wpw-scroll", "tabindex": 0, **region}, node["svg"])))
    raise nodes.SkipNode


def visit_text(self, node: growth_picture) -> None:
    """Write the picture's words, where there are no pictures."""
    self.new_state()
    self.add_text(node["said"])
    self.end_state()
    raise nodes.SkipNode


def setup(app: Sphinx) -> dict:
    """Sphinx calls this."""
    add_html_node(app, growth_picture, visit_html, visit_text)
    app.add_directive("growth", Growth)
    return {"version": "1", "parallel_read_safe": False, "parallel_write_safe": True}
