"""Nodes that a browser shows; other formats leave them out, or have words in their place."""

from collections.abc import Callable

from docutils import nodes
from sphinx.application import Sphinx

OTHERS = ("text", "latex", "man", "texinfo")


def skip(_writer, _node: nodes.Node) -> None:
    """Leave the node out; a caption and the page's words stay."""
    raise nodes.SkipNode


def add_html_node(app: Sphinx, node: type[nodes.Element], visit: Callable, text: Callable = skip) -> None:
    """Add a node that `visit` writes as HTML, and `text` as plain text. Both raise SkipNode when they have done all."""
    others = dict.fromkeys(OTHERS, (skip, None)) | {"text": (text, None)}
    app.add_node(node, html=(visit, None), **others)
