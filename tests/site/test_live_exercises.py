"""Is an exercise answered and judged on its page, whatever the guest and the browser's store say? No guest runs here:
each test chooses what it would say."""

import contextlib
import json
import re
from collections.abc import Iterator

import pytest
from bs4 import BeautifulSoup

from core import cases
from core.draw import figures
from core.draw.tree import data
from host.paths import REPOSITORY
from tests.site.browsing import NO_ROOM, visit
from tests.site.test_accessible import unfolded, violations

pytestmark = pytest.mark.xdist_group("live")

PAGE = "book/frag-needed-exercises.html"
ID, LATER_ID = "frag-needed/1", "frag-needed/6"
BOX, LATER_BOX = "#exercise-1 .wpw-exercise", "#exercise-6 .wpw-exercise"
SOLVED = ".wpw-live .wpw-solved"
WAIT_MS = 60_000  # for 23 MB from this machine, when it has other work
IN_TAB = [each for each in cases.case("frag-needed").exercises if each.tab_million]
# In the place of the machine and of what it says: each check takes the next of `plans`. The scripts that are loaded can
# not take it away.
FAKE = """
    Object.assign(globalThis, {plans: [], asked: [], machines: {begun: 0, ended: 0}, ran: false, done: 0});
    const fixed = (name, value) => Object.defineProperty(globalThis, name, {get: () => value, set() {}});
    class RunError extends Error {}
    fixed("LiveRun", {RunError, restored: async ({counted, state}) => {
        if (counted !== true || !state.byteLength) throw new RunError("expected a machine that counts");
        machines.begun++;
        return {get instructions() { return done; }, end: async () => void machines.ended++};
    }});
    fixed("LiveProtocol", {check: async (machine, held, of, onSaid) => {
        if (held.module !== "labs") throw new RunError("expected the request that is held");
        asked.push(of);
        return plans.shift()(onSaid);
    }});
"""
PLAN = "([said, verdict]) => void plans.push(async onSaid => { said.forEach(onSaid); return verdict; })"
PASSES = {"id": "no-fragments", "passed": True, "expected": "no fragments", "found": "no fragments"}
FAILS = {"id": "no-stall", "passed": False, "expected": "50 ms at most", "found": "B waited 208 ms"}
UNTOLD = {"id": "machine-ran-on", "passed": None, "expected": "", "found": "the machine stood still for 300 ms"}


def verdict(word: str, *checks: dict, **changed) -> dict:
    """As a judge says it."""
    reasons = [check["found"] for check in checks if check["passed"] is not True]
    return {"exercise": ID, "verdict": word, "reasons": reasons, "measured": {}, "checks": list(checks)} | changed


RIGHT = verdict("PASS", PASSES, PASSES | {"id": "full-segments", "expected": "1400 bytes", "found": "1428 bytes"})
WRONG = verdict("FAIL", PASSES, FAILS)


@pytest.fixture
def address(site, built_site):
    """The exercises' page; the site has to hold the kernel."""
    assert list(built_site.glob("_static/live/*/state.zst")), (
        "the site was built without the tab's kernel; run ./lab tab"
    )
    return f"{site}/{PAGE}"


@contextlib.contextmanager
def without_machine(browser, address: str, **context) -> Iterator:
    """The page, and in the place of the machine what a test chooses."""
    with visit(browser, "about:blank", **context) as seen:
        seen.page.add_init_script(FAKE)
        seen.page.goto(address)
        yield seen


@pytest.fixture
def opened(address, browser):
    """The page without a machine; it leaves no error, and of what was begun nothing."""
    with without_machine(browser, address) as seen:
        yield seen.page
        assert seen.errors == [] and seen.page.evaluate("machines.begun - machines.ended") == 0


def plan(page, found: object, *said: dict) -> None:
    """What the next check hears."""
    page.evaluate(PLAN, [said, found])


def ended(page, words: str = "Checked: ", box: str = BOX) -> None:
    """Waits until a check is over that says this."""
    page.locator(f"{box} .wpw-live-said", has_text=words).wait_for(timeout=WAIT_MS)
    page.locator(f"{box} [data-do=check]:enabled").wait_for(timeout=WAIT_MS)


def check(page, found: object, *said: dict, words: str = "Checked: ", box: str = BOX) -> str:
    """A click, and what is shown of the verdict."""
    plan(page, found, *said)
    page.click(f"{box} [data-do=check]")
    ended(page, words, box)
    return page.inner_text(f"{box} .wpw-verdict")


