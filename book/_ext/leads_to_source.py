"""Where in the book is the code behind a frame of a stack, or behind a packet of a ladder?

The recorded pictures come from the guest, which knows no pages. Here, once the pages are written, each
function named in the head of a table's row becomes a link to the place where the book quotes it, and
each packet learns the same as `data-source` and `data-function`, for explore.js to show. A packet's
function is its own `data-function`, else the first of `packet_sources` in _config.yml whose pattern is
found in its label::

    packet_sources:
      - ["dropped there", ip_exceeds_mtu]
"""

from __future__ import annotations

import os
import re
from html import escape, unescape
from pathlib import Path

from sphinx.application import Sphinx

QUOTED = re.compile(
    r'<figure class="wpw-source[^"]*" id="([^"]+)"[^>]*><figcaption[^>]*><span class="wpw-where">'
    r"<code>([^<]+)</code>"
)
ROW_HEAD = re.compile(r'(<th scope="row">)<code>([^<]+)</code>(</th>)')
PACKET = re.compile(r'<g class="wpw-packet(?P<kinds>[^"]*)"(?P<rest>[^>]*)>')
# As labs/trace/stacks.py has it, in one expression.
CLONE = re.compile(r"(\.(constprop|isra|part|cold|llvm)(\.\d+)?|\.\d+)*(\+0x[0-9a-f]+(/0x[0-9a-f]+)?|\+\d+)?$")

Places = dict[str, list[tuple[str, str]]]  # by function: (page, place in it)


def places(pages: dict[str, str]) -> Places:
    """Where each function is quoted, in the order of the pages."""
    found: Places = {}
    for page, html in pages.items():
        for anchor, label in QUOTED.findall(html):
            found.setdefault(unescape(label).removesuffix("()").strip(), []).append((page, anchor))
    return found


def address(page: str, function: str, known: Places) -> str | None:
    """The way from `page` to the function's code: on the same page if it is quoted there."""
    choices = known.get(function, [])
    if not choices:
        return None
    there, anchor = next((choice for choice in choices if choice[0] == page), choices[0])
    return f"#{anchor}" if there == page else f"{os.path.relpath(there, os.path.dirname(page) or '.')}#{anchor}"


def lead(page: str, html: str, known: Places, rules: list) -> str:
    """The page with its ways to the source."""

    def row(found: re.Match) -> str:
        href = address(page, CLONE.sub("", unescape(found[2])), known)
        return f'{found[1]}<a href="{href}"><code>{found[2]}</code></a>{found[3]}' if href else found[0]

    def packet(found: re.Match) -> str:
        if "data-source" in found["rest"]:
            return found[0]
        label = re.search(r'aria-label="([^"]*)"', found["rest"])
        own = re.search(r'data-function="([^"]*)"', found["rest"])
        chosen = (
            own[1]
            if own
            else next(
                (
                    function
                    for pattern, function in rules
                    if label and re.search(pattern, unescape(label[1])) and function in known
                ),
                None,
            )
        )
        href = chosen and address(page, chosen, known)
        if not href:
            return found[0]
        named = "" if own else f' data-function="{escape(chosen)}"'
        return f'<g class="wpw-packet{found["kinds"]}"{found["rest"]}{named} data-source="{escape(href)}">'

    return PACKET.sub(packet, ROW_HEAD.sub(row, html))


def finish(app: Sphinx, failure: Exception | None) -> None:
    """Leads from every page."""
    if failure or app.builder.name != "html":
        return
    out = Path(app.outdir)
    files = [out / f"{docname}.html" for docname in sorted(app.env.found_docs)]
    pages = {file.relative_to(out).as_posix(): file.read_text("utf-8") for file in files if file.exists()}
    known = places(pages)
    for page, html in pages.items():
        (out / page).write_text(lead(page, html, known, app.config.packet_sources), "utf-8")


def setup(app: Sphinx) -> dict:
    """Sphinx calls this."""
    app.add_config_value("packet_sources", [], "html", [list])
    app.connect("build-finished", finish)
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
