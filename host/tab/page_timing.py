"""How long does a reader wait for chapter 1's pages in a browser's tab, and what do they load? In Chromium, from plain
files."""

import contextlib
import json
import re
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from host import chromium
from host.errors import LabError

PAGE, EXERCISES, NOTEBOOK = "book/frag-needed.html", "book/frag-needed-exercises.html", "notebooks/frag-needed.html"
BUTTON = ".wpw-live-button"
MODES = ("first", "fault", "traced")  # the first click, the same once more, the same with the kernel's stacks
DEADLINE_MS = 120_000
ENDED = re.compile("Checked: |could not be checked|Ended without a verdict")
LOADED = """() => performance.getEntriesByType('resource').filter(each => each.name.includes('/live/'))
    .reduce((sum, each) => sum + each.encodedBodySize, 0)"""


@dataclass(frozen=True)
class Run:
    """One click on chapter 1's page: seconds from it until all is shown, as the page counts them; whether the page
    took the times for measured; and the bytes that the page has loaded since it was opened, from a server that does
    not compress."""

    shown_s: float
    measured: bool
    loaded: int


def runs(site: Path) -> dict[str, Run]:
    """A click of each mode in one page."""
    with _page(site, PAGE, BUTTON) as page:
        return {mode: _run(page, number, mode) for number, mode in enumerate(MODES)}


def checked(site: Path, number: int, answer: str) -> tuple[str, float]:
    """The verdict on this answer to this exercise, and the time from Check until it is shown; a page that could not
    check it could not tell."""
    box = f"#exercise-{number} .wpw-exercise"
    with _page(site, EXERCISES, box) as page:
        page.fill(f"{box} textarea", answer)
        began = time.monotonic()
        page.click(f"{box} [data-do=check]")
        page.locator(f"{box} .wpw-live-said", has_text=ENDED).wait_for(timeout=DEADLINE_MS)
        took_s = time.monotonic() - began
        _, checked, verdict = page.inner_text(f"{box} .wpw-live-said").rpartition("Checked: ")
        return verdict.rstrip(".") if checked else "COULD NOT TELL", took_s


def cells_s(site: Path) -> tuple[float, float]:
    """Time from Run at the notebook's first cell, which builds the network, until it has run, in a page that has loaded
    nothing; and then of `1 + 1` in its place."""
    cell, state = "div.cell:has(.cell_input) >> nth=0", ".wpw-cell-state >> nth=0"
    with _page(site, NOTEBOOK, "[data-do=run]") as page:
        took_s = []
        for text in (None, "1 + 1"):
            if text:
                page.click(f"{cell} >> [data-do=edit]")
                page.fill(f"{cell} >> textarea", text)
            page.locator(state).evaluate("state => { state.textContent = ''; }")
            began = time.monotonic()
            page.click(f"{cell} >> [data-do=run]")
            page.locator(state, has_text="has run").wait_for(timeout=DEADLINE_MS)
            took_s.append(time.monotonic() - began)
        return took_s[0], took_s[1]


def _run(page, number: int, mode: str) -> Run:
    page.locator(BUTTON if mode == "first" else f"{BUTTON}[data-mode={mode}]").first.click()
    page.locator(".wpw-live-times tbody tr").nth(number + 1).wait_for(timeout=DEADLINE_MS)
    page.locator(f"{BUTTON}:enabled").first.wait_for(timeout=DEADLINE_MS)
    if page.locator(".wpw-live-times tbody tr").count() < number + 2:
        raise LabError(f"chapter 1's page: {page.inner_text('.wpw-live-said')}", "./lab bench")
    run = json.loads(page.locator("[data-live-run]").text_content())
    return Run(run["page"]["click_to_shown_ms"] / 1e3, run["measured"], page.evaluate(LOADED))


@contextlib.contextmanager
def _page(site: Path, name: str, needs: str) -> Iterator:
    """The site's page of that name. Raises LabError if what `needs` selects is not on it."""
    with chromium.served(site) as address, chromium.tab() as page:
        page.goto(f"{address}/{name}", wait_until="load")
        if not page.locator(needs).count():
            raise LabError("the site was built without the tab's kernel", "./lab tab && ./lab book")
        yield page
