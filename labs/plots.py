"""How do all plots of the book look, and what do readers get who cannot see them?

`style()` once, then draw with matplotlib as usual; `drawn()` gives a figure of the book: inline SVG with a text
alternative, and its numbers. Its text is text and takes the page's colour, so that one plot reads in light and
dark. Every axis names its unit, see `label()`. Matplotlib is a package of the guest.
"""

import hashlib
import io
import re

import matplotlib
from matplotlib import pyplot as plt

from core import style as house
from core.draw import figures
from core.draw.tree import markup

COLORS = {one["name"]: one["colour"] for one in house.SERIES}
MARKERS = [one["marker"] for one in house.SERIES]  # colour is never the only sign
GREY = house.GREY  # figure_html() turns it into currentColor

RC = {
    "figure.figsize": (7.2, 3.6),
    "figure.dpi": 100,
    "figure.constrained_layout.use": True,
    "figure.facecolor": "none",
    "axes.facecolor": "none",
    "savefig.facecolor": "none",
    "savefig.transparent": True,
    "legend.frameon": False,
    "legend.framealpha": 0,
    "text.color": GREY,
    "axes.labelcolor": GREY,
    "axes.edgecolor": GREY,
    "axes.titlecolor": GREY,
    "xtick.color": GREY,
    "ytick.color": GREY,
    "grid.color": GREY,
    "grid.alpha": 0.22,
    "font.family": "sans-serif",
    "font.size": 11,
    "axes.titlesize": 12,
    "axes.titleweight": "bold",
    "axes.titlelocation": "left",
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.grid": True,
    "axes.axisbelow": True,
    "lines.linewidth": 1.8,
    "lines.markersize": 6,
    "svg.fonttype": "none",
    "svg.hashsalt": "where-packets-wait",
}


def style() -> None:
    """Sets the book's look for every plot that follows in this process."""
    matplotlib.rcParams.update(RC)
    cycler = matplotlib.cycler
    matplotlib.rcParams["axes.prop_cycle"] = cycler(color=list(COLORS.values())) + cycler(marker=list(MARKERS))


def label(axes, x: tuple[str, str], y: tuple[str, str], title: str = "") -> None:
    """Names both axes with their units: label(axes, x=("time", "ms"), y=("waited", "ms")).

    A plain number or a name has the unit "1", which is not shown. Raises ValueError on none.
    """
    for (name, unit), put in ((x, axes.set_xlabel), (y, axes.set_ylabel)):
        if not unit:
            raise ValueError(f"expected a unit for the axis `{name}`, found none; give '1' for a count")
        put(name if unit == "1" else f"{name} ({unit})")
    axes.set_title(title)


def drawn(figure, alt: str) -> dict:
    """`figure` as a figure of `core.draw.figures`: an SVG that takes the page's colour, and the numbers behind it.

    `alt` says what the plot shows. The same figure gives the same bytes each time. Closes the figure, so that a
    notebook does not show it twice. Raises ValueError without `alt`.
    """
    if not alt.strip():
        raise ValueError("expected an `alt` that says what the plot shows, found none")
    file, rows = io.StringIO(), series(figure)
    with matplotlib.rc_context({key: RC[key] for key in ("svg.fonttype", "svg.hashsalt")}):
        figure.savefig(file, format="svg", transparent=True, metadata={"Date": None, "Creator": None})
    plt.close(figure)
    width, height = (72 * side for side in figure.get_size_inches())  # Matplotlib's SVG counts in points
    return {
        "kind": "plot",
        "alt": alt,
        "width": float(width),
        "height": float(height),
        "svg": _inside(file.getvalue()),
        "rows": rows,
    }


def figure_html(figure, alt: str) -> str:
    """A plot as HTML for a notebook."""
    return markup(figures.draw(drawn(figure, alt)))


def series(figure) -> list[dict]:
    """The data behind a plot: one row a point of a labelled line or group of bars, named by its axes."""
    rows = []
    for axes in figure.axes:
        names = (axes.get_xlabel() or "x", axes.get_ylabel() or figure.axes[0].get_ylabel() or "y")
        about = {"plot": axes.get_title(loc="left") or axes.get_title()}
        ticks = dict(zip(axes.get_xticks(), (tick.get_text() for tick in axes.get_xticklabels())))
        for line in axes.get_lines():
            if not line.get_label().startswith("_"):
                points = zip(line.get_xdata(), line.get_ydata())
                rows += [
                    about | {"series": line.get_label(), names[0]: _plain(x), names[1]: _plain(y)} for x, y in points
                ]
        for bars in axes.containers:
            if not bars.get_label().startswith("_"):
                for bar in bars.patches:
                    place = bar.get_x() + bar.get_width() / 2
                    nearest = min(ticks, key=lambda tick: abs(tick - place), default=place)
                    rows.append(
                        about
                        | {
                            "series": bars.get_label(),
                            names[0]: ticks.get(nearest) or _plain(nearest),
                            names[1]: _plain(bar.get_height()),
                        }
                    )
    return rows


def _plain(value) -> float | str:
    """A number without numpy's type, with as many digits as a measurement has."""
    try:
        return round(float(value), 6)
    except (TypeError, ValueError):
        return str(value)


class Shown:
    """A plot as a notebook cell's result: its picture in HTML, its `alt` in plain text."""

    def __init__(self, figure, alt: str) -> None:
        self.alt, self.markup = alt, figure_html(figure, alt)

    def _repr_html_(self) -> str:
        return self.markup

    def __repr__(self) -> str:
        return self.alt


def _inside(svg: str) -> str:
    """What is in Matplotlib's SVG: in the page's colour, its ids its own."""
    svg = re.sub(r"<metadata>.*?</metadata>", "", svg, flags=re.DOTALL)
    svg = svg[svg.index(">", svg.index("<svg")) + 1 : svg.rindex("</svg>")].strip()
    # Two plots on a page have figure_1 each: an id may be there only once.
    key = "p" + hashlib.sha256(svg.encode()).hexdigest()[:8] + "-"
    svg = re.sub(r'\bid="', f'id="{key}', svg)
    svg = svg.replace('href="#', f'href="#{key}').replace("url(#", f"url(#{key}")
    return re.sub(GREY, "currentColor", svg, flags=re.IGNORECASE)
