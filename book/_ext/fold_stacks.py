"""Which frames of a long stack does its page speak of? The others stand back.

Each run of frames that the page names nowhere, in its words, its notes or the heads of its excerpts, gets the class
`wpw-beside`, and before it a row that says how many they are. That row is hidden on the page: without script every
frame is there. fold-stacks.js makes it a button that folds them; paper has the row in place of the frames.
"""

from __future__ import annotations

import re
from itertools import groupby

from docutils import nodes
from recorded import recorded_fragment
from sphinx.application import Sphinx
from terms_found import QUOTED, quoted_name

LONG = 10  # a stack of up to so many frames is left as it is
RUN = 3  # and so are fewer frames in a row
STACK = re.compile(r'<figure class="wpw-stack".*?</figure>', re.DOTALL)
# A frame, with what is remarked on it in the row below.
FRAME = re.compile(
    r'<tr class="wpw-row (?P<kinds>wpw-frame[^"]*)".*?</tr>(?:<tr class="wpw-row wpw-why[^"]*">.*?</tr>)*', re.DOTALL
)
HEAD = re.compile(r'<th scope="row">(?:<a [^>]*>)?<code>(\w+)')
ROW = '<tr class="wpw-row '


def fold(html: str, named: set[str]) -> str:
    """The page's HTML with the frames in its long stacks marked that are not in `named`."""
    return STACK.sub(lambda stack: _folded(stack[0], named), html)


def _folded(stack: str, named: set[str]) -> str:
    frames = list(FRAME.finditer(stack))
    if len(frames) <= LONG:
        return stack

    def decides(frame: re.Match) -> bool:
        head = HEAD.search(frame[0])
        return frame is frames[0] or "wpw-missing" in frame["kinds"] or not head or head[1] in named

    made, at = [], 0
    for decide, run in groupby(frames, decides):
        run = list(run)
        if decide or len(run) < RUN:
            continue
        beside = stack[run[0].start() : run[-1].end()].replace(ROW, f"{ROW}wpw-beside ")
        more = f'{ROW}wpw-more" hidden><td colspan="3">{len(run)} more frames</td></tr>'
        made += [stack[at : run[0].start()], more, beside]
        at = run[-1].end()
    return "".join([*made, stack[at:]])


def names(page: nodes.document) -> set[str]:
    """The functions that a page names, or quotes."""
    said = [literal.astext() for literal in page.findall(nodes.literal)]
    quoted = [quoted_name(figure) for figure in page.findall(QUOTED)]
    return {word for text in said + quoted for word in re.findall(r"\w+", text)}


def fold_page(app: Sphinx, page: nodes.document, docname: str) -> None:
    """Folds in what was recorded, on a page of prose or in a notebook's outputs."""
    named = names(page)
    for node in page.findall(recorded_fragment):
        node["html"] = fold(node["html"], named)
    for node in list(page.findall(nodes.raw)):
        if node.get("format") == "html" and "wpw-stack" in node.astext():
            html = fold(node.astext(), named)
            node.replace_self(nodes.raw(html, html, format="html"))


def setup(app: Sphinx) -> dict:
    """Sphinx calls this."""
    app.connect("doctree-resolved", fold_page, priority=600)  # behind terms.py, which reads rows as they were recorded
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
