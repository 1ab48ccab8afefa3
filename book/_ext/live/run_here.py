"""How does a reader get from a page to the lab? Each notebook's page says the command that opens it.

The page notebooks/<case> gets, below its title, `./lab start <case>`, a button that copies it, and a
link to the same notebook in the reader's own lab on this machine. Nothing is asked of the machine
before the reader follows the link: see run-here.js, without which both are words and a plain link.
"""

import os

from docutils import nodes
from sphinx.application import Sphinx

from core.draw.tree import Element, h, markup

NOTEBOOKS = "notebooks/"
# Where `./lab start` listens, by the same variable. Its option --port is for one call, which no page knows of.
LAB = f"http://127.0.0.1:{int(os.environ.get('LAB_PORT', 8888))}"
RUN_BOX = 'class="wpw-run"'
COPIES = "work"  # the folder of the checkout that holds the reader's own notebooks


def box(case: str) -> Element:
    """The command that opens this case's notebook, a button that copies it, and the link to the reader's own lab."""
    there = f"{LAB}/lab/tree/{COPIES}/{case}.ipynb"
    return h(
        "div",
        {"class": "wpw-run", "data-lab": LAB},
        h(
            "p",
            {},
            "This page is a notebook. In a clone of the book, ",
            h("code", {"class": "wpw-command"}, f"./lab start {case}"),
            " opens it in your own lab. ",
            h("button", {"type": "button", "class": "wpw-copy", "hidden": True}, "Copy the command"),
            " ",
            h("a", {"class": "wpw-open", "href": there}, "Open it in the lab that is running here"),
        ),
        h("p", {"class": "wpw-said", "role": "status"}),
    )


def add_box(app: Sphinx, doctree: nodes.document, docname: str) -> None:
    """Puts the box behind the title, and what stands right below it."""
    if not docname.startswith(NOTEBOOKS) or app.builder.format != "html":
        return
    title = next(iter(doctree.findall(nodes.title)), None)
    if title is None:
        return
    at = title.parent.index(title) + 1
    while at < len(title.parent) and "wpw-provenance" in title.parent[at].get("classes", []):
        at += 1
    html = markup(box(docname.removeprefix(NOTEBOOKS)))
    title.parent.insert(at, nodes.raw("", html, format="html"))


def setup(app: Sphinx) -> dict:
    """Sphinx calls this."""
    app.connect("doctree-resolved", add_box)
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