def editor(page, box: str = BOX):
    """Where the answer is written."""
    return page.locator(f"{box} textarea")


def test_nothing_is_loaded_before_a_check(opened):
    opened.wait_for_load_state("networkidle")
    loaded = "performance.getEntriesByType('resource').filter(each => each.name.includes('/live/')).length"
    assert opened.evaluate(loaded) == 0
    check(opened, RIGHT)
    assert opened.evaluate(loaded) > 3


def test_loading_is_said_a_dozen_times_and_not_with_each_part(opened):
    opened.evaluate(
        """box => {
            globalThis.said = 0;
            new MutationObserver(() => said++).observe(document.querySelector(box), {childList: true});
        }""",
        f"{BOX} .wpw-live-said",
    )
    opened.evaluate("plans.push(() => new Promise(() => {}))")
    opened.click(f"{BOX} [data-do=check]")
    opened.locator(f"{BOX} .wpw-live-said", has_text="The kernel wakes").wait_for(timeout=WAIT_MS)
    assert 3 < opened.evaluate("said") < 15
    opened.click(f"{BOX} [data-do=stop]")
    ended(opened, "Stopped.")


def test_a_server_that_stalls_is_given_up_and_the_next_check_loads_again(opened):
    opened.clock.install()
    opened.route("**/live/*/state.zst", lambda route: None)
    opened.click(f"{BOX} [data-do=check]")
    opened.locator(f"{BOX} .wpw-live-said", has_text="Loading").wait_for(timeout=WAIT_MS)
    opened.clock.fast_forward(120_000)
    ended(opened, "no byte came for 60 s")
    opened.unroute("**/live/*/state.zst")
    check(opened, RIGHT)


def lines(page, box: str = BOX) -> list[list[str]]:
    """The words of each condition that is shown, by lines."""
    shown = page.locator(f"{box} .wpw-checks li").all_inner_texts()
    return [[line for line in each.splitlines() if line] for each in shown]


def test_a_right_answer_is_shown_by_its_conditions_and_counts(opened):
    assert opened.inner_text(SOLVED) == f"0 of the {len(IN_TAB)} that run in the browser are solved."
    editor(opened).fill("on client true\n")
    shown = check(opened, RIGHT)
    assert opened.evaluate("asked") == [{"exercise": ID, "answer": "on client true\n"}]
    assert shown.startswith("✓ PASS after ") and "All conditions hold." in shown
    assert lines(opened) == [
        ["✓ passed no-fragments", "found: no fragments"],
        ["✓ passed full-segments", "expected: 1400 bytes", "found: 1428 bytes"],
    ]
    assert opened.inner_text(SOLVED) == f"1 of the {len(IN_TAB)} that run in the browser are solved."


@pytest.mark.parametrize(
    "word, failing, line, words",
    [
        ("FAIL", FAILS, "✗ failed no-stall", "The answer fails: B waited 208 ms"),
        (
            "COULD NOT TELL",
            UNTOLD,
            "? could not tell machine-ran-on",
            "does not say whether the answer holds: the machine",
        ),
        ("SKIP", UNTOLD, "? could not tell machine-ran-on", "says nothing of the answer: the machine stood still"),
    ],
)
def test_another_verdict_is_shown_with_its_reason_and_does_not_count(opened, word, failing, line, words):
    shown = check(opened, verdict(word, PASSES, failing))
    assert f"{word} after " in shown and words in shown
    assert [each[0] for each in lines(opened)] == ["✓ passed no-fragments", line]
    assert opened.inner_text(SOLVED).startswith("0 of ")


def test_the_navigation_of_every_page_says_how_many_are_solved(opened):
    marks = opened.locator(".bd-sidebar-primary .wpw-marked")
    assert marks.count() == 0
    check(opened, RIGHT)
    said = [f"Chapter 1’s exercises ✓ 1 of {len(IN_TAB)} solved"]
    marked = opened.locator(".bd-sidebar-primary li > a", has=opened.locator(".wpw-marked"))
    assert marked.all_text_contents() == said
    check(opened, WRONG)
    opened.goto(opened.url.replace("frag-needed-exercises", "splice-push"))
    assert marked.all_text_contents() == said
    opened.evaluate("name => localStorage.setItem(name, '{')", KEPT)
    opened.reload()
    assert marks.count() == 0


