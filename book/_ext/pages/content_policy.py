"""What may a page of the site load and run? Only what came with it: each page says so to the browser, in its head.

The policy names this site alone, each script that the theme writes into a page by its hash, and what the page's own
parts ask for: a notebook's page may ask whether a lab listens on this machine (run_here.py), and a page that runs a
case may compile WebAssembly and read what it has already loaded (live_run.py). So no script or handler runs that stands
in what a recording or a running guest printed. It can load a file of the site as a script, for a policy cannot tell
recorded files from the theme's: these are JSON and captures alone, which are no scripts (host/recording/artifacts.py).

A script is the theme's if it stands in the head, for that is over before the first word of a recording. Markup can
pretend that the article around it ends, but not that it came earlier. What a recording gives to the head, words of a
title or a description, is escaped there. One page has a script below its head, the search, on which no document
stands. The one handler is known by its words. A recording may repeat these, and gets what the theme does.

No policy forbids `<meta http-equiv="refresh">`, which leads the reader to another page, of this site or not, without a
script; browsers obey it in the body, too. So a page with any `<meta` below its head is refused, also in what looks like
a comment: where that ends, a browser reads in its own way.
"""

import base64
import hashlib
import re
from html import escape
from pathlib import Path

from bs4 import BeautifulSoup
from sphinx.application import Sphinx
from sphinx.util import logging

from book._ext.live.run_here import LAB, RUN_BOX

LOGGER = logging.getLogger(__name__)
META = re.compile(r"<meta[\s/>]", re.IGNORECASE)  # and not <metadata>, which pictures have
HEAD = re.compile(r"<meta charset=\"[^\"]*\"\s*/?>")
LIVE = 'class="wpw-live"'
# `file:` is the site itself, where a page was opened from a folder; a page from a server cannot load it.
OWN = "'self' file:"
NO_DOCUMENT = "search.html"  # the theme alone writes it
PRINT = "window.print()"  # of the theme's button


def hashed(script: str) -> str:
    """A script's source as a policy names it."""
    return f"'sha256-{base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()}'"


def scripts_in(html: str) -> list[str]:
    """What the script elements of a page hold, without those that load a file."""
    return [script.get_text() for script in BeautifulSoup(html, "html.parser").find_all("script", src=False)]


def policy(html: str, scripts: list[str]) -> str:
    """What this page, with these scripts in it, needs and nothing else. Each page may print, also one without the
    button: the search reads each page for a summary, and the browser holds what it reads to its own policy."""
    live = LIVE in html
    parts = {
        "default-src": ["'none'"],
        "script-src": [
            OWN,
            *map(hashed, scripts),
            "'unsafe-hashes'",  # which lets handlers be named, too
            hashed(PRINT),
            *(["'wasm-unsafe-eval'"] if live else []),
        ],
        "style-src": [OWN, "'unsafe-inline'"],  # pictures carry their own
        "img-src": [OWN, "data:"],
        "font-src": [OWN],
        # Hashes of what is loaded are compared by asking for a blob: see live-files.js.
        "connect-src": [OWN, *([LAB] if RUN_BOX in html else []), *(["blob:"] if live else [])],
        "worker-src": ["blob:"] if live else ["'none'"],  # the emulator's timers
        "base-uri": ["'none'"],
        "form-action": [OWN],
    }
    return "; ".join(f"{name} {' '.join(dict.fromkeys(values))}" for name, values in parts.items())


def declared(html: str, said: str) -> str:
    """The page with this policy in it, before anything that it governs."""
    tag = f'<meta http-equiv="Content-Security-Policy" content="{escape(said)}" />'
    return HEAD.sub(lambda charset: charset[0] + tag, html, count=1)


def add(app: Sphinx, failure: Exception | None) -> None:
    """Declare the policy of each written page."""
    if failure is not None or app.builder.format != "html":
        return
    for page in Path(app.outdir).rglob("*.html"):
        html = page.read_text("utf-8")
        head, _, below = html.partition("</head>")
        if 'http-equiv="Content-Security-Policy"' in head:  # an earlier build wrote this page
            continue
        if META.search(below):  # it gets no policy, so the next build refuses it as well
            LOGGER.error(
                f"{page.relative_to(app.outdir)}: expected no <meta> below its head, found one, which may lead readers "
                "to another page. Next: take what brings it, such as a cell's output, out of the page"
            )
            app.statuscode = 1
            continue
        scripts = scripts_in(html if page == Path(app.outdir) / NO_DOCUMENT else head)
        page.write_text(declared(html, policy(html, scripts)), "utf-8")


def setup(app: Sphinx) -> dict:
    """Sphinx calls this."""
    app.connect("build-finished", add, priority=900)  # behind those that still change pages
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
