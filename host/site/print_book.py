"""How does the built site become one PDF? Its articles in the book's order, printed by Chromium.

The pages are put one behind the other into one HTML file, so that links between them become links
within it. It is printed twice: the first time shows on which page each heading lands, for the contents.
"""

import posixpath
import re
from dataclasses import dataclass
from html import escape
from pathlib import Path
from urllib.parse import urldefrag

import yaml
from bs4 import BeautifulSoup

from host import chromium
from host.errors import LabError
from host.paths import REPOSITORY
from host.phases import phase

TITLE = "Where Packets Wait"
# Pages that paper has no use for: what runs, which the chapter beside it tells, and places without page numbers.
LEFT_OUT = ("notebooks/", "genindex")
LEFT_OUT_SAID = (
    "Not printed: the notebooks, which are there to be run (./lab start opens one), the index, and the "
    "lists of pages below the glossary's entries."
)
NOT_PRINTED = (
    "script, button, .headerlink, .wpw-run, .wpw-files, .prev-next-footer, .wpw-ladder > details, "
    ".wpw-flame > details, .wpw-mentions"
)
POINTS_AT_ID = ("aria-labelledby", "aria-describedby", "aria-controls", "for")
URL = re.compile(r"url\(#([^)]+)\)")
STYLES = [
    "styles/pydata-sphinx-theme.css",
    "styles/sphinx-book-theme.css",
    "pygments.css",
    "basic.css",
    "sphinx-design.min.css",
    "house-style.css",
    "where-packets-wait.css",
    "print.css",
]
FOOT = (
    '<div style="width:100%;text-align:center;font:8pt system-ui,sans-serif;color:#555">'
    '<span class="pageNumber"></span></div>'
)


@dataclass
class Entry:
    """A page of the book: its path without suffix, how deep it stands, the part that begins with it, and
    what is filled in as it is read: its title."""

    page: str
    depth: int
    part: str = ""
    title: str = ""

    @property
    def key(self) -> str:
        """What a page's places are called in the one file."""
        return self.page.replace("/", "-")


def entries(toc: dict) -> list[Entry]:
    """The pages of _toc.yml that are printed, in their order."""
    found = [Entry(toc["root"], 0)]

    def walk(parts: list, depth: int, caption: str = "") -> None:
        for part in parts:
            if "file" in part:
                if not part["file"].startswith(LEFT_OUT):
                    found.append(Entry(part["file"], depth, caption))
                    caption = ""
                walk(part.get("sections", []), depth + 1)
            for name in ("chapters", "sections", "entries"):
                if name in part and "file" not in part:
                    walk(part[name], depth, part.get("caption", ""))

    walk([{name: toc[name]} for name in ("chapters", "sections") if name in toc] + toc.get("parts", []), 0)
    return found


def pdf(site: Path) -> Path:
    """Print the site that lies in `site`; returns the file."""
    chromium.need()
    folder = site.parent / "pdf"
    folder.mkdir(exist_ok=True)
    book = entries(yaml.safe_load((REPOSITORY / "_toc.yml").read_text()))
    with phase("book: printing _build/pdf/where-packets-wait.pdf") as progress:
        articles = [article(site, entry, {each.page: each.key for each in book}) for entry in book]
        file = folder / "where-packets-wait.pdf"
        numbers: dict[str, int] = {}
        for number in (1, 2):  # the second time with page numbers in its contents
            progress(f"time {number} of 2")
            page = folder / "book.html"
            page.write_text(whole(book, articles, numbers), "utf-8")
            printed(page, file)
            numbers = page_numbers(file, book)
    return file


def article(site: Path, entry: Entry, keys: dict[str, str]) -> str:
    """One page's article, its ids its own and its links leading within the book."""
    soup = BeautifulSoup((site / f"{entry.page}.html").read_text("utf-8"), "html.parser")
    body = soup.select_one("article.bd-article")
    if body is None or body.h1 is None:
        raise LabError(f"{entry.page}.html: expected an article with a title, found none", "./lab book")
    for unwanted in body.select(NOT_PRINTED):
        unwanted.decompose()
    entry.title = body.h1.get_text().strip()
    for tag in body.find_all(True):
        if tag.name == "details":
            tag["open"] = ""
        _own_ids(tag, entry.key)
        _lead_within(tag, entry, keys)
    return f'<section class="wpw-page wpw-depth-{entry.depth}" id="{entry.key}">{body.decode_contents()}</section>'


