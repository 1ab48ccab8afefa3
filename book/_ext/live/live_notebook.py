"""How does a reader run a notebook in its page? The page notebooks/<case> of a case that a tab can run gets a box, and
each of its cells a button.

The cells run in the machine that live_run.py describes, one after the other in one process of Python there: see
book/_static/live-notebook.js. What a cell has led to in the recording stays on the page, below what it leads to here.
Where there is no script, or no state (LAB_TAB), the page is as it was recorded.
"""

import json

from docutils import nodes
from sphinx.application import Sphinx

from book._ext.html_only import add_html_node
from book._ext.live import live_run
from book._ext.live.run_here import NOTEBOOKS, RUN_BOX
from core import cases
from core.draw.tree import Element, h, markup

SCRIPTS = ("live-files.js", "live-notebook.js")
STYLES = (live_run.STYLE, "live-notebook.css")
LACKS = ("bcc", "matplotlib")  # of what notebooks import, the tab's guest


class live_notebook(nodes.General, nodes.Element):  # noqa: N801  docutils names nodes so
    """What stands above a notebook's cells."""


def box(live: dict, case: str, megabytes: float) -> Element:
    """What running a cell here is, and takes. The script adds the buttons, and shows it."""
    return h(
        "section",
        {
            "class": "wpw-live",
            "hidden": True,
            "data-live": json.dumps(live),
            "aria-label": "This notebook, in this tab",
        },
        h(
            "p",
            {},
            "Or run the cells in this tab. It restores a saved VM, with Debian's Linux "
            f"{live['release']} for 32-bit x86 in the emulator v86, and your cells run there as root, in one process "
            f"of Python. The first one loads {megabytes:.1f} MB, and cells load what they read of the disk. Nothing is "
            "installed, and no packet leaves the tab. Its time is counted in what the guest does: a slow computer "
            "measures what a fast one does. It has no compiler and no Matplotlib: a cell that needs these keeps its "
            "recorded output, and ",
            h("code", {}, f"./lab start {case}"),
            " runs it.",
        ),
        h("p", {"class": "wpw-live-buttons"}),
        h("p", {"class": "wpw-live-said", "role": "status"}),
        live_run.drawn_styles(),
    )


def in_tab(case: str) -> bool:
    """Whether a tab can run this case."""
    known = cases.cases().get(case)
    return known is not None and any(each.tab_million for each in known.exercises)


def add_box(app: Sphinx, doctree: nodes.document, docname: str) -> None:
    """Put the box behind the one that opens the reader's own lab."""
    case = docname.removeprefix(NOTEBOOKS)
    title = next(iter(doctree.findall(nodes.title)), None)
    if docname == case or title is None or not app.config.live_state or not in_tab(case):
        return
    above = [at for at, node in enumerate(title.parent) if isinstance(node, nodes.raw) and RUN_BOX in node.astext()]
    title.parent.insert(max(above, default=title.parent.index(title)) + 1, live_notebook("", case=case))


def visit_html(self, node: live_notebook) -> None:
    """The box, with all that the machine is made of."""
    live = live_run.manifest(self.builder, live_run.CELLS) | {"lacks": LACKS}
    loaded = sum(file["bytes"] for name, file in live["files"].items() if name not in live["terminal"])
    self.body.append(markup(box(live, node["case"], loaded / 1e6)))
    raise nodes.SkipNode


def add_files(app: Sphinx, pagename: str, templatename: str, context: dict, doctree: nodes.document | None) -> None:
    """The scripts and style sheets of pages with a box."""
    if doctree is not None and next(doctree.findall(live_notebook), None) is not None:
        for name in SCRIPTS:
            app.add_js_file(name, loading_method="defer")
        for name in STYLES:
            app.add_css_file(name)


def setup(app: Sphinx) -> dict:
    """Sphinx calls this. The state and its files are live_run.py's."""
    app.setup_extension(live_run.__name__)
    add_html_node(app, live_notebook, visit_html)
    app.connect("doctree-resolved", add_box, priority=600)  # behind run_here.py's
    app.connect("html-page-context", add_files)
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