def test_what_a_right_answer_has_earned_a_wrong_one_does_not_take_away(opened):
    check(opened, RIGHT)
    check(opened, WRONG)
    assert opened.inner_text(SOLVED).startswith("1 of ")


def test_a_guest_that_dies_is_told_in_a_sentence_and_the_next_check_works(opened):
    opened.evaluate("plans.push(async () => { throw new LiveRun.RunError('the guest died\\nconsole: secret'); })")
    opened.click(f"{BOX} [data-do=check]")
    ended(opened, "could not be checked here, which says nothing of the answer. the guest died. Check it again.")
    assert "secret" not in opened.inner_text("main") and lines(opened) == []
    assert "✗ FAIL" in check(opened, WRONG)


LADDER = json.loads((REPOSITORY / "book/_recordings/frag-needed/b-ladder.figure.json").read_text())


def test_steps_are_said_and_pictures_drawn_while_it_runs(opened):
    said = [
        {"kind": "step", "words": "<b>the answer</b> acts"},
        {"kind": "figure", "name": "b", "tree": data(figures.draw(LADDER))},
    ]
    opened.evaluate("said => void plans.push(onSaid => { said.forEach(onSaid); return new Promise(() => {}); })", said)
    opened.click(f"{BOX} [data-do=check]")
    opened.locator(f"{BOX} .wpw-live-said", has_text="<b>the answer</b> acts …").wait_for(timeout=WAIT_MS)
    assert opened.locator(f"{BOX} .wpw-live-pictures svg").count() == 1
    opened.locator(f"{BOX} .wpw-clock", has_text=re.compile(r"for \d+ s")).wait_for(timeout=WAIT_MS)
    opened.click(f"{BOX} [data-do=stop]")
    ended(opened, "Stopped.")
    check(opened, WRONG)
    assert opened.locator(f"{BOX} .wpw-live-pictures svg").count() == 0  # that was another check's


def test_a_bar_says_how_much_is_done_and_about_how_long_it_takes(opened):
    opened.evaluate("plans.push(() => new Promise(() => {}))")
    bar, clock = opened.locator(f"{BOX} progress"), opened.locator(f"{BOX} .wpw-clock")
    assert bar.is_hidden()
    opened.click(f"{BOX} [data-do=check]")
    clock.filter(has_text=re.compile(r"^for \d+ s$")).wait_for(timeout=WAIT_MS)
    opened.evaluate("million => { done = million * 1e6 / 2; }", IN_TAB[0].tab_million)
    clock.filter(has_text=re.compile(r"^for \d+ s, about \d+ s left$")).wait_for(timeout=WAIT_MS)
    assert bar.is_visible() and bar.evaluate("bar => bar.value") == pytest.approx(0.5)
    opened.evaluate("million => { done = million * 1e6 * 1.5; }", IN_TAB[0].tab_million)
    clock.filter(has_text=re.compile(r"^for \d+ s$")).wait_for(timeout=WAIT_MS)
    opened.evaluate("million => { done = million * 1e6 * 3; }", IN_TAB[0].tab_million)
    clock.filter(has_text="Does your answer loop?").wait_for(timeout=WAIT_MS)
    assert 0.5 < bar.evaluate("bar => bar.value") < 1  # nobody knows what is left
    opened.click(f"{BOX} [data-do=stop]")
    ended(opened, "Stopped.")
    assert bar.is_hidden()


def test_a_check_that_never_ends_is_ended_with_a_sentence_and_the_next_one_works(opened):
    opened.evaluate("plans.push(() => new Promise(() => {}))")
    opened.click(f"{BOX} [data-do=check]")
    opened.locator(f"{BOX} .wpw-clock", has_text="for ").wait_for(timeout=WAIT_MS)
    opened.evaluate("million => { done = million * 1e6 * 4.1; }", IN_TAB[0].tab_million)
    ended(opened, "start processes without end?")
    opened.evaluate("done = 0")
    assert "PASS" in check(opened, RIGHT)


def test_a_check_that_has_to_wait_says_for_what(opened):
    opened.evaluate("plans.push(() => new Promise(() => {}))")
    opened.click(f"{BOX} [data-do=check]")
    waits = opened.locator(f"{LATER_BOX} [data-do=check]")
    why = opened.locator(f"#{waits.get_attribute('aria-describedby')}")
    assert waits.is_disabled() and why.inner_text() == "Exercise 1 is being checked: one at a time."
    assert opened.inner_text(f"{BOX} [data-do=check] ~ .wpw-keys") == ""
    opened.click(f"{BOX} [data-do=stop]")
    ended(opened, "Stopped.")
    assert waits.is_enabled() and why.inner_text() == ""


