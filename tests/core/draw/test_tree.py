"""Is a tree written as HTML that says what the tree holds, and nothing that its words ask for?"""

from xml.etree import ElementTree

import pytest

from core.draw.tree import Markup, data, h, markup

HOSTILE = "</p><script>alert('1' & \"2\")</script>"


def test_words_and_values_are_escaped_wherever_they_stand():
    html = markup(h("p", {"title": HOSTILE}, HOSTILE, h("b", {}, HOSTILE)))
    found = ElementTree.fromstring(html)
    assert [each.tag for each in found.iter()] == ["p", "b"]
    assert found.get("title") == found.text == found.find("b").text == HOSTILE


def test_children_are_elements_words_lists_or_nothing():
    assert markup(h("p", {}, "a", None, "", [h("br"), ["b", (each for each in "cd")]])) == "<p>a<br/>bcd</p>"
    assert markup(h("td")) == "<td></td>" and markup(h("path", {"d": "M0 0"})) == '<path d="M0 0"/>'


def test_an_attribute_may_have_no_value_or_not_be_there():
    assert markup(h("tr", {"hidden": True, "id": None, "x": 0})) == '<tr hidden x="0"></tr>'


def test_style_sheets_and_what_is_markup_already_stand_as_they_are():
    assert markup(h("style", {}, ".a>b{}")) == "<style>.a>b{}</style>"
    assert markup(h("svg", {}, Markup("<g/>"))) == "<svg><g/></svg>"


def test_a_tree_is_walked_in_the_order_of_the_page():
    tree = h("p", {}, h("b", {}, "one", h("i", {"aria-hidden": "true"}, "mark")), " two", h("b", {}, "three"))
    assert [each.tag for each in tree.walk()] == ["p", "b", "i", "b"]
    assert tree.text() == "one twothree" and tree.first("i").text() == "mark" and tree.first("u") is None


def test_as_plain_values_it_is_lists_and_words_without_a_style_sheet():
    tree = h("p", {"x": 1.5, "hidden": True, "id": None}, "one", h("style", {}, "b{}"), h("b", {}, HOSTILE))
    assert data(tree) == ["p", {"x": "1.5", "hidden": ""}, "one", ["b", {}, HOSTILE]]
    with pytest.raises(TypeError, match="found markup: <g/>"):
        data(h("svg", {}, Markup("<g/>")))
