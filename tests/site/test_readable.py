"""Can a page be read in one go: is any sentence longer than one breath, and a chapter longer than fifteen minutes?"""

import re
import warnings

import pytest
from bs4 import BeautifulSoup

from core import cases
from tests.site.browsing import MADE, toc_pages

MOST_WORDS = 40
# Not prose: code, what was recorded, tables, titles, what the build adds.
ASIDE = (
    "pre, script, style, table, svg, nav, h1, h2, h3, h4, dt, .headerlink, .wpw-provenance, .wpw-files, "
    ".wpw-mentions, .wpw-data, .cell_output, .wpw-note-head, .wpw-ladder, .wpw-stack, .wpw-source figcaption"
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


def words(said: str) -> int:
    """How many there are. A dash alone is no word."""
    return len(re.findall(r"\S*\w\S*", said))


def too_long(html: str) -> list[str]:
    """The sentences with more than MOST_WORDS words."""
    return [said for said in sentences(html) if words(said) > MOST_WORDS]


# A chapter that is read in fifteen minutes; what is longer is on its further page. An editor is told, and decides.
MOST = {"words": 2600, 'words of "In short"': 120, "excerpts": 6, "lines of excerpts": 90, "lines of origin": 1}


def measured(html: str) -> dict[str, int]:
    """What MOST bounds, on one page."""
    article = BeautifulSoup(html, "html.parser").select_one("article")
    short = article.select_one(".admonition.tip")
    return {
        "words": sum(map(words, sentences(html))),
        'words of "In short"': sum(map(words, sentences(f"<article>{short}</article>"))) if short else 0,
        "excerpts": len(article.select(".wpw-source")),
        "lines of excerpts": len(article.select(".wpw-source .wpw-line")),
        "lines of origin": len(article.select(".wpw-provenance")),
    }


def too_much(html: str) -> list[str]:
    """What of a chapter's page is more than fifteen minutes have room for, and code that comes before any picture."""
    found = measured(html)
    said = [f"{found[name]} {name}, where {most} are the most" for name, most in MOST.items() if found[name] > most]
    first = BeautifulSoup(html, "html.parser").select_one("article figure")
    return [*said, *(["code before the first picture"] if first and "wpw-source" in first["class"] else [])]


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
def test_a_page_says_which_sentences_are_long(built_site, name):
    """A warning and no bound, because a sentence that is cut in two for the test's sake reads no better."""
    for said in too_long((built_site / f"{name}.html").read_text("utf-8")):
        warnings.warn(f"{name}: {said}", stacklevel=1)


SHORT = '<div class="admonition tip"><p class="admonition-title">In short</p><p>{}</p></div>'
CODE = '<figure class="wpw-source"><pre>' + '<span class="wpw-line">code</span>' * 31 + "</pre></figure>"
PICTURE = '<figure class="wpw-chart"></figure>'


@pytest.mark.parametrize(
    "body, found",
    [
        (f"{PICTURE}{SHORT.format('word ' * 118)}{CODE * 2}", []),
        (f"{PICTURE}{SHORT.format('word ' * 119)}", ['121 words of "In short", where 120 are the most']),
        (f"<p>{'word ' * 2601}</p>", ["2601 words, where 2600 are the most"]),
        (f"{CODE}{PICTURE}", ["code before the first picture"]),
        (f"{PICTURE}{CODE * 3}", ["93 lines of excerpts, where 90 are the most"]),
        ('<p class="wpw-provenance">Recorded</p>' * 2, ["2 lines of origin, where 1 are the most"]),
    ],
)
def test_what_makes_a_chapter_long_is_found(body, found):
    assert too_much(f"<article>{body}</article>") == found


@pytest.mark.parametrize("name", list(cases.cases()))
def test_a_chapter_says_by_how_much_it_is_longer_than_fifteen_minutes(built_site, name):
    """A warning and no bound: a text that is cut for the test's sake is no shorter to its reader."""
    html = (built_site / f"book/{name}.html").read_text("utf-8")
    assert min(measured(html).values()) > 0  # or what is counted here is not on the page any more
    for said in too_much(html):
        warnings.warn(f"{name}: {said}", stacklevel=1)
