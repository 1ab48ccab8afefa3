"""Can a page be read in one go: is any sentence longer than one breath?"""

from __future__ import annotations

import re

import pytest
from browsing import MADE, toc_pages
from bs4 import BeautifulSoup

MOST_WORDS = 40
# Not prose: code, what was recorded, tables, titles, what the build adds.
ASIDE = (
    "pre, script, style, table, svg, nav, h1, h2, h3, h4, dt, .headerlink, .wpw-provenance, .wpw-files, "
    ".wpw-mentions, .wpw-data, .cell_output, .wpw-note-head, .wpw-ladder, .wpw-stack"
)
BLOCKS = "p, li, dd, figcaption"
# Behind a full stop, a question or exclamation mark; quotation marks and brackets may follow it.
END = re.compile(r"(?<!e\.g\.)(?<!i\.e\.)(?<=[.!?])[\"”’)]*\s+")


def sentences(html: str) -> list[str]:
    """Each sentence of a page's prose, captions and notes, as one line."""
    article = BeautifulSoup(html, "html.parser").select_one("article")
    for each in article.select(ASIDE):
        each.decompose()
    blocks = [each.extract() for each in reversed(article.select(BLOCKS))]  # a list's items before the list's own
    return [said for each in blocks for said in END.split(" ".join(each.get_text().split()))]


def too_long(html: str) -> list[str]:
    """The sentences with more than MOST_WORDS words. A dash alone is no word."""
    return [said for said in sentences(html) if len(re.findall(r"\S*\w\S*", said)) > MOST_WORDS]


LONG = " ".join(["word"] * MOST_WORDS)


@pytest.mark.parametrize(
    "body, found",
    [
        (f"<p>{LONG} more.</p>", 1),
        (f"<p>{LONG}. {LONG}!</p>", 0),
        (f"<p>(“Is it {LONG}?”) Next.</p>", 1),
        (f"<p>“{LONG}.” More.</p>", 0),
        (f"<p>{LONG} e.g. this</p>", 1),
        (f"<ul><li><p>{LONG}</p></li><li>more</li></ul><pre>{LONG} more</pre>", 0),
        (f"<ul><li>{LONG} more<ul><li>{LONG}</li></ul></li></ul>", 1),
        (f"<figure><figcaption>{LONG} more</figcaption></figure>", 1),
    ],
)
def test_a_long_sentence_is_found(body, found):
    assert len(too_long(f"<article>{body}</article>")) == found


@pytest.mark.parametrize("name", [name for name in toc_pages() if name not in MADE])
def test_no_sentence_is_too_long(built_site, name):
    assert too_long((built_site / f"{name}.html").read_text("utf-8")) == []
