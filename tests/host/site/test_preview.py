"""Do figures of any kind stand beside each other in one SVG file, each with its own style?"""

from xml.dom import minidom

from host.site.preview import side_by_side

LADDER = (
    '<figure class="wpw-ladder"><style>.wpw-ladder svg text{fill:red}</style>'
    '<svg viewBox="0 0 100 60"><title>A ladder</title><rect/></svg></figure>'
)
FLAME = (
    '<figure class="wpw-flame"><style>.wpw-flame svg{width:1px}</style><figcaption>A flame</figcaption>'
    '<div><svg viewBox="0 0 30 40"><g><title>a call</title></g></svg></div></figure>'
)
PLOT = (
    '<figure class="wpw-plot" role="img"><div><svg viewBox="0 0 518.4 259.2">'
    '<defs><style type="text/css">*{x:y}</style></defs></svg></div></figure>'
)


def test_each_figure_has_its_place_title_and_style():
    picture = minidom.parseString(side_by_side([LADDER, FLAME, PLOT])).documentElement
    assert picture.getAttribute("viewBox") == "0 0 696.4 319.2"
    kinds = [part for part in picture.childNodes if part.nodeName == "g"]
    assert [part.getAttribute("class") for part in kinds] == ["wpw-ladder", "wpw-flame", "wpw-plot"]
    places = [part.firstChild.getAttribute("transform") for part in kinds]
    assert places == ["translate(0 36)", "translate(124 36)", "translate(178 36)"]
    titles = [part.firstChild.data if part.firstChild else "" for part in picture.childNodes if part.nodeName == "text"]
    assert titles == ["A ladder", "A flame", ""]  # a call within the flame graph is not its title
    style = picture.getElementsByTagName("style")[0].firstChild.data
    assert ".wpw-ladder g text{fill:red}" in style and ".wpw-flame g{width:1px}" in style


def test_styles_of_one_kind_are_there_once():
    assert side_by_side([LADDER, LADDER]).count("fill:red") == 1
