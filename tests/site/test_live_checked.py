"""Is an answer judged in the page, by the lab's judge in the kernel that the site holds? In a real browser."""

import pytest

from core.cases import exercise
from tests.site.browsing import visit

pytestmark = [pytest.mark.xdist_group("live"), pytest.mark.part("site", why="judges three answers, half a minute each")]

ADDRESS = "book/frag-needed-exercises.html"
BOX = "#exercise-1 .wpw-exercise"
CHECK, EDITOR, VERDICT, SAID = (
    f"{BOX} {what}" for what in ("[data-do=check]", "textarea", ".wpw-verdict", ".wpw-live-said")
)
HOSTILE = ":() { : | : & }; :\n"  # processes without end
CHECK_MS = 900_000  # half a minute on a quiet machine, and four times that in the gate


def judged(page, answer: str) -> str:
    """What the page shows once this answer is judged."""
    page.fill(EDITOR, answer)
    page.click(CHECK)
    page.locator(CHECK).and_(page.locator(":disabled")).wait_for(timeout=CHECK_MS)
    page.locator(CHECK).and_(page.locator(":enabled")).wait_for(timeout=CHECK_MS)
    return page.text_content(VERDICT) + page.text_content(SAID)


def test_a_hostile_answer_a_wrong_one_then_a_right_one_which_is_kept(site, built_site, browser):
    assert list(built_site.glob("_static/live/*/state.zst")), "the site has no kernel; run ./lab tab"
    asked = exercise("frag-needed/1")
    wrong = (asked.folder / "wrong/at-the-balancer.sh").read_text()
    with visit(browser, f"{site}/{ADDRESS}") as seen:
        page = seen.page
        assert "start processes without end?" in (shown := judged(page, HOSTILE)), shown
        shown = judged(page, wrong)
        assert "FAIL" in shown and "balancer" in shown, shown  # it touched a host that is not the answer's
        shown = judged(page, asked.solution.read_text())
        assert "PASS" in shown, shown
        assert page.locator(f"{BOX} .wpw-live-pictures figure").count() == 1  # of the packets that were judged
        page.reload()
        page.wait_for_selector(f"{BOX} .wpw-verdict >> text=PASS")
        assert page.input_value(EDITOR) == asked.solution.read_text()
        assert seen.errors == [] and seen.abroad == []
