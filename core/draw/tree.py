"""Pictures as trees of elements, and the one writer that makes HTML or SVG of them.

What draws a picture returns an `Element`; nothing but `markup()` puts angle brackets around a name or escapes a word.
Where a page makes the elements itself, it gets the tree as `data()`.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from html import escape
from typing import Any, TypeAlias

EMPTY = {"path", "rect", "circle", "line", "use", "br", "img", "col", "meta"}  # written as <name/>
RAW = {"style", "script"}  # HTML reads these two as they stand, so what they hold is not escaped
Attribute: TypeAlias = str | float | bool | None
Child: TypeAlias = "Element | str | Iterable[Child] | None"


class Markup(str):
    """Text that is HTML already, such as a plot that Matplotlib drew; it is written as it stands."""


@dataclass(frozen=True)
class Element:
    """An element of HTML or SVG: its name, its attributes in order, and what is in it.

    An attribute that is None is left out, one that is True has a name and no value.
    """

    tag: str
    attributes: Mapping[str, Attribute] = field(default_factory=dict)
    children: tuple[Element | str, ...] = ()

    def walk(self) -> Iterator[Element]:
        """This element and all below it, in the order of the page."""
        yield self
        for child in self.children:
            if isinstance(child, Element):
                yield from child.walk()

    def first(self, tag: str) -> Element | None:
        """The first element of this name, or None."""
        return next((each for each in self.walk() if each.tag == tag), None)

    def text(self) -> str:
        """The words in it, without marks that are hidden from a screen reader."""
        return "".join(
            child.text() if isinstance(child, Element) else str(child)
            for child in self.children
            if not (isinstance(child, Element) and child.attributes.get("aria-hidden") == "true")
        )


def h(tag: str, attributes: Mapping[str, Attribute] | None = None, *children: Child) -> Element:
    """Make an element. Children are elements, words, None, or lists of these."""
    return Element(tag, attributes or {}, tuple(_flat(children)))


def _flat(children: Iterable[Child]) -> list[Element | str]:
    flat: list[Element | str] = []
    for child in children:
        if isinstance(child, Element):
            flat.append(child)
        elif isinstance(child, str):
            flat += [child] if child else []
        elif child is not None:
            flat += _flat(child)
    return flat


def markup(node: Element | str) -> str:
    """Write a tree as HTML; SVG within HTML is written the same."""
    if isinstance(node, Markup):
        return str(node)
    if isinstance(node, str):
        return escape(node)
    opening = node.tag + "".join(
        f" {name}" if value is True else f' {name}="{escape(str(value))}"'
        for name, value in node.attributes.items()
        if value is not None
    )
    if node.tag in EMPTY:
        return f"<{opening}/>"
    inner = map(_raw if node.tag in RAW else markup, node.children)
    return f"<{opening}>{''.join(inner)}</{node.tag}>"


def data(node: Element | str) -> list[Any] | str:
    """The tree as plain values: a word, or a list of an element's name, its attributes (words) and what is in it. Style
    sheets stay behind, for a page has its own. Raises TypeError of markup: whoever gets this takes words for words."""
    if isinstance(node, Element):
        attributes = {
            name: "" if value is True else f"{value}" for name, value in node.attributes.items() if value is not None
        }
        return [node.tag, attributes, *[data(child) for child in node.children if getattr(child, "tag", "") != "style"]]
    if isinstance(node, Markup):
        raise TypeError(f"expected elements and words, found markup: {node:.60}")
    return node


def _raw(node: Element | str) -> str:
    """Words as they stand. Raises TypeError of an element, which HTML would show as words."""
    if isinstance(node, Element):
        raise TypeError(f"expected words, found <{node.tag}>")
    return node
