"""How long does a reader wait for a run on chapter 1's page, and what does it load? In Chromium, from plain files."""

import json
from pathlib import Path

from host import chromium
from host.errors import LabError

PAGE = "book/frag-needed.html"
DEADLINE_MS = 60_000
LOADED = """() => performance.getEntriesByType('resource').filter(each => each.name.includes('/live/'))
    .reduce((sum, each) => sum + each.encodedBodySize, 0)"""


def shown_s(site: Path, *modes: str) -> float:
    """Time from the last click to its ladder, as the page counts it: the first run, then one of each mode."""
    return _clicks(site, modes)[0]


def loaded_mb(site: Path) -> float:
    """What the first click loads, from a server that does not compress."""
    return _clicks(site, ())[1]


def _clicks(site: Path, modes: tuple[str, ...]) -> tuple[float, float]:
    with chromium.served(site) as address, chromium.tab() as page:
        page.goto(f"{address}/{PAGE}", wait_until="load")
        if not page.locator(".wpw-live-button").count():
            raise LabError("the site was built without the tab's kernel", "./lab tab && ./lab book")
        for number, mode in enumerate([None, *modes]):
            page.locator(f".wpw-live-button[data-mode={mode}]" if mode else ".wpw-live-button").first.click()
            page.locator(".wpw-live-times tbody tr").nth(number + 1).wait_for(timeout=DEADLINE_MS)
            page.locator(".wpw-live-button:enabled").first.wait_for(timeout=DEADLINE_MS)
        run = json.loads(page.locator("[data-live-run]").text_content())
        return run["page"]["click_to_shown_ms"] / 1e3, page.evaluate(LOADED) / 1e6
