"""Does a page make of a picture's tree what core writes as markup, and refuse all else? In Chromium, without a site."""

import json
from dataclasses import replace

import pytest

from core.draw import figures
from core.draw.tree import Element, data, markup
from host.paths import REPOSITORY

SCRIPT = REPOSITORY / "vm-image/tab/tree.js"
FILES = sorted((REPOSITORY / "book/_recordings/frag-needed").glob("*.figure.json"))
RECORDED = {file.name.partition(".")[0]: json.loads(file.read_text()) for file in FILES}
KINDS = ("ladder", "stack")  # that a case's guest draws on a page
MADE = """tree => {
    try {
        return LiveTree.element(tree, document).outerHTML;
    } catch (error) {
        if (error instanceof LiveTree.TreeError) return {refused: error.message};
        throw error;
    }
}"""


@pytest.fixture(scope="module")
def page(browser):
    """An empty page with the script."""
    page = browser.new_page()
    page.add_script_tag(path=str(SCRIPT))
    yield page
    page.close()


def plain(drawn: Element) -> Element:
    """Without its style sheet."""
    return replace(drawn, children=tuple(child for child in drawn.children if getattr(child, "tag", "") != "style"))


@pytest.mark.parametrize("name", [name for name, figure in RECORDED.items() if figure["kind"] in KINDS])
def test_a_recorded_picture_becomes_the_elements_of_its_markup(page, name):
    drawn = figures.draw(RECORDED[name])
    parsed = page.evaluate(
        "html => { const place = document.createElement('div'); place.innerHTML = html; return place.innerHTML; }",
        markup(plain(drawn)),
    )
    assert "<svg" in parsed or "wpw-frames" in parsed
    assert page.evaluate(MADE, data(drawn)) == parsed


def test_elements_below_svg_are_svgs_own_and_words_stay_words(page):
    tree = data(Element("figure", {}, (Element("svg", {}, (Element("title", {}, ("<b>&amp;",)),)),)))
    seen = page.evaluate(
        """tree => { const made = LiveTree.element(tree, document), title = made.querySelector('title');
                     return [made.namespaceURI, title.namespaceURI, title.textContent, title.children.length]; }""",
        tree,
    )
    assert seen == ["http://www.w3.org/1999/xhtml", "http://www.w3.org/2000/svg", "<b>&amp;", 0]


@pytest.mark.parametrize(
    "tag", ["script", "SCRIPT", "html:script", "img", "iframe", "a", "foreignObject", "use", "link"]
)
def test_another_element_is_refused(page, tag):
    within = data(Element("figure", {}, (Element("svg", {}, (Element(tag),)),)))
    assert page.evaluate(MADE, within) == {"refused": f"expected an element of a picture, found <{tag}>"}


@pytest.mark.parametrize(
    "name, value",
    [
        ("onclick", "alert(1)"),
        ("href", "javascript:alert(1)"),
        ("src", "x.png"),
        ("style", "position:fixed"),
        ("style", "--wpw-x:url(x)"),
        ("id", "main-content"),
        ("id", "wpw-a" * 40 + "!"),  # which takes a moment to be refused, and not for ever
        ("constructor", "x"),
        ("tabindex", "5"),
    ],
)
def test_another_attribute_is_refused(page, name, value):
    found = page.evaluate(MADE, data(Element("figure", {name: value})))
    assert found == {"refused": f'expected an attribute of a picture, found {name}="{value}"'}
