"""Recorded figures as plain data, and what draws each kind of them.

A figure is a dict that survives JSON. Its `kind` says which of these it is:

    stack     an expected call stack beside the observed one (`core.draw.stacks_view`)
    ladder    packets between hosts (`core.draw.ladder`)
    flame     sampled stacks, added up (`core.draw.flame`)
    topology  hosts and wires (`core.draw.topology_svg`)
    table     lines of plain text, set as they are in a terminal
    plot      a drawing of Matplotlib's as SVG, with the numbers behind it

So a recording outlives a change of markup: a page, a notebook and a card for previews draw from the same data.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, TypeAlias, TypedDict, TypeVar

from core.draw import flame_svg, ladder_svg, stacks_view, topology_svg
from core.draw.flame import Flame
from core.draw.ladder import Ladder
from core.draw.page import ALONE, Page
from core.draw.tree import Element, Markup, h
from core.serialization import Damaged
from core.symbols import function_name

SUFFIX = ".figure.json"  # of the file that a recorded figure lies in
Figure: TypeAlias = dict[str, Any]  # read from a file, so it is asked for what its kind needs and may not have it
Answer = TypeVar("Answer")


class Table(TypedDict):
    """Lines of plain text, and whether a longer one goes on below."""

    title: str
    text: str
    wraps: bool


class Plot(TypedDict):
    """A drawing of Matplotlib's, its size in points, its words for who does not see it, and the numbers behind it."""

    alt: str
    svg: str
    width: float
    height: float
    rows: list[dict[str, Any]]


class NoFigure(ValueError):
    """What cannot be drawn, and why."""


def table(text: str, title: str, wraps: bool = False) -> Figure:
    """Lines of plain text as a figure. If it `wraps`, a longer line goes on below, as in a terminal, and is copied as
    one; else the figure scrolls."""
    return {"kind": "table", "title": title, "text": text, "wraps": wraps}


def topology(described: topology_svg.Described, title: str) -> Figure:
    """What `labs.net.topology.Topology.describe()` says, as a figure."""
    return {"kind": "topology", "title": title, "described": described}


def _table(figure: Table, _page: Page) -> Element:
    title = figure["title"]
    return h(
        "figure",
        {"class": f"wpw-table{' wpw-wraps' if figure['wraps'] else ''}"},
        h("figcaption", {}, title),
        h(
            "div",
            {"style": "overflow-x:auto", "role": "region", "tabindex": "0", "aria-label": title},
            h("pre", {}, figure["text"]),
        ),
    )


def _plot(figure: Plot, _page: Page) -> Element:
    # 96 CSS pixels an inch of 72 points; below 80 % of that the text would be too small, so it scrolls, by key too.
    width, height = figure["width"], figure["height"]
    svg = h(
        "svg",
        {
            "viewBox": f"0 0 {width:g} {height:g}",
            "xmlns": "http://www.w3.org/2000/svg",
            "aria-hidden": "true",
            "xmlns:xlink": "http://www.w3.org/1999/xlink",
            "style": "display:block;width:100%;height:auto",
        },
        Markup(figure["svg"]),
    )
    room = f"max-width:{width / 72 * 96:.0f}px;min-width:{width / 72 * 77:.0f}px"
    return h(
        "figure",
        {
            "class": "wpw-plot",
            "role": "img",
            "aria-label": figure["alt"],
            "tabindex": "0",
            "style": "margin:1.2em 0;color:inherit;overflow-x:auto",
        },
        h("div", {}, h("div", {"style": room}, svg)),
    )


@dataclass(frozen=True)
class _Kind:
    """How a kind is drawn, its records for a CSV file, and the functions that its rows are about. Each takes a figure
    of its own kind."""

    draw: Callable[[Any, Page], Element]
    rows: Callable[[Any], list[dict[str, Any]]] = lambda figure: []
    functions: Callable[[Any], list[str]] = lambda figure: []


KINDS = {
    "stack": _Kind(
        stacks_view.figure, stacks_view.rows, lambda figure: [row["told"] or row["observed"] for row in figure["rows"]]
    ),
    "ladder": _Kind(
        lambda figure, page: ladder_svg.figure(Ladder.of(figure), page),
        lambda figure: ladder_svg.rows(Ladder.of(figure)),
    ),
    "flame": _Kind(
        lambda figure, page: flame_svg.figure(Flame.of(figure), page),
        lambda figure: flame_svg.rows(Flame.of(figure)),
        lambda figure: [row["function"] for row in flame_svg.rows(Flame.of(figure))],
    ),
    "topology": _Kind(lambda figure, _page: topology_svg.figure(figure["described"], figure["title"])),
    "table": _Kind(_table),
    "plot": _Kind(_plot, lambda figure: figure["rows"]),
}


def _ask(figure: Figure, what: Callable[[_Kind], Answer]) -> Answer:
    """What a figure's kind says of it. Raises NoFigure if it is none, or not whole."""
    kind = figure.get("kind") if isinstance(figure, dict) else None
    if kind not in KINDS:
        raise NoFigure(f"expected a figure (one of {', '.join(KINDS)}), found {str(figure):.60}")
    try:
        return what(KINDS[kind])
    except Damaged as error:
        raise NoFigure(f"not whole, a figure of kind {kind}: {error}") from error
    except (KeyError, TypeError, ValueError, AttributeError, RecursionError) as error:  # a packet may quote one
        raise NoFigure(f"not whole, a figure of kind {kind}: {type(error).__name__}: {error}") from error


def draw(figure: Figure, page: Page = ALONE) -> Element:
    """The figure as a tree of HTML and SVG, drawn for `page`. Raises NoFigure, as the others do, if it cannot be."""
    return _ask(figure, lambda kind: kind.draw(figure, page))


def rows(figure: Figure) -> list[dict[str, Any]]:
    """The numbers behind a figure, a record each; none behind plain text and topologies."""
    return _ask(figure, lambda kind: kind.rows(figure))


def functions(figure: Figure) -> list[str]:
    """The functions that a figure's rows are about, in its order; the same one may be there more than once."""
    return [function_name(name) for name in _ask(figure, lambda kind: kind.functions(figure))]


def packets(figure: Figure) -> list[str]:
    """The sentences that describe a ladder's packets, in its order."""
    return [step.described() for step in Ladder.of(figure).steps] if figure["kind"] == "ladder" else []


def text(figure: Figure) -> str | None:
    """The words of a table in plain text; of other kinds None."""
    return figure["text"] if figure["kind"] == "table" else None
