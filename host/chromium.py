"""How is a page opened, drawn or printed? By Debian's Chromium, moved by Playwright; a site is served on loopback."""

import contextlib
import functools
import http.server
import shutil
import threading
from collections.abc import Iterator
from pathlib import Path

from host import environment
from host.debian import installed
from host.errors import LabError

NEEDS = ("chromium", "libatomic.so.1")  # the second for Playwright's driver


def need() -> None:
    """Have what tab() needs, before long work begins."""
    installed.need(*NEEDS)
    environment.need_tools()


@contextlib.contextmanager
def tab(**options) -> Iterator:
    """An empty page of a headless browser, closed with the block; `options` are Playwright's."""
    need()
    from playwright.sync_api import Error, sync_playwright  # half a second, and few calls need it

    try:
        with sync_playwright() as play:
            browser = play.chromium.launch(executable_path=shutil.which("chromium"), args=["--no-sandbox"])
            try:
                yield browser.new_page(**options)
            finally:
                browser.close()
    except Error as error:
        raise LabError(f"Chromium: {error.message.splitlines()[0]}", "./lab doctor") from error


class _Files(http.server.SimpleHTTPRequestHandler):
    """Serves files and says nothing, also when a page is closed before all of it was sent."""

    def copyfile(self, source, outputfile):
        with contextlib.suppress(ConnectionError):
            super().copyfile(source, outputfile)

    def log_message(self, *words):
        pass


@contextlib.contextmanager
def served(folder: Path) -> Iterator[str]:
    """The folder's address on loopback, for as long as the block lasts: plain files, as they are."""
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), functools.partial(_Files, directory=folder))
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield f"http://127.0.0.1:{server.server_port}"
    finally:
        server.shutdown()
        server.server_close()
