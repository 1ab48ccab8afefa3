"""Do plots carry their text, their units and the page's colours, the same each time?"""

import json

import pytest
from matplotlib import pyplot as plt

from labs import plots


def drawing():
    plots.style()
    figure, axes = plt.subplots()
    axes.plot([0, 1, 2], [11, 207, 4], label="waited")
    axes.legend()
    plots.label(axes, x=("request", "1"), y=("waited", "ms"), title="A & B")
    return figure


def test_inline_svg_has_text_unit_and_alternative():
    html = plots.figure_html(drawing(), 'B waits "207 ms"')
    assert html.startswith('<figure class="wpw-plot" role="img" aria-label="B waits &quot;207 ms&quot;"')
    assert ">waited (ms)</text>" in html and ">request</text>" in html
    assert "currentColor" in html and plots.GREY not in html.lower()
    for unwanted in ("<?xml", "<!DOCTYPE", "<metadata", "#ffffff", "dc:date"):
        assert unwanted not in html


def test_the_same_plot_is_the_same_bytes():
    assert plots.figure_html(drawing(), "x") == plots.figure_html(drawing(), "x")


def test_a_plot_carries_its_data():
    data = json.loads(json.dumps(plots.drawn(drawing(), "x")))["rows"]
    assert data[1] == {"plot": "A & B", "series": "waited", "request": 1.0, "waited (ms)": 207.0}
    assert len(data) == 3


def test_bars_are_named_by_their_ticks():
    plots.style()
    figure, axes = plt.subplots()
    axes.bar([0.2, 1.2], [5, 6], 0.4, label="<now>")
    axes.axhline(5)  # no series
    axes.set_xticks([0, 1], ["A", "B"])
    plots.label(axes, ("exchange", "1"), ("waited", "ms"), "direct")
    assert plots.series(figure) == [
        {"plot": "direct", "series": "<now>", "exchange": "A", "waited (ms)": 5.0},
        {"plot": "direct", "series": "<now>", "exchange": "B", "waited (ms)": 6.0},
    ]


def test_ids_differ_between_plots():
    first = plots.figure_html(drawing(), "x")
    figure = drawing()
    figure.axes[0].plot([0, 2], [5, 5])
    second = plots.figure_html(figure, "x")
    ids = [{part.split('"')[0] for part in html.split('id="')[1:]} for html in (first, second)]
    assert ids[0] and not ids[0] & ids[1]


def test_a_plot_without_words_or_units_is_refused():
    with pytest.raises(ValueError, match="alt"):
        plots.figure_html(drawing(), " ")
    _, axes = plt.subplots()
    with pytest.raises(ValueError, match="unit for the axis `waited`"):
        plots.label(axes, x=("request", "1"), y=("waited", ""))


def test_a_cell_shows_picture_and_words():
    shown = plots.Shown(drawing(), "B waits")
    assert repr(shown) == "B waits" and "<svg" in shown._repr_html_()
