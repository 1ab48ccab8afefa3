"""Do a notebook's cells run on its page, whatever the guest says? No guest runs here: each test chooses what it says of
each cell."""

import contextlib
import json
from collections.abc import Iterator

import pytest

from core.draw import figures
from core.draw.tree import data
from host.paths import REPOSITORY
from tests.site.browsing import NO_ROOM, visit
from tests.site.test_accessible import unfolded, violations

pytestmark = pytest.mark.xdist_group("live")

PAGE = "notebooks/frag-needed.html"
WAIT_MS = 60_000  # for 23 MB from this machine, when it has other work
# In the place of the machine and of what it says: `says` gives, for a cell's text, what the guest says and whether the
# cell failed; a text in `waits` is never done. A machine waits for `wakes` before it is there.
FAKE = """
    Object.assign(globalThis, {says: {}, waits: [], ran: [], wakes: Promise.resolve()});
    globalThis.machines = {begun: 0, ended: 0, at_once: 0};
    const fixed = (name, value) => Object.defineProperty(globalThis, name, {get: () => value, set() {}});
    class RunError extends Error {}
    fixed("LiveRun", {RunError, restored: async ({counted, state}) => {
        if (counted !== true || !state.byteLength) throw new RunError("expected a machine that counts");
        await wakes;
        machines.begun++;
        machines.at_once = Math.max(machines.at_once, machines.begun - machines.ended);
        return {end: async () => void machines.ended++};
    }});
    fixed("LiveProtocol", {notebook: (machine, held) => ({run: async (source, onSaid) => {
        if (held.arguments[0] !== "cells") throw new RunError("expected the request that is held");
        ran.push(source);
        if (waits.includes(source)) await new Promise(() => {});
        const {said = [], failed, breaks} = says[source] ?? {};
        if (breaks) throw new RunError(breaks);
        said.forEach(one => onSaid(one));
        return {failed};
    }})});
"""
LADDER = json.loads((REPOSITORY / "book/_recordings/frag-needed/b-ladder.figure.json").read_text())