def test_an_untouched_answer_is_said_to_be_none_and_not_a_list_of_failures(opened):
    none = {"id": "answered", "passed": False, "expected": "an answer", "found": "not answered yet: as it was"}
    assert check(opened, verdict("FAIL", none)) == "not answered yet: as it was"
    assert opened.locator(f"{BOX} .wpw-checks").count() == 0


def test_escape_answers_no(opened):
    editor(opened).fill("on client true")
    for opener in ("anew", "solution"):
        opened.click(f"{BOX} [data-do={opener}]")
        opened.keyboard.press("Escape")
        assert opened.locator(f"{BOX} [data-do=yes]").count() == 0
        assert opened.evaluate("document.activeElement.dataset.do") == opener
    assert editor(opened).input_value() == "on client true" and opened.locator(f"{BOX} pre").count() == 0


IMAGE = "<img src=x onerror='ran = true'>"
HOSTILE_SAID = [
    {"kind": "evidence", "packed": [IMAGE]},
    {"kind": "evidence", "packed": IMAGE},
    {"kind": "evidence", "packed": "A" * 5_000_000},
    {"kind": "step", "words": IMAGE},
    {"kind": "step", "words": ["no", "words"]},
    {"kind": "step", "words": "s" * 5_000_000},
    {
        "kind": "figure",
        "name": "a",
        "tree": ["figure", {}, ["figcaption", {}, "x"], ["img", {"src": "x", "onerror": "ran = true"}]],
    },
    {"kind": "figure", "name": 7, "tree": None},
    {"kind": "figure", "name": "b", "tree": ["figure", {}, ["figcaption", {}, "x" * 5_000_000]]},
    {"kind": "another"},
]


def test_a_hostile_guest_is_words_and_no_element(opened):
    hostile = {"id": IMAGE, "passed": False, "expected": IMAGE, "found": "f" * 5_000_000}
    check(opened, verdict("FAIL", *[hostile] * 5, reasons=[IMAGE, "r" * 5_000_000] * 3), *HOSTILE_SAID)
    shown = opened.inner_text(BOX)
    assert IMAGE in shown and "ffff…" in shown and "rrrr…" in shown and len(shown) < 30_000
    assert opened.locator(f"{BOX} img").count() == 0 and opened.evaluate("ran") is False
    assert opened.evaluate("JSON.stringify(localStorage).length") < 60_000


EVIDENCE = {"kind": "evidence", "packed": "eJyrVspJLC5RsgIAE+cD7w=="}
LINE = f"where-packets-wait {ID} {EVIDENCE['packed']}"
HAND = f"{BOX} [data-do=hand]"
CLIPBOARD = """Object.defineProperty(navigator, "clipboard", {value: {writeText: async text => {
    if (globalThis.refused) throw new DOMException("", "NotAllowedError");
    globalThis.copied = text;
}}})"""


def test_the_line_to_hand_in_is_copied_also_after_a_reload_and_is_the_verdicts_own(opened):
    opened.add_init_script(CLIPBOARD)
    opened.reload()
    check(opened, RIGHT, EVIDENCE)
    opened.reload()
    opened.click(HAND)
    opened.locator(f"{BOX} .wpw-handed", has_text="Copied.").wait_for()
    assert opened.evaluate("copied") == LINE and opened.locator(f"{BOX} .wpw-to-copy").count() == 0
    assert "./lab judge FILE" in opened.inner_text(f"{BOX} .wpw-hand")
    check(opened, RIGHT, EVIDENCE)
    check(opened, WRONG)
    assert opened.locator(HAND).count() == 0  # that line was another verdict's


@pytest.mark.parametrize("script", [f"{CLIPBOARD}; refused = true", CLIPBOARD.replace("{writeText", "undefined && {x")])
def test_where_there_is_no_clipboard_the_line_is_shown_and_selected(opened, script):
    opened.add_init_script(script)
    opened.reload()
    check(opened, RIGHT, EVIDENCE)
    opened.focus(HAND)
    opened.keyboard.press("Enter")
    field = opened.get_by_label(f"The line to hand in for {ID}")
    field.wait_for()
    assert field.input_value() == LINE and field.get_attribute("readonly") is not None
    assert opened.evaluate("getSelection().toString()") == LINE


