"""Is the PDF the whole book, with contents that lead to the right pages?"""

import base64
import warnings
from concurrent.futures import ThreadPoolExecutor

import pytest
import yaml
from pypdf import PdfReader

from core import cases
from host.paths import REPOSITORY
from host.site import links, print_book
from tests.site.browsing import toc_pages, visit

pytestmark = [pytest.mark.xdist_group("printed"), pytest.mark.part("site", why="prints the book")]


@pytest.fixture(scope="module")
def book():
    """The book's pages, in order."""
    return print_book.entries(yaml.safe_load((REPOSITORY / "_toc.yml").read_text()))


@pytest.fixture(scope="module")
def printed(built_site):
    """The PDF, opened. Printed in a thread: the other tests' browser has an event loop in this one."""
    with ThreadPoolExecutor(1) as pool:
        return PdfReader(pool.submit(print_book.pdf, built_site).result())


def titles(outline) -> list[str]:
    """The outline's entries, nested ones too."""
    return [title for each in outline for title in (titles(each) if isinstance(each, list) else [each.title.strip()])]


def test_chapters_are_in_the_outline_and_where_the_contents_say(built_site, printed, book):
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


def test_every_link_leads_to_a_place_or_to_another_host(built_site, printed):
    """Chromium leaves a link out that leads to no place, and prints the path of this machine for one to a file."""
    page = links.Addresses(print_book_file(built_site).with_name("book.html").read_text("utf-8"))
    within = {target[1:] for target in page.targets if target.startswith("#")}
    assert len(within) > 500 and within - page.places == set()
    followed = [each.get_object() for page in printed.pages for each in page.get("/Annots", [])]
    places = {link["/Dest"] for link in followed if "/Dest" in link}
    assert len(places) > 500 and places <= printed.named_destinations.keys()
    assert {link["/A"]["/URI"].partition("://")[0] for link in followed if "/A" in link} == {"https"}


def test_pages_are_a4_and_many(printed):
    assert len(printed.pages) > 10
    assert {(round(float(page.mediabox.width)), round(float(page.mediabox.height))) for page in printed.pages} <= {
        (595, 842),
        (596, 842),
        (595, 841),
    }


def test_pictures_and_source_are_printed(printed):
    text = " ".join(page.extract_text() for page in printed.pages)
    assert "tcp_simple_retransmit" in text and "ICMP frag needed" in text
    assert "Copy the command" not in text


def test_a_long_stack_has_a_row_for_what_its_page_leaves_out(built_site, printed, browser):
    file = print_book_file(built_site).with_name("book.html")
    with visit(browser, file.as_uri(), 794, 1123) as seen:
        seen.page.emulate_media(media="print")
        rows = seen.page.evaluate("""() => [...document.querySelectorAll(".wpw-more")].map(more => {
            let frames = 0, shown = 0;
            for (let row = more.nextElementSibling; row?.matches(".wpw-beside"); row = row.nextElementSibling) {
                frames += row.matches(".wpw-frame");
                shown += row.offsetHeight > 0;
            }
            return [more.innerText.trim(), more.offsetHeight > 0, frames, shown];
        })""")
    assert len(rows) > 3 and all(row == [f"{row[2]} more frames", True, row[2], 0] for row in rows), rows


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


MOST_A_CHAPTER = 25  # pages: what one would carry
REPEATED = "cell_output", "wpw-mentions", "genindextable"


def test_a_chapter_says_by_how_much_it_is_too_long_to_carry(built_site, printed, book):
    """A warning and no bound, as in test_readable.py: each change of how pages look moved a chapter across it."""
    numbers = print_book.page_numbers(print_book_file(built_site), book)
    begins = [*(numbers[entry.key] for entry in book), len(printed.pages) + 1]
    pages = {entry.page: after - first for entry, first, after in zip(book, begins, begins[1:])}
    chapters = {name: pages[f"book/{name}"] for name in cases.cases()}
    assert min(chapters.values()) > 1
    for name, count in chapters.items():
        if count > MOST_A_CHAPTER:
            warnings.warn(f"{name}: {count} printed pages, where {MOST_A_CHAPTER} are the most", stacklevel=1)


def test_what_is_not_printed_is_said(built_site, printed, book):
    left_out = {name for name in toc_pages() if name.startswith(print_book.LEFT_OUT)}
    assert left_out and {entry.page for entry in book} == set(toc_pages()) - left_out - {"search"}
    html = print_book_file(built_site).with_name("book.html").read_text("utf-8")
    assert [name for name in REPEATED if name in html] == []
    assert " ".join(print_book.LEFT_OUT_SAID.split()) in " ".join(printed.pages[1].extract_text().split())


READABLE = 4.5  # WCAG 2.2, 1.4.3
# A picture of a piece of the page, and the places of some boxes in it: the contrast between the lightest and the
# darkest pixel in the middle of each box.
CONTRAST = """async ([picture, boxes, scale]) => {
    const image = new Image();
    image.src = `data:image/png;base64,${picture}`;
    await image.decode();
    const canvas = Object.assign(document.createElement('canvas'), {width: image.width, height: image.height});
    const drawn = canvas.getContext('2d');
    drawn.drawImage(image, 0, 0);
    const linear = part => part / 255 <= 0.04045 ? part / 255 / 12.92 : ((part / 255 + 0.055) / 1.055) ** 2.4;
    return boxes.map(({x, y, width, height}) => {
        const pixels = drawn.getImageData((x + width * 0.2) * scale, (y + height * 0.2) * scale,
                                          width * 0.6 * scale, height * 0.6 * scale).data;
        const light = [];
        for (let at = 0; at < pixels.length; at += 4)
            light.push(0.2126 * linear(pixels[at]) + 0.7152 * linear(pixels[at + 1]) + 0.0722 * linear(pixels[at + 2]));
        return (Math.max(...light) + 0.05) / (Math.min(...light) + 0.05);
    });
}"""
PLACES = """figure => {
    const from = figure.getBoundingClientRect();
    return [...figure.querySelectorAll('a.wpw-mark')].map(mark => {
        const {x, y, width, height} = mark.getBoundingClientRect();
        return {x: x - from.x, y: y - from.y, width, height};
    });
}"""


def painted(page, figure, scale: int) -> list[float]:
    """The contrast of each numbered circle in a figure, in its picture as Chromium paints it."""
    picture = base64.b64encode(figure.screenshot()).decode()
    return page.evaluate(CONTRAST, [picture, figure.evaluate(PLACES), scale])


def test_the_numbers_in_the_circles_can_be_read_in_the_book(built_site, printed, browser):
    """Two style sheets together once printed them in the blue of their ground."""
    file = print_book_file(built_site).with_name("book.html")
    with visit(browser, file.as_uri(), 794, 1123, device_scale_factor=2) as seen:
        seen.page.emulate_media(media="print")
        contrasts = [
            each
            for figure in seen.page.query_selector_all("figure.wpw-source:has(.wpw-mark)")
            for each in painted(seen.page, figure, 2)
        ]
        assert len(contrasts) > 200 and min(contrasts) >= READABLE


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_they_can_be_read_where_a_reader_prints_a_page(site, browser, scheme):
    with visit(browser, f"{site}/book/splice-push.html", 794, 1123, scheme, device_scale_factor=2) as seen:
        seen.page.emulate_media(media="print", color_scheme=scheme)
        figure = seen.page.query_selector("figure.wpw-source:has(.wpw-mark)")
        assert min(painted(seen.page, figure, 2)) >= READABLE
