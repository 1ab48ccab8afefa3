"""How is a page drawn or printed? By Debian's Chromium, moved by Playwright."""

import contextlib
import shutil
from collections.abc import Iterator

from host import debian
from host.phases import LabError

NEEDS = ("chromium", "libatomic.so.1")  # the second for Playwright's driver


@contextlib.contextmanager
def tab(**options) -> Iterator:
    """An empty page of a headless browser, closed with the block; `options` are Playwright's."""
    debian.need(*NEEDS)
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
