"""Does a chart say what it shows, lead where it says, and refuse what is not there?"""

import json
import re

import pytest

from tests.site.browsing import visit
from tests.site.conftest import PROVENANCE

QUOTE = ":::{annotated-source} net/wait/queue.c queue_length\n\n1. `length++;`: a *note*\n:::\n"
PAGE = ":::{{chart}} way\n:alt: {alt}\n:caption: A *way*.\n\n{graph}\n:::\n"
GRAPH = (
    'digraph { a [label="queue_length()\\nwaits & waits", class="stall", URL="other#queue_length"];'
    ' b [URL="there"]; c [URL="#page"]; a -> b [class="lost", style=dashed]; b -> c }'
)
OTHER = f"# Other\n\n{QUOTE}\n(there)=\n## Below\n"


def pages(graph: str = GRAPH, alt: str = "A leads to B.") -> dict[str, str]:
    """A page with the chart, and one that it leads to."""
    toc = "```{toctree}\nother\n```\n"
    return {"index.md": f"# Page\n\n{PAGE.format(alt=alt, graph=graph)}\n{toc}", "other.md": OTHER}


def drawing(page: str) -> str:
    """The chart's SVG."""
    return re.search(r"<svg.*?</svg>", page, re.DOTALL)[0]


def test_a_chart_is_part_of_its_page_and_leads_on(book):
    built = book(pages())
    assert (built.status, built.warnings) == (0, "")
    page = built.page()
    svg = drawing(page)
    assert 'role="group" aria-label="A leads to B." id="chart-way"' in svg
    assert '<a href="other.html#queue-length-1" aria-label="queue_length() waits &amp; waits">' in svg
    assert 'href="other.html#there"' in svg and 'href="#page"' in svg
    assert 'id="queue-length-1"' in built.page("other") and 'id="there"' in built.page("other")
    assert 'class="code">queue_length()<' in svg and 'class="node stall"' in svg and "A <em>way</em>." in page
    assert not re.search(r'fill=|stroke="|font-family|xmlns|<title|xlink', svg)
    assert "stroke-dasharray" in svg


RECORDED = {"provenance": PROVENANCE, "run": {"left_after_ms": 212.36}}


def measured(path: str):
    """Pages whose chart has a recorded value in a node and in its words."""
    page = PAGE.format(alt=f"After {path}.", graph=f'digraph {{ a [label="{path}"] }}')
    page = page.replace(":alt:", ":recorded: frag\n:alt:")
    return {"index.md": f"# Page\n\n{page}", "_recordings/frag.json": json.dumps(RECORDED)}


def test_a_chart_has_values_of_a_recording(book):
    built = book(measured("{run.left_after_ms:.0f} ms"))
    assert (built.status, built.warnings) == (0, "")
    assert ">212 ms</text>" in drawing(built.page()) and 'aria-label="After 212 ms."' in built.page()


@pytest.mark.parametrize(
    "path, message",
    [("{run.right_after_ms:.0f}", "has no 'run.right_after_ms'"), ("{run.left_after_ms:d}", "Unknown format code 'd'")],
)
def test_a_value_that_is_not_recorded_is_no_chart(book, path, message):
    built = book(measured(path))
    assert built.status == 1 and message in built.warnings


def test_words_lead_there_too(book):
    text = (
        "# Page\n\nSee {at}`other#queue_length`, {at}`queue_length() <other#queue_length>`"
        " and {at}`below <there>`.\n\n```{toctree}\nother\n```\n"
    )
    built = book({"index.md": text, "other.md": OTHER})
    assert (built.status, built.warnings) == (0, "")
    assert built.page().count('href="other.html#queue-length-1"><code') == 2
    assert 'href="other.html#there"><span>below</span></a>' in built.page()


def test_the_same_graph_is_the_same_picture_and_text_has_its_words(book):
    assert drawing(book(pages()).page()) == drawing(book(pages()).page())
    assert "A leads to B." in book({}, builder="text").page()


