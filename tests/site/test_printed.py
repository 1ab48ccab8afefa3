"""Is the PDF the whole book, with contents that lead to the right pages?"""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

import pytest
import yaml
from browsing import ROOT, visit
from pypdf import PdfReader

from host import print_book

pytestmark = [pytest.mark.xdist_group("site"), pytest.mark.whole("site", why="prints the book")]


@pytest.fixture(scope="module")
def book():
    """The book's pages, in order."""
    return print_book.entries(yaml.safe_load((ROOT / "_toc.yml").read_text()))


@pytest.fixture(scope="module")
def printed(built_site):
    """The PDF, opened. Printed in a thread: the other tests' browser has an event loop in this one."""
    with ThreadPoolExecutor(1) as pool:
        return PdfReader(pool.submit(print_book.pdf, built_site).result())


def titles(outline) -> list[str]:
    """The outline's entries, nested ones too."""
    return [title for each in outline
            for title in (titles(each) if isinstance(each, list) else [each.title.strip()])]


def test_every_chapter_is_in_the_outline_and_begins_where_the_contents_say(built_site, printed, book):
    numbers = print_book.page_numbers(print_book_file(built_site), book)
    outlined = "".join("".join(titles(printed.outline)).split())  # Chromium drops the blank at a line's end
    contents = printed.pages[1].extract_text()
    for entry in book:
        print_book.article(built_site, entry, {})  # reads the title
        assert "".join(entry.title.split()) in outlined
        assert str(numbers[entry.key]) in contents
        page = " ".join(printed.pages[numbers[entry.key] - 1].extract_text().split())
        assert entry.title.split(",")[0] in page


def print_book_file(built_site):
    """Where the PDF lies."""
    return built_site.parent / "pdf/where-packets-wait.pdf"


def test_the_contents_are_links(printed, book):
    leading = [each.get_object() for each in printed.pages[1].get("/Annots", [])]
    assert len([link for link in leading if link["/Subtype"] == "/Link"]) >= len(book)


def test_pages_are_a4_and_many(printed):
    assert len(printed.pages) > 10
    assert {(round(float(page.mediabox.width)), round(float(page.mediabox.height))) for page in printed.pages} <= {
        (595, 842), (596, 842), (595, 841)}


def test_pictures_and_source_are_printed(printed):
    text = " ".join(page.extract_text() for page in printed.pages)
    assert "tcp_simple_retransmit" in text and "ICMP frag needed" in text
    assert "Copy the command" not in text


def test_nothing_is_wider_than_the_paper(built_site, printed, browser):
    """Else Chromium prints the whole book smaller."""
    file = print_book_file(built_site).with_name("book.html")
    with visit(browser, file.as_uri(), 794, 1123) as seen:  # A4 at 96 dots an inch
        seen.page.emulate_media(media="print")
        wide = seen.page.evaluate("""() => {
            const edge = document.body.getBoundingClientRect().right + 2;
            return [...document.querySelectorAll('body *')].filter(
                each => each.getBoundingClientRect().right > edge && !each.closest('svg, .admonition-title')).map(
                each => each.outerHTML.slice(0, 120));
        }""")
        assert wide == []
