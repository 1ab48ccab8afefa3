"""The node of a recorded figure: data until the page is written, then drawn for that page.

What a page adds, links from functions and packets and the frames that it speaks of, others put into the node: terms.py
and figure_links.py.
"""

from docutils import nodes
from sphinx.application import Sphinx

from book._ext.html_only import add_html_node
from core.draw import figures, parts
from core.draw.page import Page
from core.draw.tree import Element, markup


class recorded_figure(nodes.General, nodes.Element):  # noqa: N801  docutils names nodes so
    """A figure of core.draw.figures as `figure`, in a box called `label`.

    `terms` and `sources` hold where functions lead, by name: an address in the glossary, or where the book quotes the
    code, which goes first. `anchors` names the places of a term's first use, by function. `packets` holds (function,
    address) by the sentence that describes a packet; `named`, the functions that the page speaks of.
    """


def setup_recorded_figure(app: Sphinx) -> None:
    """The node, and how it is written."""
    add_html_node(app, recorded_figure, visit_html)


def drawn(node: recorded_figure) -> Element:
    """The figure for its page."""
    anchors = dict(node.get("anchors", {}))
    sources, terms = node.get("sources", {}), node.get("terms", {})

    def lead(name: str) -> dict[str, str] | None:
        if name in sources:
            return {"href": sources[name]}
        if name in terms:  # only its first use on the page has a place of its own
            return {"class": "wpw-term", "id": anchors.pop(name, None), "href": terms[name]}
        return None

    page = Page(lead, node.get("packets", {}).get, node.get("named"))
    return figures.draw(node["figure"], page)


def visit_html(self, node: recorded_figure) -> None:
    """The figure; one on a page of prose in a box that scrolls if the page is narrower."""
    figure = drawn(node)
    self.body.append(markup(parts.scrolled(node["label"], figure) if node.get("label") else figure))
    raise nodes.SkipNode
