"""What do the tests of the built site share? A visit to one page, and what went wrong on it."""

import contextlib
from collections.abc import Iterator
from dataclasses import dataclass, field

import pytest
import yaml

from host.paths import REPOSITORY

MADE = ["genindex", "search"]  # pages that Sphinx adds
# A browser that has no room for what our pages keep; the theme's own script finds some, or it would fail, too.
NO_ROOM = """
    const keep = Storage.prototype.setItem;
    Storage.prototype.setItem = function (name, text) {
        if (name.startsWith("where-packets-wait/")) throw new DOMException("", "QuotaExceededError");
        keep.call(this, name, text);
    };"""
OF_EACH_KIND = ["book/index", "book/frag-needed", "notebooks/frag-needed", "book/kernel-c", "book/glossary", *MADE]


def toc_pages() -> list[str]:
    """Every page of the table of contents, without suffix, then those that Sphinx adds."""
    found: list[str] = []

    def walk(part) -> None:
        if isinstance(part, dict):
            for name, value in part.items():
                if name in ("root", "file"):
                    found.append(value)
                else:
                    walk(value)
        elif isinstance(part, list):
            for each in part:
                walk(each)

    walk(yaml.safe_load((REPOSITORY / "_toc.yml").read_text()))
    return list(dict.fromkeys([*found, *MADE]))


def each_page(names: list[str] | None = None, base: list[str] = OF_EACH_KIND) -> list:
    """Parameters of a test that opens these pages, or all: some in the base, the others in the part `site`, which comes
    along when a page, or what makes pages, has changed."""
    names = toc_pages() if names is None else names
    assert set(base) <= set(toc_pages()) and set(base) & set(names), f"the base would have no page of {names}"
    others = pytest.mark.part("site", why="the base has a page of each kind")
    return [pytest.param(name, marks=() if name in base else others) for name in names]


@dataclass
class Visit:
    """An open page, its console errors, and the requests that left the site."""

    page: object
    errors: list[str] = field(default_factory=list)
    abroad: list[str] = field(default_factory=list)


@contextlib.contextmanager
def visit(
    browser, address: str, width: int = 1280, height: int = 900, scheme: str = "light", **context
) -> Iterator[Visit]:
    """A page in a window of its own, loaded."""
    page = browser.new_page(viewport={"width": width, "height": height}, color_scheme=scheme, **context)
    seen = Visit(page)
    origin = "/".join(address.split("/")[:3])

    def on_console(message) -> None:
        if message.type == "error":
            seen.errors.append(message.text)

    def on_request(request) -> None:
        if not request.url.startswith((f"{origin}/", "data:", "blob:")):
            seen.abroad.append(request.url)

    page.on("console", on_console)
    page.on("pageerror", lambda error: seen.errors.append(str(error)))
    page.on("request", on_request)
    page.goto(address, wait_until="load")
    try:
        yield seen
    finally:
        page.close()


def at_widths(page, widths: list[int], script: str) -> dict[int, object]:
    """What a script finds when the window is as wide as each of these, in pixels, and all that moves has arrived."""
    found = {}
    for width in widths:
        page.set_viewport_size({"width": width, "height": 900})
        arrived(page)
        found[width] = page.evaluate(script)
    return found


def in_colours(page, scheme: str) -> None:
    """The page in the reader's colours, light or dark, which it follows while it is open."""
    page.emulate_media(color_scheme=scheme)
    page.wait_for_function("scheme => document.documentElement.dataset.theme === scheme", arg=scheme)
    arrived(page)


def arrived(page) -> None:
    """What a style sheet moves, or gives another colour, over some time: a sidebar, a button."""
    page.evaluate("""() => {
        document.documentElement.getBoundingClientRect();  // or what has just been changed would not move yet
        document.getAnimations().forEach(each => each instanceof CSSTransition && each.finish());
    }""")