def test_what_was_judged_is_saved_as_a_file_and_what_passed_before_what_is_last(opened):
    save = opened.locator(".wpw-live [data-do=save]")
    check(opened, RIGHT)
    assert save.is_hidden()  # no evidence came with it
    check(opened, RIGHT, EVIDENCE)
    check(opened, WRONG, EVIDENCE | {"packed": "Rmlyc3Q="})
    later = verdict("FAIL", FAILS, exercise=LATER_ID)
    check(opened, later, EVIDENCE | {"packed": "TGF0ZXI="}, box=LATER_BOX)
    opened.reload()
    with opened.expect_download() as saved:
        save.click()
    assert saved.value.suggested_filename == "where-packets-wait.txt"
    assert saved.value.path().read_text().splitlines() == [
        f"where-packets-wait {ID} {EVIDENCE['packed']}",
        f"where-packets-wait {LATER_ID} TGF0ZXI=",
    ]


@pytest.mark.parametrize("packed", [IMAGE, "A" * 300_000, 7, "", "=="])
def test_what_is_no_packed_evidence_is_not_kept(opened, packed):
    assert "PASS" in check(opened, RIGHT, EVIDENCE | {"packed": packed})
    assert opened.locator(HAND).count() == 0
    kept = opened.evaluate("name => JSON.parse(localStorage.getItem(name))", KEPT)
    assert kept["judged"]["packed"] is None
    kept["judged"]["packed"] = packed
    opened.evaluate("([name, kept]) => localStorage.setItem(name, JSON.stringify(kept))", [KEPT, kept])
    opened.reload()
    assert "PASS" in opened.inner_text(f"{BOX} .wpw-verdict") and opened.locator(HAND).count() == 0


def test_a_link_brings_an_answer_and_asks_before_it_takes_the_place_of_ones_own(opened, browser, address):
    opened.evaluate(CLIPBOARD)
    editor(opened).fill("on client true  # ü?>~")
    opened.click(f"{BOX} [data-do=link]")
    ended(opened, "Copied.")
    link = opened.evaluate("copied")
    assert link.startswith(f"{address}#answer-1=") and re.fullmatch(r"[\w-]+", link.partition("=")[2])
    with without_machine(browser, link) as seen:
        other = editor(seen.page)
        assert other.input_value() == "on client true  # ü?>~" and seen.page.evaluate("asked.length") == 0
        other.fill("mine")
        seen.page.goto(address)
        for answer, kept in (("no", "mine"), ("yes", "on client true  # ü?>~")):
            seen.page.goto(link)
            assert other.input_value() == "mine"
            seen.page.click(f"{BOX} [data-do={answer}]")
            assert other.input_value() == kept
            seen.page.goto(address)
        assert seen.errors == []


@pytest.mark.parametrize("opened_from", ["server", "folder"])
def test_a_link_brings_its_answer_once(browser, address, built_site, opened_from):
    page = address if opened_from == "server" else f"{built_site.as_uri()}/{PAGE}"
    with without_machine(browser, f"{page}#answer-1=YQ") as seen:
        assert editor(seen.page).input_value() == "a"
        editor(seen.page).fill("a, and more")
        seen.page.reload()
        assert editor(seen.page).input_value() == "a, and more"
        assert seen.page.locator(f"{BOX} [data-do=yes]").count() == 0
        assert seen.page.url.endswith("#exercise-1") and seen.errors == []


@pytest.mark.parametrize(
    "fragment", ["answer-1=", "answer-1=%3C", "answer-1=_w", "answer-9=YQ", f"answer-1={'A' * 70_000}"]
)
def test_a_link_that_brings_no_answer_changes_nothing(address, browser, fragment):
    with without_machine(browser, f"{address}#{fragment}") as seen:
        seen.page.locator(BOX).wait_for()
        assert editor(seen.page).input_value() == IN_TAB[0].start.read_text()
        assert seen.errors == []


def test_of_very_many_conditions_two_hundred_are_shown(opened):
    shown = check(opened, verdict("FAIL", *[FAILS] * 20_000, reasons=[]))
    assert len(lines(opened)) == 200 and "No more than 200 conditions are shown." in shown


