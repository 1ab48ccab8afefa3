"""Does the site stand by itself: small, the same each time, and with nothing from elsewhere?"""

import re

import pytest

from host.site import build as builder
from tests.site.browsing import each_page, visit

MOST_A_PAGE, MOST_IN_ALL = 1_500_000, 25_000_000  # bytes
# The guest that a click starts, twice, because from a folder on the disk it is read in another form: 25 MB of memory
# for a run and 26 for a notebook, and 91 MB of a disk, of which a page loads the pieces that its guest reads
# (MOST_FIRST of test_live_run.py).
LIVE, MOST_LIVE = "_static/live", 310_000_000
# What makes a browser fetch: an address in an element that loads, in a style sheet, in a script.
IN_HTML = re.compile(
    r"""<(?:link|script|img|iframe|source|video|audio|object|embed|use|image)\b[^>]*?"""
    r"""(?:xlink:href|href|src|srcset|data)=["']\s*((?:https?:)?//[^"']+)""",
    re.IGNORECASE,
)
IN_STYLE = re.compile(r"""@import\s+["'](?:https?:)?//[^"']+|url\(\s*["']?(?:https?:)?//[^"')]+""")
COMMENTS = re.compile(r"/\*.*?\*/|(?<![:\"'`])//[^\n\"'`]*$", re.DOTALL | re.MULTILINE)
IN_SCRIPT = re.compile(r"https?://[\w.-]+")
# Never fetched: the name of SVG's element space, what the theme and the terminal say to an author on the console, and a
# network card's other end, which the emulator would invent if it had a card.
NAMES_ONLY = {
    "http://www.w3.org",
    "https://pydata-sphinx-theme.readthedocs.io",
    "http://host",
    "https://developer.mozilla.org",
}


# A file of the tab's kernel in the form that a page from a folder can read: a string, and no code.
LETTERS = re.compile(r'\(globalThis\.LiveFiles \?\?= \{\}\)\["[\w.]+"\] = "[^"\\\n\r]*(?:\\["\\nr][^"\\\n\r]*)*";\n')


def resources(text: str, suffix: str) -> set[str]:
    """Addresses on other hosts that a file would have a browser load."""
    if suffix == ".html":
        return set(IN_HTML.findall(text)) | set(IN_STYLE.findall(text))
    if suffix == ".css":
        return set(IN_STYLE.findall(text))
    if LETTERS.fullmatch(text):
        return set()
    return set(IN_SCRIPT.findall(COMMENTS.sub("", text))) - NAMES_ONLY


def test_no_file_loads_from_another_host(built_site):
    found = {}
    for path in built_site.rglob("*"):
        if path.suffix in (".html", ".css", ".js", ".svg"):
            kind = ".html" if path.suffix == ".svg" else path.suffix
            if abroad := resources(path.read_bytes().decode("utf-8", "replace"), kind):
                found[path.relative_to(built_site).as_posix()] = abroad
    assert found == {}


@pytest.mark.parametrize(
    "suffix, text",
    [
        (".html", '<script async src="https://far.example/a.js"></script>'),
        (".html", '<link rel="stylesheet" href="//far.example/a.css"/>'),
        (".html", '<p style="background:url(https://far.example/a.png)">'),
        (".css", '@import "https://far.example/a.css";'),
        (".css", "@font-face{src:url(//far.example/a.woff2)}"),
        (".js", 'import("https://far.example/a.js")'),
    ],
)
def test_a_file_that_would_is_noticed(suffix, text):
    assert resources(text, suffix)


@pytest.mark.part("site", why="builds the book a second time")
def test_the_same_sources_give_the_same_bytes(built_site, tmp_path):
    def files(folder):
        return {path.relative_to(folder).as_posix(): path.read_bytes() for path in folder.rglob("*") if path.is_file()}

    once, twice = files(built_site), files(builder.book(tmp_path))
    assert once.keys() == twice.keys()
    assert [name for name in once if once[name] != twice[name]] == []


def test_the_whole_site_is_small(built_site):
    live = size(built_site / LIVE)
    assert size(built_site) - live < MOST_IN_ALL and live < MOST_LIVE


def size(folder) -> int:
    """Bytes in all files below."""
    return sum(path.stat().st_size for path in folder.rglob("*") if path.is_file())


@pytest.mark.parametrize("name", each_page())
def test_a_page_with_all_it_loads_is_small(site, browser, name):
    """Bytes as this server sends them, without compression; a first visit, with nothing kept."""
    sizes = {}
    with visit(browser, "about:blank") as seen:
        seen.page.on(
            "requestfinished", lambda request: sizes.update({request.url: request.sizes()["responseBodySize"]})
        )
        seen.page.goto(f"{site}/{name}.html", wait_until="networkidle")
    assert len(sizes) > 5
    assert sum(sizes.values()) < MOST_A_PAGE, sizes
