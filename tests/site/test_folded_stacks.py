"""Does a long stack show the frames that its page speaks of, and the others to whoever asks for them?"""

import re

from core.draw import figures
from core.draw.page import Page
from core.draw.stacks_view import LONG
from core.draw.tree import markup
from tests.site.browsing import visit

PAGE = "book/frag-needed-further.html"
STACK = "figure.wpw-stack:has-text('comes back inside')"
ROWS = """stack => [...stack.querySelectorAll('tr.wpw-frame')].map(row => [
    row.querySelector('th').textContent.trim().replace(/[.+].*/, ''), row.offsetHeight > 0])"""


def stack(*frames: str, state: str = "seen", **page) -> str:
    """A stack as a page shows it, with a remark on each frame."""
    rows = [
        {"state": state, "told": None, "observed": f"{name}+0x1", "reason": "why", "note": None, "source": None}
        for name in frames
    ]
    figure = {"kind": "stack", "title": "", "ok": True, "summary": "", "rows": rows}
    return re.search("<tbody>.*</tbody>", markup(figures.draw(figure, Page(**page))))[0]


MANY = [f"f{number}" for number in range(LONG + 2)]


def test_what_a_page_does_not_name_stands_back_and_is_counted():
    folded = stack(*MANY, named={"f4"})
    assert re.findall(r" hidden><td colspan=\"3\">(.*?)</td>", folded) == ["3 more frames", "7 more frames"]
    assert folded.count("wpw-beside wpw-frame") == folded.count("wpw-beside wpw-why") == 10
    whole = re.sub(r"<tr [^>]* hidden>.*?</tr>", "", folded)
    shown = re.sub(r'<tr class="wpw-row wpw-beside .*?</tr>', "", whole)
    assert re.findall(r"<code>(\w+)", shown) == ["f0", "f4"]  # the first is what was traced
    assert whole.replace("wpw-beside ", "") == stack(*MANY)


def test_short_stacks_short_runs_and_missing_frames_are_left():
    assert stack(*MANY[:LONG], named=set()) == stack(*MANY[:LONG])
    assert stack(*MANY, named=set(MANY[3::3])) == stack(*MANY)
    assert stack(*MANY, state="missing", named=set()) == stack(*MANY, state="missing")


def test_links_to_the_glossary_and_to_the_code_are_no_hindrance():
    folded = stack(*MANY, named={"f4"}, function={name: {"href": "glossary.html"} for name in MANY}.get)
    assert "7 more frames" in folded and folded.count('<a href="glossary.html"><code>f') == len(MANY)


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
        seen.page.locator("#there").wait_for()
        assert "vfs_writev" in names(stack, True) and "process_backlog" in names(stack, False)


def test_without_script_and_from_the_browser_on_paper_every_frame_is_there(site, browser):
    with visit(browser, f"{site}/{PAGE}", java_script_enabled=False) as seen:
        rows = seen.page.locator(f"{STACK} tr.wpw-frame")
        assert rows.count() > 20 and all(row.is_visible() for row in rows.all())
        assert seen.page.locator(".wpw-more:visible").count() == 0
    with visit(browser, f"{site}/{PAGE}") as seen:
        seen.page.emulate_media(media="print")
        stack = seen.page.locator(STACK)
        assert names(stack, False) == [] and stack.locator(".wpw-more:visible").count() == 0