@pytest.mark.parametrize(
    "found",
    [
        None,
        "PASS",
        [RIGHT],
        RIGHT | {"verdict": ["PASS"]},
        RIGHT | {"verdict": "constructor"},
        RIGHT | {"exercise": LATER_ID},
        RIGHT | {"checks": []},
        RIGHT | {"checks": {"length": 1}},
        RIGHT | {"checks": [PASSES, FAILS]},
        WRONG | {"checks": [None]},
        WRONG | {"checks": [FAILS | {"passed": "yes"}]},
        WRONG | {"checks": [FAILS | {"found": {"toString": "x"}}]},
        WRONG | {"checks": [{"passed": True}]},
        WRONG | {"reasons": "because"},
        WRONG | {"reasons": [7]},
    ],
    ids=str,
)
def test_what_has_not_the_form_of_a_verdict_is_none(opened, found):
    check(opened, found, words="could not be checked here")
    assert lines(opened) == [] and opened.inner_text(SOLVED).startswith("0 of ")


def test_one_check_at_a_time_and_stop_ends_its_machine(opened):
    opened.evaluate("plans.push(() => new Promise(() => {}))")
    opened.focus(f"{BOX} [data-do=check]")
    opened.keyboard.press("Enter")
    opened.wait_for_function("() => asked.length === 1", timeout=WAIT_MS)
    assert opened.locator("[data-do=check]:enabled").count() == 0
    editor(opened, LATER_BOX).press("Control+Enter")
    opened.focus(f"{BOX} [data-do=stop]")
    opened.keyboard.press("Enter")
    ended(opened, "Stopped. That says nothing of the answer.")
    assert opened.evaluate("[asked.length, machines.ended]") == [1, 1]
    assert opened.locator("[data-do=check]:enabled").count() == len(IN_TAB)
    assert opened.evaluate("document.activeElement.dataset.do") == "check"  # the focus is not lost
    assert "PASS" in check(opened, verdict("PASS", PASSES, exercise=LATER_ID), box=LATER_BOX)


def test_what_is_stopped_while_it_loads_begins_no_check(opened):
    opened.route("**/live/*/state.zst", lambda route: None)
    opened.click(f"{BOX} [data-do=check]")
    opened.click(f"{BOX} [data-do=stop]")
    ended(opened, "Stopped.")
    assert opened.evaluate("[asked.length, machines.begun]") == [0, 0]


def test_answer_verdict_and_count_outlast_a_reload(opened):
    editor(opened).fill("on client true")
    before = check(opened, RIGHT)
    editor(opened, LATER_BOX).fill("def heard(seen): pass")
    opened.reload()
    assert editor(opened).input_value() == "on client true"
    assert editor(opened, LATER_BOX).input_value() == "def heard(seen): pass"
    assert opened.inner_text(f"{BOX} .wpw-verdict") == before
    assert opened.inner_text(SOLVED).startswith("1 of ")
    assert opened.locator(f"{BOX} .wpw-earlier").is_hidden()
    editor(opened).press("x")
    assert opened.locator(f"{BOX} .wpw-earlier").is_visible()
    editor(opened).press("Backspace")
    assert opened.locator(f"{BOX} .wpw-earlier").is_hidden()


def test_the_same_page_open_twice_takes_nothing_away(opened, address):
    with opened.expect_popup() as opening:
        opened.evaluate("address => void open(address)", address)
    other = opening.value
    editor(other).wait_for(timeout=WAIT_MS)
    editor(opened).fill("on client true")
    has = "([box, text]) => document.querySelector(`${box} textarea`).value === text"
    other.wait_for_function(has, arg=[BOX, "on client true"], timeout=WAIT_MS)
    check(opened, RIGHT)
    other.locator(f"{BOX} .wpw-verdict", has_text="PASS").wait_for(timeout=WAIT_MS)
    assert other.inner_text(SOLVED).startswith("1 of ")
    editor(other).fill("on client false")
    opened.wait_for_function(has, arg=[BOX, "on client false"], timeout=WAIT_MS)
    other.close()
    opened.reload()
    assert editor(opened).input_value() == "on client false"
    assert opened.inner_text(SOLVED).startswith("1 of ") and "PASS" in opened.inner_text(f"{BOX} .wpw-verdict")
    assert opened.locator(f"{BOX} .wpw-earlier").is_visible()


KEPT = f"where-packets-wait/answer/1/{ID}"