def _own_ids(tag, key: str) -> None:
    """Make the ids of a page its own, because the same id may stand on many pages."""
    if tag.get("id"):
        tag["id"] = f"{key}--{tag['id']}"
    for name in POINTS_AT_ID:
        if tag.get(name):
            value = tag[name] if isinstance(tag[name], str) else " ".join(tag[name])
            tag[name] = " ".join(f"{key}--{each}" for each in value.split())
    for name, value in tag.attrs.items():
        if isinstance(value, str) and "url(#" in value:
            tag[name] = URL.sub(rf"url(#{key}--\1)", value)


def _lead_within(tag, entry: Entry, keys: dict[str, str]) -> None:
    for name in ("href", "xlink:href", "src"):
        target = tag.get(name)
        if not target or re.match(r"[a-z]+:", target):
            continue
        path, place = urldefrag(target)
        there = (
            posixpath.normpath(posixpath.join(posixpath.dirname(entry.page), path)) if path else f"{entry.page}.html"
        )
        key = keys.get(there.removesuffix(".html")) if there.endswith(".html") else None
        if key:
            tag[name] = f"#{key}--{place}" if place else f"#{key}"
        elif tag.name == "a":
            tag.unwrap()  # a file of the site is not in the book
            return
        else:
            tag[name] = f"../html/{there}"


def whole(book: list[Entry], articles: list[str], numbers: dict[str, int]) -> str:
    """The one file: a cover, the contents, the articles."""
    lines = []
    for entry in book:
        if entry.part:
            lines.append(f'<li class="wpw-part">{escape(entry.part)}</li>')
        lines.append(
            f'<li class="wpw-depth-{entry.depth}"><a href="#{entry.key}"><span>{escape(entry.title)}</span>'
            f'<span class="wpw-at">{numbers.get(entry.key, "")}</span></a></li>'
        )
    styles = "".join(f'<link rel="stylesheet" href="../html/_static/{name}">' for name in STYLES)
    return (
        f'<!doctype html><html lang="en" data-theme="light" data-mode="light"><head><meta charset="utf-8">'
        f'<title>{TITLE}</title>{styles}</head><body class="wpw-print">'
        f'<header class="wpw-cover"><p class="wpw-cover-title">{TITLE}</p>'
        "<p>Why packets wait inside Linux, read in its source and seen running</p></header>"
        f'<nav class="wpw-contents"><h1 id="contents">Contents</h1><ol>{"".join(lines)}</ol>'
        f"<p>{LEFT_OUT_SAID}</p></nav>"
        f'<main class="bd-article">{"".join(articles)}</main></body></html>'
    )


def printed(page: Path, file: Path) -> None:
    """Chromium's print of a file, with an outline and tags for those who have it read to them."""
    with chromium.tab(color_scheme="light") as tab:
        tab.goto(page.as_uri(), wait_until="load")
        tab.pdf(
            path=file,
            prefer_css_page_size=True,
            print_background=True,
            outline=True,
            tagged=True,
            display_header_footer=True,
            header_template="<span></span>",
            footer_template=FOOT,
        )


def page_numbers(file: Path, book: list[Entry]) -> dict[str, int]:
    """On which page, from 1, each entry begins."""
    from pypdf import PdfReader  # there since chromium.need()

    reader = PdfReader(file)
    places = reader.named_destinations
    found, lost = {}, []
    for entry in book:
        place = places.get(entry.key) or places.get(f"/{entry.key}")
        number = reader.get_destination_page_number(place) if place else None
        if number is None:
            lost.append(entry.key)
        else:
            found[entry.key] = number + 1
    if lost:
        raise LabError(f"the PDF has no place for {', '.join(lost)}", "./lab book --pdf")
    return found