@pytest.mark.parametrize(
    "graph, alt, message",
    [
        ('digraph { a [URL="other#nothing"] }', "A.", "'other#nothing': expected a label, a page or page#place"),
        ('digraph { a [URL="nowhere"] }', "A.", "'nowhere': expected a label"),
        ("digraph { a -> }", "A.", "dot: Error: <stdin>: syntax error in line 1"),
        ("digraph { a }", "", "chart 'way': expected :alt: with what it says, found none"),
    ],
)
def test_a_fault_stops_the_build_and_says_where(book, graph, alt, message):
    built = book(pages(graph, alt))
    assert built.status == 1
    assert "index.md:3: ERROR: " in built.warnings and message in built.warnings
    assert book({}).status == 1  # and goes on stopping it


def test_a_place_that_went_away_stops_a_build_that_does_not_read_the_chart(book):
    assert book(pages()).status == 0
    built = book({"other.md": "# Other\n"})
    assert built.status == 1 and "index.md:3: ERROR: 'other#queue_length'" in built.warnings


def test_a_name_stands_once_on_a_page(book):
    built = book({"index.md": "# Page\n\n" + 2 * ":::{chart} a\n:alt: B\n\ndigraph {}\n:::\n"})
    assert built.status == 1 and "chart 'a': expected a name of its own on this page" in built.warnings


def test_without_dot_the_package_is_named(book, monkeypatch):
    monkeypatch.setenv("PATH", "/nowhere")
    built = book({"index.md": ":::{chart} a\n:alt: B\n\ndigraph {}\n:::\n"})
    assert built.status == 1 and "dot is missing. Next: sudo apt-get install" in built.warnings


def test_the_keyboard_walks_through_a_chart_to_the_code(site, browser):
    with visit(browser, f"{site}/book/one-packet.html") as seen:
        links = seen.page.locator(".wpw-chart svg a")
        assert links.count() > 15
        links.first.focus()
        here = seen.page.evaluate("document.activeElement.getAttribute('aria-label')")
        seen.page.keyboard.press("Tab")
        there = "document.activeElement.getAttribute('aria-label')"
        assert seen.page.evaluate(there) == links.nth(1).get_attribute("aria-label") != here
        assert seen.page.evaluate("getComputedStyle(document.activeElement).outlineStyle") == "solid"
        link = seen.page.locator(".wpw-chart svg a[aria-label^='tcp_v4_err()']")
        link.focus()
        seen.page.keyboard.press("Enter")
        seen.page.wait_for_url("**/frag-needed-further.html#tcp-v4-err-*")
        place = seen.page.url.partition("#")[2]
        assert "tcp_v4_err" in seen.page.locator(f"[id='{place}'] figcaption").inner_text()


@pytest.mark.parametrize("name", ["book/one-packet", "book/inside"])
@pytest.mark.parametrize("width", [360, 1280])
def test_words_of_a_chart_stay_in_their_frames_and_legible(site, browser, name, width):
    with visit(browser, f"{site}/{name}.html", width) as seen:
        found = seen.page.evaluate("""() => [...document.querySelectorAll('.wpw-chart .node:not(.quiet)')].map(node => {
            const frame = node.querySelector('path, polygon, ellipse').getBoundingClientRect();
            return [...node.querySelectorAll('text')].map(text => {
                const box = text.getBoundingClientRect();
                return [text.textContent, box.left >= frame.left && box.right <= frame.right,
                        box.height];
            });
        }).flat()""")
        assert len(found) > 15
        assert [text for text, inside, height in found if not inside or height < 11] == []


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_a_chart_has_the_pages_colours(site, browser, scheme):
    with visit(browser, f"{site}/book/one-packet.html", scheme=scheme) as seen:
        stroke, stall, text, ground = seen.page.evaluate("""() => {
            const at = name => getComputedStyle(document.querySelector(name));
            const probe = document.body.appendChild(document.createElement('p'));
            probe.style.color = 'var(--wpw-stall)';
            return [at('.wpw-chart .node.stall path').stroke, getComputedStyle(probe).color,
                    at('.wpw-chart .node text:not(.code)').fill, at('body').backgroundColor];
        }""")
        assert stroke == stall and text != ground