@pytest.fixture
def address(site, built_site):
    """The notebook's page; the site has to hold the kernel."""
    assert list(built_site.glob("_static/live/*/cells.zst")), (
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
    """The page without a machine; it leaves no error."""
    with without_machine(browser, address) as seen:
        yield seen.page
        assert seen.errors == []


def cell(page, number: int):
    """The cell of this number, from 0 on."""
    return page.locator("div.cell:has(.cell_input)").nth(number)


def source(page, number: int) -> str:
    """Its text, as it stands on the page."""
    return cell(page, number).locator("pre").first.inner_text().removesuffix("\n")


def will_say(page, text: str, *said: dict, **more) -> None:
    page.evaluate("([text, found]) => { says[text] = found; }", [text, {"said": said, **more}])


def run(page, number: int, words: str = "has run") -> None:
    """A click, and its end."""
    cell(page, number).locator("[data-do=run]").click()
    cell(page, number).locator(".wpw-cell-state", has_text=words).wait_for(timeout=WAIT_MS)
    idle(page)


def idle(page) -> None:
    """Waits until nothing runs."""
    page.locator(".wpw-live [data-do=all][aria-disabled=false]").wait_for(timeout=WAIT_MS)


def mine(page, number: int):
    return cell(page, number).locator(".wpw-mine")


def ran(page) -> list[str]:
    return page.evaluate("ran")


def test_nothing_is_loaded_before_the_first_cell_and_each_has_its_button(opened):
    opened.wait_for_load_state("networkidle")
    loaded = "performance.getEntriesByType('resource').filter(each => each.name.includes('/live/')).length"
    cells = opened.locator("div.cell:has(.cell_input)").count()
    assert opened.evaluate(loaded) == 0 and opened.locator("[data-do=run]").count() == cells > 20
    run(opened, 0)
    assert opened.evaluate(loaded) > 3


def test_a_cell_brings_those_above_it_once(opened):
    texts = [source(opened, number) for number in range(4)]
    run(opened, 2)
    assert ran(opened) == texts[:3]
    run(opened, 3)
    run(opened, 3)
    assert ran(opened) == [*texts, texts[3]] and opened.evaluate("machines.begun") == 1


def test_what_it_leads_to_stands_above_the_recorded_output(opened):
    text = source(opened, 1)
    said = [
        {"kind": "text", "text": "one\n"},
        {"kind": "text", "text": "two\n"},
        {"kind": "result", "text": "<b>3</b>"},
    ]
    will_say(opened, text, *said)
    run(opened, 1)
    assert mine(opened, 1).locator("pre").all_inner_texts() == ["one\ntwo\n", "<b>3</b>"]
    recorded = cell(opened, 1).locator("details .cell_output")
    assert recorded.count() == 1 and not recorded.is_visible()
    cell(opened, 1).locator("summary", has_text="recorded").click()
    assert recorded.is_visible()


def test_a_picture_is_drawn_and_one_that_is_none_is_words(opened):
    will_say(opened, source(opened, 0), {"kind": "result", "text": "words", "tree": data(figures.draw(LADDER))})
    run(opened, 0)
    assert mine(opened, 0).locator("figure.wpw-ladder svg").count() == 1
    will_say(
        opened, source(opened, 0), {"kind": "result", "text": "words", "tree": ["script", {}, "globalThis.taken = 1"]}
    )
    run(opened, 0)
    assert mine(opened, 0).locator("pre").inner_text() == "words" and opened.evaluate("typeof taken") == "undefined"


def test_an_edited_cell_runs_as_it_is_written_and_can_be_put_back(opened):
    cell(opened, 0).locator("[data-do=edit]").click()
    editor = cell(opened, 0).locator("textarea")
    assert editor.input_value() == source(opened, 0)
    editor.fill("print('mine')")
    editor.press("Control+Enter")
    cell(opened, 0).locator(".wpw-cell-state", has_text="has run").wait_for(timeout=WAIT_MS)
    assert ran(opened) == ["print('mine')"]
    cell(opened, 0).locator("[data-do=edit]").click()
    run(opened, 0)
    assert ran(opened)[-1] == source(opened, 0)
    cell(opened, 0).locator("[data-do=edit]").click()
    assert editor.input_value() == "print('mine')"


def test_an_edited_cell_outlasts_a_reload_as_long_as_the_cell_is_the_same(opened):
    cell(opened, 0).locator("[data-do=edit]").click()
    cell(opened, 0).locator("textarea").fill("print('mine')")
    opened.reload()
    edit = cell(opened, 0).locator("[data-do=edit]")
    assert edit.inner_text().startswith("Edit again")
    edit.click()
    assert cell(opened, 0).locator("textarea").input_value() == "print('mine')"
    kept = "Object.keys(localStorage).filter(name => name.includes('/cell/'))"
    (name,) = opened.evaluate(kept)
    opened.evaluate("name => localStorage.setItem(name, JSON.stringify({source: 'another', text: 'x'}))", name)
    opened.reload()
    assert not edit.inner_text().startswith("Edit again")
    opened.evaluate("name => localStorage.setItem(name, '{')", name)
    opened.reload()
    run(opened, 0)


def test_an_edited_cell_is_there_until_the_page_is_left_where_nothing_can_be_kept(opened):
    opened.add_init_script(NO_ROOM)
    opened.reload()
    edit = cell(opened, 0).locator("[data-do=edit]")
    edit.click()
    cell(opened, 0).locator("textarea").fill("print('mine')")
    edit.click()
    edit.click()
    assert cell(opened, 0).locator("textarea").input_value() == "print('mine')"


def test_a_cell_that_ends_hands_the_focus_of_its_stop_on(opened):
    opened.evaluate("text => { waits.push(text); }", source(opened, 0))
    run_, stop = (cell(opened, 0).locator(f"[data-do={name}]") for name in ("run", "stop"))
    run_.click()
    opened.locator(".wpw-live-said", has_text="Cell 1 of").wait_for(timeout=WAIT_MS)
    stop.focus()
    stop.press("Enter")
    opened.locator(".wpw-live-said", has_text="Stopped").wait_for(timeout=WAIT_MS)
    assert run_.evaluate("each => each === document.activeElement")


def test_an_error_ends_the_way_down_and_says_where(opened):
    will_say(opened, source(opened, 1), {"kind": "error", "text": "ZeroDivisionError"}, failed=True)
    cell(opened, 3).locator("[data-do=run]").click()
    opened.locator(".wpw-live-said", has_text="Cell 2 ended with an error.").wait_for(timeout=WAIT_MS)
    assert len(ran(opened)) == 2 and "ZeroDivisionError" in mine(opened, 1).inner_text()


def test_what_the_tab_has_not_keeps_the_recorded_output_and_the_way_goes_on(opened):
    will_say(opened, source(opened, 1), {"kind": "error", "text": "No module", "lacks": "bcc"}, failed=True)
    run(opened, 2)
    assert "needs bcc" in mine(opened, 1).inner_text() and len(ran(opened)) == 3
    assert cell(opened, 1).locator(".cell_output").is_visible()


def test_stop_ends_the_machine_and_the_next_cell_begins_anew(opened):
    run(opened, 0)
    opened.evaluate("text => waits.push(text)", source(opened, 1))
    cell(opened, 1).locator("[data-do=run]").click()
    opened.locator(".wpw-live-said", has_text="Cell 2 of").wait_for(timeout=WAIT_MS)
    opened.click(".wpw-live [data-do=stop]")
    opened.locator(".wpw-live-said", has_text="Stopped").wait_for(timeout=WAIT_MS)
    opened.wait_for_function("machines.ended === 1")
    opened.evaluate("waits.length = 0")
    run(opened, 1)
    assert opened.evaluate("machines.begun") == 2 and ran(opened)[-2:] == [source(opened, 0), source(opened, 1)]


@pytest.mark.parametrize("meanwhile", ["waking", "loading"])
def test_stop_before_the_machine_is_there_leaves_no_second_one(opened, meanwhile):
    if meanwhile == "waking":
        opened.evaluate("() => { globalThis.wakes = new Promise(resolve => { globalThis.wake = resolve; }); }")
    else:
        opened.route("**/cells.zst", lambda route: setattr(opened, "held", route))
    cell(opened, 0).locator("[data-do=run]").click()
    text = "The kernel wakes" if meanwhile == "waking" else "Loading"
    opened.locator(".wpw-live-said", has_text=text).wait_for(timeout=WAIT_MS)
    opened.click(".wpw-live [data-do=stop]")
    opened.locator(".wpw-live-said", has_text="Stopped").wait_for(timeout=WAIT_MS)
    cell(opened, 0).locator("[data-do=run]").click()
    if meanwhile == "waking":
        opened.evaluate("wake()")
    else:
        opened.held.continue_()
    cell(opened, 0).locator(".wpw-cell-state", has_text="has run").wait_for(timeout=WAIT_MS)
    machines = opened.evaluate("machines")
    assert machines["at_once"] == 1 and machines["begun"] - machines["ended"] == 1


def test_restart_ends_the_machine_and_all_runs_from_the_top(opened):
    run(opened, 1)
    opened.click(".wpw-live [data-do=restart]")
    opened.wait_for_function("machines.ended === 1")
    opened.click(".wpw-live [data-do=all]")
    opened.locator(".wpw-live-said", has_text="has run").wait_for(timeout=WAIT_MS)
    count = opened.locator("div.cell:has(.cell_input)").count()
    assert ran(opened)[2:] == [source(opened, number) for number in range(count)]
    opened.click(".wpw-live [data-do=all]")
    idle(opened)
    assert len(ran(opened)) == 2 + 2 * count


def test_a_cell_that_failed_runs_again_before_those_below_it(opened):
    will_say(opened, source(opened, 0), {"kind": "error", "text": "Error"}, failed=True)
    run(opened, 0, "error")
    will_say(opened, source(opened, 0))
    run(opened, 1)
    assert ran(opened) == [source(opened, 0), source(opened, 0), source(opened, 1)]


def test_a_module_that_nobody_has_is_an_error(opened):
    will_say(
        opened, source(opened, 0), {"kind": "error", "text": "No module named nmupy", "lacks": "nmupy"}, failed=True
    )
    run(opened, 0, "error")
    assert "nmupy" in mine(opened, 0).locator("pre").inner_text()


def test_the_button_that_was_pressed_keeps_the_focus_and_pressed_twice_ends_nothing(opened):
    opened.evaluate("text => waits.push(text)", source(opened, 0))
    button = cell(opened, 0).locator("[data-do=run]")
    button.focus()
    button.press("Enter")
    button.press("Enter")
    opened.locator(".wpw-live-said", has_text="Cell 1 of").wait_for(timeout=WAIT_MS)
    button.press("Enter")
    assert button.evaluate("each => each === document.activeElement") and opened.evaluate("machines.ended") == 0
    cell(opened, 0).locator("[data-do=stop]").click()
    opened.locator(".wpw-live-said", has_text="Stopped").wait_for(timeout=WAIT_MS)


def test_on_paper_it_is_as_it_was_recorded(opened):
    will_say(opened, source(opened, 1), {"kind": "text", "text": "mine\n"})
    run(opened, 1)
    cell(opened, 1).locator("[data-do=edit]").click()
    opened.emulate_media(media="print")
    opened.evaluate("dispatchEvent(new Event('beforeprint'))")
    assert cell(opened, 1).locator(".cell_output").is_visible() and not mine(opened, 1).is_visible()
    assert cell(opened, 1).locator(".highlight").first.is_visible()
    assert not cell(opened, 1).locator("textarea").is_visible()


def test_the_box_stands_below_the_one_that_opens_the_lab(opened):
    boxes = opened.locator(".wpw-run, .wpw-live").evaluate_all("all => all.map(each => each.className)")
    assert boxes == ["wpw-run", "wpw-live"]


def test_it_fits_a_phone(opened):
    opened.set_viewport_size({"width": 390, "height": 800})
    will_say(opened, source(opened, 0), {"kind": "text", "text": "x" * 500 + "\n"})
    run(opened, 0)
    assert opened.evaluate("document.documentElement.scrollWidth") <= 390


def test_a_machine_that_breaks_is_a_sentence_and_the_next_click_works(opened):
    will_say(opened, source(opened, 0), breaks="the guest's Python has ended (status -9): Killed")
    cell(opened, 0).locator("[data-do=run]").click()
    opened.locator(".wpw-live-said", has_text="has ended (status -9): Killed.").wait_for(timeout=WAIT_MS)
    will_say(opened, source(opened, 0))
    run(opened, 0)
    assert opened.evaluate("machines") == {"begun": 2, "ended": 1, "at_once": 1}


def test_a_guest_that_says_without_end_fills_no_page(opened):
    many = [{"kind": "result", "text": "x" * 1000}] * 5000
    will_say(opened, source(opened, 0), *many, {"kind": "text", "text": "y" * 3_000_000})
    run(opened, 0)
    assert len(mine(opened, 0).inner_text()) < 2_500_000 and mine(opened, 0).locator("pre").count() <= 2000
    assert "not shown" in mine(opened, 0).inner_text()


def test_axe_finds_nothing_in_what_was_run(browser, address):
    with without_machine(
        browser, address
    ) as seen:  # but for its errors: axe misreads where a style sheet's import lies
        page = seen.page
        said = [{"kind": "text", "text": "one\n"}, {"kind": "error", "text": "Error"}]
        will_say(page, source(page, 1), *said, failed=True)
        run(page, 1, "error")
        cell(page, 0).locator("[data-do=edit]").click()
        unfolded(page)
        assert violations(page) == []


def test_other_notebooks_have_no_buttons(site, browser, address):
    with visit(browser, f"{site}/notebooks/rtl8139-tso.html") as seen:
        assert seen.page.locator("[data-do=run]").count() == 0 and seen.errors == []