@pytest.mark.parametrize(
    "kept",
    [
        "{",
        "null",
        "[]",
        '{"answer": 7}',
        '{"answer": "x", "judged": true}',
        json.dumps({"answer": "x", "judged": {"on": "x", "took_s": IMAGE, "verdict": RIGHT}}),
        json.dumps({"answer": "x", "judged": {"on": "x", "took_s": 1, "verdict": {"verdict": "PASS"}}}),
    ],
)
def test_a_damaged_store_is_said_and_the_exercise_begins_anew(opened, kept):
    opened.evaluate("([name, text]) => localStorage.setItem(name, text)", [KEPT, kept])
    opened.reload()
    assert (
        opened.inner_text(".wpw-live .wpw-live-said")
        == f"What this browser has kept of {ID} is damaged, so that exercise begins anew."
    )
    assert editor(opened).input_value() == IN_TAB[0].start.read_text()
    assert "PASS" in check(opened, RIGHT)


# For this page's script alone: the theme's own would fail, too.
NO_STORE = {
    "forbidden": """
        const ours = localStorage;
        Object.defineProperty(globalThis, "localStorage", {get() {
            if (new Error().stack.includes("live-exercise.js")) throw new DOMException("", "SecurityError");
            return ours;
        }});""",
    "full": NO_ROOM,
}


@pytest.mark.parametrize("script", NO_STORE.values(), ids=NO_STORE.keys())
def test_where_nothing_can_be_kept_all_else_works(opened, script):
    opened.add_init_script(script)
    opened.reload()
    editor(opened).press("x")
    assert "keeps nothing of this page, or no more" in opened.inner_text(".wpw-live .wpw-live-said")
    assert "PASS" in check(opened, RIGHT) and opened.inner_text(SOLVED).startswith("1 of ")


def test_hints_come_one_by_one(opened):
    shown, button = opened.locator(f"{BOX} .wpw-hints li"), opened.locator(f"{BOX} [data-do=hint]")
    hints = [hint.replace("`", "") for hint in IN_TAB[0].hints]
    for number in range(len(hints)):
        assert button.inner_text() == f"A hint ({number + 1} of {len(hints)})"
        button.press("Enter")
        assert shown.all_inner_texts() == hints[: number + 1]
    assert "`" in "".join(IN_TAB[0].hints) and opened.locator(f"{BOX} .wpw-hints code").count() > 0
    button.press("Enter")
    assert shown.count() == len(hints) and button.get_attribute("aria-disabled") == "true"


def test_the_solution_takes_two_actions(opened):
    solution = IN_TAB[0].solution.read_text()
    words = solution.splitlines()[-1]
    assert words not in opened.text_content("main")
    opened.click(f"{BOX} [data-do=solution]")
    assert words not in opened.text_content("main")
    assert opened.evaluate("document.activeElement.dataset.do") == "no"
    opened.keyboard.press("Enter")
    assert words not in opened.text_content("main")
    assert opened.evaluate("document.activeElement.dataset.do") == "solution"
    opened.click(f"{BOX} [data-do=solution]")
    opened.click(f"{BOX} [data-do=yes]")
    assert opened.text_content(f"{BOX} pre") == solution
    assert opened.evaluate("document.activeElement.tagName") == "PRE"


def test_a_changed_answer_is_replaced_only_when_that_is_said_twice(opened):
    start, question = IN_TAB[0].start.read_text(), opened.locator(f"{BOX} [data-do=yes]")
    opened.click(f"{BOX} [data-do=anew]")
    assert question.count() == 0  # there is nothing to lose
    editor(opened).fill("on client true")
    check(opened, RIGHT)
    opened.click(f"{BOX} [data-do=anew]")
    opened.click(f"{BOX} [data-do=no]")
    assert editor(opened).input_value() == "on client true"
    opened.click(f"{BOX} [data-do=anew]")
    question.click()
    assert editor(opened).input_value() == start and opened.inner_text(f"{BOX} .wpw-verdict") == ""
    opened.reload()
    assert editor(opened).input_value() == start and opened.inner_text(SOLVED).startswith("1 of ")


def test_by_keyboard_alone(opened):
    field = opened.get_by_label("Your answer to exercise 1, as a file 1.sh")
    field.focus()
    opened.keyboard.press("Control+End")
    opened.keyboard.type("on client true")
    plan(opened, WRONG)
    opened.keyboard.press("Control+Enter")
    ended(opened)
    assert opened.evaluate("asked[0].answer").endswith("\non client true")
    assert opened.evaluate("document.activeElement.id") == "answer-1"
    stops = []
    for _ in range(4):
        opened.keyboard.press("Tab")
        stops.append(opened.evaluate("document.activeElement.dataset.do"))
    assert stops == ["check", "anew", "hint", "solution"]
    opened.keyboard.press("Shift+Tab")
    opened.keyboard.press("Enter")
    assert opened.locator(f"{BOX} .wpw-hints li").count() == 1


