"""What the book's figures have in common: caption, drawing with its words for who does not see it, and a table."""

import hashlib

from core.draw.tree import Child, Element, h


def figure(kind: str, css: str, title: Child, *children: Child, **sizes: float) -> Element:
    """A <figure> of this kind with its style sheet and caption; `sizes` become its custom properties, in pixels."""
    style = ";".join(f"--wpw-{name}:{size:.0f}px" for name, size in sizes.items())
    attributes = {"class": f"wpw-{kind}", "style": style or None}
    return h("figure", attributes, h("style", {}, css), h("figcaption", {}, title), *children)


def scrolled(title: str, *children: Child) -> Element:
    """A box that scrolls by itself where the page is narrower, by key as well."""
    return h("div", {"class": "wpw-scroll", "role": "region", "tabindex": "0", "aria-label": title}, *children)


def drawing(width: float, height: float, title: str, said: str, names: str, *body: Child, role: str = "img") -> Element:
    """An <svg> in a box that scrolls. `said` describes it, and `names` is text that no other drawing of a page has.

    The role `group` keeps parts that can be focused in reach of a screen reader, which `img` would hide.
    """
    key = "wpw-" + hashlib.sha256(names.encode()).hexdigest()[:10]
    svg = {
        "viewBox": f"0 0 {width:.0f} {height:.0f}",
        "role": role,
        "xmlns": "http://www.w3.org/2000/svg",
        "aria-labelledby": f"{key}-title {key}-desc",
    }
    words = [h("title", {"id": f"{key}-title"}, title), h("desc", {"id": f"{key}-desc"}, said)]
    return scrolled(title, h("svg", svg, words, *body))


def opened(
    summary: str, columns: tuple[str, ...], lines: list[Element], css: str | None = None, *caption: Element
) -> Element:
    """A table that can be opened."""
    heads = h("tr", {}, [h("th", {"scope": "col"}, name) for name in columns])
    table = h("table", {"class": css}, *caption, h("thead", {}, heads), h("tbody", {}, lines))
    return h("details", {}, h("summary", {}, summary), scrolled(summary, table))


def line(first: Child, *others: Child) -> Element:
    """A row of a table, headed by its first cell."""
    return h("tr", {}, h("th", {"scope": "row"}, first), [h("td", {}, cell) for cell in others])
