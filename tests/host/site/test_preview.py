"""Do figures of any kind stand beside each other in one SVG file, each with its own style?"""

from xml.dom import minidom

from core.draw import figures
from core.draw.tree import h
from host.site.preview import side_by_side

LADDER = h(
    "figure",
    {"class": "wpw-ladder"},
    h("style", {}, ".wpw-ladder svg text{fill:red}"),
    h("figcaption", {}, "A ladder", h("small", {}, "")),
    h("svg", {"viewBox": "0 0 100 60"}, h("title", {}, "of the svg"), h("rect")),
)
FLAME = h(
    "figure",
    {"class": "wpw-flame"},
    h("style", {}, ".wpw-flame svg{width:1px}"),
    h("figcaption", {}, "A flame"),
    h("div", {}, h("svg", {"viewBox": "0 0 30 40"}, h("g", {}, h("title", {}, "a call")))),
)
PLOT = figures.draw({"kind": "plot", "alt": "x", "width": 518.4, "height": 259.2, "svg": "<defs/>", "rows": []})


def test_each_figure_has_its_place_title_and_style():
    picture = minidom.parseString(side_by_side([LADDER, FLAME, PLOT])).documentElement
    assert picture.getAttribute("viewBox") == "0 0 696.4 319.2"
    kinds = [part for part in picture.childNodes if part.nodeName == "g"]
    assert [part.getAttribute("class") for part in kinds] == ["wpw-ladder", "wpw-flame", "wpw-plot"]
    places = [part.firstChild.getAttribute("transform") for part in kinds]
    assert places == ["translate(0 36)", "translate(124 36)", "translate(178 36)"]
    titles = [part.firstChild.data if part.firstChild else "" for part in picture.childNodes if part.nodeName == "text"]
    assert titles == ["A ladder", "A flame"]  # a call within the flame graph is not its title
    style = picture.getElementsByTagName("style")[0].firstChild.data
    assert ".wpw-ladder g text{fill:red}" in style and ".wpw-flame g{width:1px}" in style


def test_styles_of_one_kind_are_there_once():
    assert side_by_side([LADDER, LADDER]).count("fill:red") == 1
