"""Does the built book work in a real browser? Debian's Chromium opens every page of it."""

import functools
import http.server
import shutil
import threading

import pytest
from playwright.sync_api import sync_playwright

from host import site


class Quiet(http.server.SimpleHTTPRequestHandler):
    """Serves files and says nothing."""

    def log_message(self, *words):
        pass


@pytest.fixture(scope="module")
def pages():
    """Every page of the built site, by its path, served on loopback."""
    folder = site.book()
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), functools.partial(Quiet, directory=folder))
    threading.Thread(target=server.serve_forever, daemon=True).start()
    base = f"http://127.0.0.1:{server.server_port}"
    found = [path.relative_to(folder).as_posix() for path in sorted(folder.rglob("*.html"))
             if "_static" not in path.parts]
    found.remove("index.html")  # leads on to the first page, see below
    yield base, found
    server.shutdown()


@pytest.fixture(scope="module")
def browser():
    with sync_playwright() as play:
        chromium = play.chromium.launch(
            executable_path=shutil.which("chromium"),
            args=["--no-sandbox", "--disable-gpu", "--disable-background-networking"],
        )
        yield chromium
        chromium.close()


def visit(browser, address, width=1280, scheme="light"):
    """Open a page; returns it with its console errors and the requests that left the site."""
    page = browser.new_page(viewport={"width": width, "height": 900}, color_scheme=scheme)
    errors, abroad = [], []
    page.on("console", lambda message: errors.append(message.text) if message.type == "error" else None)
    page.on("pageerror", lambda error: errors.append(str(error)))
    origin = "/".join(address.split("/")[:3])
    page.on("request", lambda request: abroad.append(request.url)
            if not request.url.startswith((origin, "data:")) else None)
    page.goto(address, wait_until="load")
    return page, errors, abroad


@pytest.mark.parametrize("width, scheme", [(1280, "light"), (1280, "dark"), (360, "light")])
def test_every_page_opens_without_error_leaves_the_machine_alone_and_fits(pages, browser, width, scheme):
    base, paths = pages
    assert any("frag-needed" in path for path in paths)
    for path in paths:
        page, errors, abroad = visit(browser, f"{base}/{path}", width, scheme)
        assert not errors, (path, errors)
        assert not abroad, (path, abroad)
        overflow = page.evaluate("document.documentElement.scrollWidth - window.innerWidth")
        assert overflow <= 0, f"{path} scrolls sideways by {overflow} px at {width} px"
        page.close()


def test_the_root_leads_to_the_first_page(pages, browser):
    base, _ = pages
    page = browser.new_page()
    page.goto(base)
    page.wait_for_url(f"{base}/book/index.html")
    page.close()


def test_annotations_lead_to_their_lines_and_back(pages, browser):
    base, _ = pages
    page, _, _ = visit(browser, f"{base}/book/frag-needed.html")
    targets = page.eval_on_selector_all(
        ".wpw-source a[href^='#']", "links => links.map(a => a.getAttribute('href').slice(1))"
    )
    assert len(targets) > 20
    missing = [target for target in targets if page.query_selector(f"[id='{target}']") is None]
    assert not missing
    page.close()
