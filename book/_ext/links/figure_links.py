"""Where in the book is the code behind a frame of a stack, or behind a packet of a ladder, and which frames count?

A recorded figure knows no pages. As each page is written, a function that the book quotes leads to that excerpt, on
the same page if it is there; so does a packet, whose function is the first of `packet_sources` in _config.yml whose
pattern is found in the packet's description::

    packet_sources:
      - ["dropped there", ip_exceeds_mtu]

A long stack shows at first the frames that its page speaks of: the functions that it names as literals, or quotes.
"""

import re

from docutils import nodes
from sphinx.application import Sphinx

from book._ext.links.terms import address
from book._ext.links.terms_found import QUOTED, quoted_name
from book._ext.recordings.recorded_figure import recorded_figure
from core.draw import figures


def names(page: nodes.document) -> set[str]:
    """The functions that a page names, or quotes."""
    said = [literal.astext() for literal in page.findall(nodes.literal)]
    quoted = [quoted_name(figure) for figure in page.findall(QUOTED)]
    return {word for text in said + quoted for word in re.findall(r"\w+", text)}


def way_to(app: Sphinx, docname: str, function: str) -> str | None:
    """The way from a page to the function's code: on the same page if it is quoted there."""
    choices = app.env.wpw_quoted.get(function, [])
    if not choices:
        return None
    there, anchor = next((choice for choice in choices if choice[0] == docname), choices[0])
    return address(app, docname, there, anchor)


def link(app: Sphinx, page: nodes.document, docname: str) -> None:
    """Tell each of the page's figures where its words lead."""
    found = list(page.findall(recorded_figure))
    if app.builder.format != "html" or not found:
        return
    named = names(page)
    for node in found:
        node["named"] = named
        ways = {name: way_to(app, docname, name) for name in figures.functions(node["figure"])}
        node["sources"] = {name: way for name, way in ways.items() if way}
        node["packets"] = packets(app, docname, figures.packets(node["figure"]))


def packets(app: Sphinx, docname: str, described: list[str]) -> dict[str, tuple[str, str]]:
    """Map the sentence that describes a packet to what is behind it: the function whose code is behind it, and the way
    there."""
    made = {}
    for said in described:
        for pattern, function in app.config.packet_sources:
            way = way_to(app, docname, function)
            if way and re.search(pattern, said):
                made[said] = (function, way)
                break
    return made


def setup(app: Sphinx) -> dict:
    """Sphinx calls this."""
    app.add_config_value("packet_sources", [], "html", [list])
    app.connect("doctree-resolved", link)
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
