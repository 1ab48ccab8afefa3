"""Can the pictures be explored, by mouse, by finger and by key, and does a page lead to the lab?"""

import pytest

from book._ext.live.run_here import LAB
from tests.site.browsing import visit

PAGE = "book/frag-needed-further.html"
COPIES = "work"


def test_pointing_at_a_packet_shows_its_fields(site, browser):
    with visit(browser, f"{site}/{PAGE}") as seen:
        ladder = seen.page.locator(".wpw-ladder").first
        panel = ladder.locator(".wpw-fields")
        assert "Point, tap" in panel.inner_text()
        ladder.locator(".wpw-packet.icmp .wpw-label").first.hover()
        assert "next-hop MTU\n1480" in panel.inner_text()
        assert seen.errors == []


def test_keys_walk_along_the_packets_and_on_to_the_code(site, browser):
    with visit(browser, f"{site}/{PAGE}") as seen:
        ladder = seen.page.locator(".wpw-ladder").first
        panel, packets = ladder.locator(".wpw-fields"), ladder.locator(".wpw-packet")
        assert packets.count() > 3
        packets.first.focus()
        first = panel.inner_text()
        seen.page.keyboard.press("ArrowDown")
        assert panel.inner_text() != first and "seen at\n" in panel.inner_text()
        seen.page.keyboard.press("Home")
        assert panel.inner_text() == first
        seen.page.keyboard.press("Enter")
        link = panel.locator("a")
        assert link.evaluate("link => link === document.activeElement")
        name, place = link.inner_text(), link.get_attribute("href").partition("#")[2]
        seen.page.keyboard.press("Enter")
        seen.page.wait_for_url(f"**#{place}")  # maybe of another page
        assert name in seen.page.locator(f"[id='{place}'] figcaption").inner_text()


def test_a_tap_shows_a_packet(site, browser):
    with visit(browser, f"{site}/{PAGE}", 360, 740, has_touch=True) as seen:
        ladder = seen.page.locator(".wpw-ladder").first
        ladder.locator(".wpw-packet .wpw-time").nth(1).tap()
        assert "IP length\n" in ladder.locator(".wpw-fields").inner_text()
        assert ladder.locator(".wpw-pinned").count() == 1


def test_frames_of_a_stack_show_themselves_and_lead_to_the_code(site, browser):
    with visit(browser, f"{site}/{PAGE}") as seen:
        stack = seen.page.locator(".wpw-stack").first
        rows, panel = stack.locator("tr.wpw-frame"), stack.locator(".wpw-fields")
        rows.first.focus()
        seen.page.keyboard.press("ArrowDown")
        second = stack.locator("tr.wpw-frame:visible").nth(1).locator("th").inner_text().strip()
        assert panel.locator(".wpw-chosen").inner_text() == second
        assert stack.locator("thead th").first.inner_text() in panel.inner_text()
        links = stack.locator("th a")
        assert links.count() > 0
        place = links.first.get_attribute("href").partition("#")[2]
        links.first.click()
        seen.page.wait_for_url(f"**#{place}")


@pytest.mark.parametrize("name", ["book/frag-needed-further", "notebooks/frag-needed"])
def test_without_script_nothing_is_missing(site, browser, name):
    with visit(browser, f"{site}/{name}.html", java_script_enabled=False) as seen:
        ladder = seen.page.locator(".wpw-ladder").first
        assert ladder.locator(".wpw-packet title").count() == ladder.locator(".wpw-packet").count() > 3
        assert ladder.locator("details tbody tr").count() >= ladder.locator(".wpw-packet").count()
        assert seen.page.locator(".wpw-fields").count() == 0
        assert seen.page.locator(".wpw-run button:visible").count() == 0


def test_the_button_copies_the_command_that_opens_this_notebook(site, browser):
    with visit(
        browser, f"{site}/notebooks/frag-needed.html", permissions=["clipboard-read", "clipboard-write"]
    ) as seen:
        seen.page.locator(".wpw-copy").click()
        seen.page.locator(".wpw-said", has_text="Copied").wait_for()
        assert seen.page.evaluate("navigator.clipboard.readText()") == "./lab start frag-needed"


def test_the_link_opens_the_notebook_in_a_lab_that_is_running(site, browser):
    with visit(browser, f"{site}/notebooks/frag-needed.html") as seen:
        seen.page.route(f"{LAB}/**", lambda route: route.fulfill(body="the lab"))
        seen.page.locator(".wpw-open").click()
        seen.page.wait_for_url(f"{LAB}/lab/tree/{COPIES}/frag-needed.ipynb")


def test_the_link_says_so_where_no_lab_is_running(site, browser):
    with visit(browser, f"{site}/notebooks/frag-needed.html") as seen:
        seen.page.route(f"{LAB}/**", lambda route: route.abort("connectionrefused"))
        seen.page.locator(".wpw-open").click()
        seen.page.locator(".wpw-said", has_text="No lab answers").wait_for()
        assert seen.page.url.startswith(site)
