"""Does a long stack show the frames that its page speaks of, and the others to whoever asks for them?"""

from __future__ import annotations

import pytest
from browsing import visit

pytestmark = pytest.mark.xdist_group("site")

PAGE = "book/frag-needed.html"
STACK = "figure.wpw-stack:has-text('comes back inside')"
ROWS = """stack => [...stack.querySelectorAll('tr.wpw-frame')].map(row => [
    row.querySelector('th').textContent.trim().replace(/[.+].*/, ''), row.offsetHeight > 0])"""


def names(stack, visible: bool) -> list[str]:
    """The stack's frames that can be seen, or those that cannot."""
    return [name for name, seen in stack.evaluate(ROWS) if seen == visible]


def test_the_frames_that_the_page_speaks_of_are_shown(site, browser):
    with visit(browser, f"{site}/{PAGE}") as seen:
        stack = seen.page.locator(STACK)
        shown, folded = names(stack, True), names(stack, False)
        assert {"tcp_v4_err", "__icmp_send", "ip_fragment", "__ip_queue_xmit", "tcp_write_xmit", "tcp_sendmsg"} <= set(
            shown
        )
        assert {"process_backlog", "vfs_writev", "icmp_rcv"} <= set(folded) and len(shown) < 20 < len(folded)
        said = [button.inner_text() for button in stack.locator(".wpw-more button").all()]
        assert sum(int(words.split()[0]) for words in said) == len(folded)
        assert seen.errors == []


def test_a_key_shows_the_others_and_folds_them_again(site, browser):
    with visit(browser, f"{site}/{PAGE}") as seen:
        stack = seen.page.locator(STACK)
        button = stack.locator(".wpw-more button").first
        before = len(names(stack, True))
        button.focus()
        assert button.get_attribute("aria-expanded") == "false"
        seen.page.keyboard.press("Enter")
        assert button.get_attribute("aria-expanded") == "true" and len(names(stack, True)) > before
        assert "process_backlog" in names(stack, True) and "vfs_writev" in names(stack, False)
        seen.page.keyboard.press("Enter")
        assert len(names(stack, True)) == before


def test_arrow_keys_pass_over_what_is_folded(site, browser):
    with visit(browser, f"{site}/{PAGE}") as seen:
        stack = seen.page.locator(STACK)
        shown = names(stack, True)
        stack.locator("tr.wpw-frame").first.focus()
        for name in shown[1:]:
            seen.page.keyboard.press("ArrowDown")
            assert stack.locator(".wpw-chosen").inner_text().startswith(name)


def test_a_link_to_a_folded_frame_unfolds_it(site, browser):
    with visit(browser, f"{site}/{PAGE}") as seen:
        stack = seen.page.locator(STACK)
        stack.evaluate(
            "stack => { [...stack.querySelectorAll('tr')].find(row => row.textContent.includes('vfs_writev'))"
            ".querySelector('th').id = 'there'; location.hash = 'there'; }"
        )
        seen.page.wait_for_function("document.getElementById('there').offsetHeight > 0")
        assert "vfs_writev" in names(stack, True) and "process_backlog" in names(stack, False)


def test_without_script_and_on_paper_every_frame_is_there(site, browser):
    with visit(browser, f"{site}/{PAGE}", java_script_enabled=False) as seen:
        rows = seen.page.locator(f"{STACK} tr.wpw-frame")
        assert rows.count() > 20 and all(row.is_visible() for row in rows.all())
    with visit(browser, f"{site}/{PAGE}") as seen:
        seen.page.emulate_media(media="print")
        stack = seen.page.locator(STACK)
        assert names(stack, False) == [] and stack.locator(".wpw-more:visible").count() == 0