def all_shown(page) -> None:
    """A box with all that can be in it."""
    check(
        page,
        verdict("FAIL", PASSES, FAILS | {"found": "w" * 500}, UNTOLD),
        {"kind": "figure", "name": "b", "tree": data(figures.draw(LADDER))},
        EVIDENCE | {"packed": "A" * 9000},
    )
    page.evaluate("Object.defineProperty(navigator, 'clipboard', {value: undefined})")
    page.click(HAND)
    page.locator(f"{BOX} .wpw-to-copy").wait_for()
    page.click(f"{BOX} [data-do=hint]")
    page.click(f"{BOX} [data-do=solution]")
    page.click(f"{BOX} [data-do=yes]")
    editor(page).press("x")
    page.click(f"{BOX} [data-do=anew]")


@pytest.mark.parametrize("scheme, width", [("light", 1280), ("dark", 1280), ("light", 390)])
def test_axe_finds_nothing_in_a_box_with_all_in_it_and_it_fits(address, browser, scheme, width):
    with without_machine(browser, address, width=width, scheme=scheme, reduced_motion="reduce") as seen:
        all_shown(seen.page)
        assert seen.page.evaluate("document.documentElement.scrollWidth <= innerWidth")
        unfolded(seen.page)
        assert violations(seen.page, within=BOX) == []


def test_on_paper_stands_the_command(opened):
    opened.emulate_media(media="print")
    assert opened.locator(BOX).is_hidden() and opened.locator(f"#exercise-1 {COMMAND}").is_visible()


COMMAND = ".wpw-exercise-command"


def test_a_command_stands_where_there_is_no_box(opened):
    assert opened.locator(BOX).is_visible() and opened.locator(f"#exercise-1 {COMMAND}").is_hidden()
    assert opened.locator("#exercise-5 .wpw-exercise").count() == 0
    assert "./lab check frag-needed/5 work/frag-needed/5.bpf.c" in opened.inner_text(f"#exercise-5 {COMMAND}")


def test_without_script_each_exercise_has_its_command(address, browser):
    with visit(browser, address, java_script_enabled=False) as seen:
        assert seen.page.locator(".wpw-live").is_hidden() and seen.page.locator("textarea").count() == 0
        said = seen.page.locator(COMMAND).all_inner_texts()
        assert ["./lab check frag-needed/1 work/frag-needed/1.sh." in said[0], len(said)] == [True, 6]
        assert all(seen.page.locator(COMMAND).nth(number).is_visible() for number in range(6))


def test_from_a_folder_on_the_disk(built_site, address, browser):
    with without_machine(browser, f"{built_site.as_uri()}/{PAGE}") as seen:
        assert "PASS" in check(seen.page, RIGHT) and seen.errors == []


EXTENSIONS = [
    "myst_nb",
    "book._ext.quoted.annotated_source",
    "book._ext.recordings.recorded",
    "book._ext.live.live_exercises",
]


def test_a_build_without_the_kernel_has_tasks_and_commands_alone(book):
    built = book(
        {"index.md": "# Title\n\n:::{live-exercises} frag-needed\n:::\n"}, extensions=EXTENSIONS, live_state=""
    )
    html = built.page()
    said = BeautifulSoup(html, "html.parser").get_text()
    assert built.status == 0 and built.warnings == "" and "wpw-live" not in html and "data-exercise" not in html
    assert [html.count(f'id="exercise-{number}"') for number in range(1, 8)] == [1] * 6 + [0]
    assert said.count("What the verdict is worth:") == 6 and said.count("./lab check frag-needed/") == 6
    for exercise in cases.case("frag-needed").exercises:
        assert exercise.solution.read_text().splitlines()[-1] not in said and exercise.hints[-1] not in said


def test_a_case_that_there_is_not_is_a_fault(book):
    built = book({"index.md": "# Title\n\n:::{live-exercises} none\n:::\n"}, extensions=EXTENSIONS, live_state="")
    assert built.status == 1 and "no case 'none'" in built.warnings
