"""What may a page of the site load and run? Only what came with it: each page says so to the browser, in its head.

The policy names this site alone, each script that stands in the page itself by its hash, and what the page's own
parts ask for: a notebook's page may ask whether a lab listens on this machine (run_here.py), and a page that runs a
case may compile WebAssembly and read what it has already loaded (live_run.py). So what a recording or a running
guest printed is never run, were it ever taken for markup.
"""

from __future__ import annotations

import base64
import hashlib
import re
from html import escape, unescape
from pathlib import Path

from sphinx.application import Sphinx

from book._ext.live.run_here import LAB

INLINE = re.compile(
    r"<script(?![^>]*\bsrc=)(?![^>]*\btype=\"(?!text/javascript)[^\"]*\")[^>]*>(.*?)</script>", re.DOTALL
)
HANDLER = re.compile(r"<[a-zA-Z][^>]*?\son[a-z]+=\"([^\"]*)\"")
HEAD = re.compile(r"<meta charset=\"[^\"]*\"\s*/?>")
LIVE, ASKS_LAB = 'class="wpw-live"', 'class="wpw-run"'
# `file:` is the site itself, where a page was opened from a folder; a page from a server cannot load it.
OWN = "'self' file:"


def hashed(script: str) -> str:
    """A script's source as a policy names it."""
    return f"'sha256-{base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()}'"


def handlers(html: str) -> set[str]:
    """What its elements run when something happens to them, by hash: the theme's print button does."""
    return {hashed(unescape(found)) for found in HANDLER.findall(html)}


def policy(html: str, of_site: set[str]) -> str:
    """What this page needs, and nothing else. `of_site`: the handlers of all pages, for the search reads each page for
    a summary, and the browser holds what it reads to the policy of the search page."""
    scripts = [hashed(found) for found in INLINE.findall(html) if found]
    live = LIVE in html
    parts = {
        "default-src": ["'none'"],
        "script-src": [
            OWN,
            *scripts,
            *(["'unsafe-hashes'", *sorted(of_site)] if of_site else []),
            *(["'wasm-unsafe-eval'"] if live else []),
        ],
        "style-src": [OWN, "'unsafe-inline'"],  # pictures carry their own
        "img-src": [OWN, "data:"],
        "font-src": [OWN],
        # Hashes of what is loaded are compared by asking for a blob: see live-run.js.
        "connect-src": [OWN, *([LAB] if ASKS_LAB in html else []), *(["blob:"] if live else [])],
        "worker-src": ["blob:"] if live else ["'none'"],  # the emulator's timers
        "base-uri": ["'none'"],
        "form-action": [OWN],
    }
    return "; ".join(f"{name} {' '.join(dict.fromkeys(values))}" for name, values in parts.items())


def add(app: Sphinx, failure: Exception | None) -> None:
    """The policy of each written page, before anything that it governs."""
    if failure is not None or app.builder.format != "html":
        return
    pages = {page: page.read_text("utf-8") for page in Path(app.outdir).rglob("*.html")}
    of_site = set().union(*map(handlers, pages.values()))
    for page, html in pages.items():
        if 'http-equiv="Content-Security-Policy"' in html:
            continue
        tag = f'<meta http-equiv="Content-Security-Policy" content="{escape(policy(html, of_site))}" />'
        page.write_text(HEAD.sub(lambda found: found[0] + tag, html, count=1), "utf-8")


def setup(app: Sphinx) -> dict:
    """Sphinx calls this."""
    app.connect("build-finished", add, priority=900)  # behind those that still change pages
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
