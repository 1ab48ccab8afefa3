"""Does the built book work in a real browser? Debian's Chromium opens every page of it."""

import base64

import pytest

from core import cases
from tests.site.browsing import each_page, in_colours, toc_pages, visit

# Names that only the kernel's source and its counters have.
SOUGHT = ["tcp_simple_retransmit", "IpFragFails"]


def test_the_pages_are_those_of_the_table_of_contents(built_site):
    found = {
        path.relative_to(built_site).with_suffix("").as_posix()
        for path in built_site.rglob("*.html")
        if "_static" not in path.parts
    }
    assert found == {*toc_pages(), "index"}  # the root leads on to the first page, see below
    assert len(found) > 4


@pytest.mark.parametrize("name", each_page())
def test_a_page_opens_without_error_and_nothing_leaves_the_site(site, browser, name):
    with visit(browser, f"{site}/{name}.html") as seen:
        seen.page.wait_for_load_state("networkidle")
        assert seen.errors == []
        assert seen.abroad == []


@pytest.mark.parametrize("name", each_page())
def test_a_page_opens_from_the_file_system_too(built_site, browser, name):
    with visit(browser, f"{(built_site / name).as_uri()}.html") as seen:
        seen.page.wait_for_load_state("networkidle")
        assert seen.errors == []
        assert seen.abroad == []


# Width, height, how many colours, and how light it is on the whole, from 0 to 1.
PIXELS = """async png => {
    const picture = new Image();
    picture.src = "data:image/png;base64," + png;
    await picture.decode();
    const {width, height} = picture;
    const canvas = new OffscreenCanvas(width, height).getContext("2d");
    canvas.drawImage(picture, 0, 0);
    const words = new Uint32Array(canvas.getImageData(0, 0, width, height).data.buffer);
    const green = words.reduce((sum, word) => sum + (word >> 8 & 255), 0);
    return {width, height, colours: new Set(words).size, light: green / words.length / 255};
}"""


@pytest.mark.part("site", why="for people to look at")
@pytest.mark.parametrize("name", [name for name in toc_pages() if "/" in name])
def test_the_first_screens_are_left_as_pictures(site, built_site, browser, name):
    """For whoever wants to look: _build/screens."""
    with visit(browser, f"{site}/{name}.html") as seen:
        for scheme in ("light", "dark"):
            in_colours(seen.page, scheme)
            file = built_site.parent / "screens" / f"{name.replace('/', '-')}-{scheme}.png"
            found = seen.page.evaluate(PIXELS, base64.b64encode(seen.page.screenshot(path=file)).decode())
            assert (found["width"], found["height"]) == (1280, 900)
            assert found["colours"] > 50, "letters have soft edges; an empty page has one colour"
            assert (found["light"] > 0.5) == (scheme == "light")


def test_the_root_leads_to_the_first_page(site, browser):
    page = browser.new_page()
    page.goto(site)
    page.wait_for_url(f"{site}/book/index.html")
    page.close()


@pytest.mark.parametrize(
    "word, way",
    [
        (SOUGHT[0], "served"),
        *(
            pytest.param(word, way, marks=pytest.mark.part("site"))
            for word, way in [
                (SOUGHT[0], "from the file system"),
                (SOUGHT[1], "served"),
                (SOUGHT[1], "from the file system"),
            ]
        ),
    ],
)
def test_search_finds_a_function_and_a_counter(site, built_site, browser, word, way):
    start = f"{site}/book/index.html" if way == "served" else f"{built_site.as_uri()}/book/index.html"
    with visit(browser, start) as seen:
        seen.page.locator("input[type=search]:visible, .search-button-field:visible").first.click()
        box = seen.page.locator("input[type=search]:visible").first
        box.fill(word)
        box.press("Enter")
        found = seen.page.locator("#search-results li a[href*='frag-needed']").first
        found.wait_for(timeout=120_000)
        assert seen.errors == [] and seen.abroad == []
        found.click()
        seen.page.wait_for_url("**/frag-needed*.html*")
        assert word in seen.page.locator("main").inner_text()


@pytest.mark.parametrize("name", each_page([f"book/{chapter}" for chapter in cases.cases()]))
def test_annotations_lead_to_their_lines_and_back(site, browser, name):
    with visit(browser, f"{site}/{name}.html") as seen:
        excerpts = seen.page.locator(".wpw-source").evaluate_all(
            """sources => sources.map(source => [...source.querySelectorAll("a[href^='#']")]
                .map(link => link.getAttribute('href').slice(1)))"""
        )
        # Each has a note and a line at least, and each of the two leads to the other.
        assert excerpts and min(map(len, excerpts)) >= 2, excerpts
        targets = [target for excerpt in excerpts for target in excerpt]
        assert [target for target in targets if seen.page.query_selector(f"[id='{target}']") is None] == []
