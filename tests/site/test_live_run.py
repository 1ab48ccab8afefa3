"""Does chapter 1 happen on its page, in a real browser, when the reader asks, and not before?"""

import contextlib
import json
import re

import pytest

from host.chromium import served
from host.paths import REPOSITORY
from tests.guest.chapter_one import differences
from tests.site.browsing import visit
from tests.site.conftest import PROVENANCE
from tests.site.test_accessible import unfolded, violations

pytestmark = pytest.mark.xdist_group("live")

PAGE = "book/frag-needed.html"
RUN_MS = 120_000  # a click takes a second or two; this is for a machine that has other work
MOST_FIRST = 28_000_000  # bytes of the first click, from a server that does not compress
FIRST, AGAIN, TOLD = ".wpw-live-button >> nth=0", "[data-mode=fault]", "[data-mode=told]"
TRACED, TERMINAL = "[data-mode=traced]", "[data-mode=terminal]"
SEEN = "[data-live-run]"
BOX = ".wpw-live"  # all that a run draws, and the terminal; axe has read the rest of the page in test_accessible


@pytest.fixture
def address(site, built_site):
    """The chapter's page; the site has to hold the kernel."""
    assert list(built_site.glob("_static/live/*/state.zst")), (
        "the site was built without the tab's kernel; run ./lab tab"
    )
    return f"{site}/{PAGE}"


def data(page) -> dict:
    """The JSON of the run that the page shows."""
    page.wait_for_selector(SEEN, state="attached", timeout=RUN_MS)
    return json.loads(page.text_content(SEEN))


def click(page, button) -> dict:
    """A further run."""
    before = page.text_content(SEEN)
    page.click(button)
    page.locator(SEEN).filter(has_not_text=before).wait_for(state="attached", timeout=RUN_MS)
    page.locator(f"{AGAIN}:enabled").wait_for(timeout=RUN_MS)
    return data(page)


def loaded(page) -> dict[str, int]:
    """Bytes of each file of the kernel that the page has loaded, as they came."""
    return page.evaluate("""() => Object.fromEntries(performance.getEntriesByType('resource')
        .filter(each => each.name.includes('/live/')).map(each => [each.name, each.encodedBodySize]))""")


def said(page) -> str:
    """The line that a screen reader is told."""
    return page.text_content(".wpw-live-said")


def test_one_click_and_it_happens_in_the_tab(address, browser):
    with visit(browser, address) as seen:
        page = seen.page
        page.wait_for_load_state("networkidle")
        assert loaded(page) == {}
        page.click(FIRST)
        run = data(page)
        # What the kernel did, whatever this machine's speed: the balancer refused A, its own host refused B.
        assert "measured" in run and differences(run) == []
        # B's ladder, from what was captured: its own host says "too long" to itself, before any data leaves.
        steps = page.locator(".wpw-live-pictures > figure .wpw-packet").evaluate_all(
            "steps => steps.map(step => step.getAttribute('aria-label'))"
        )
        assert steps[0].startswith("client to itself: ICMP frag needed, MTU 1480"), steps
        assert any(step.startswith("client to balancer:") for step in steps[1:]), steps
        fill = page.locator(".wpw-live-pictures .wpw-ladder .wpw-box").first.evaluate(
            "box => getComputedStyle(box).fill"
        )
        assert fill == "none", f"a host is a box filled with {fill}: the page lacks the style of a ladder"
        hit = page.locator(".wpw-live-pictures > figure .wpw-hit").first
        assert hit.evaluate("each => getComputedStyle(each).fillOpacity") == "0"  # it has its style
        row = page.locator(".wpw-live-times tbody tr").last.inner_text()
        if run["measured"]:
            assert f"{run['b_ms']:.1f}" in row and f"{run['b_ms']:.1f}" in said(page)
        else:
            assert "not measured" in row and run["reason"] in row
        assert 10_000_000 < sum(loaded(page).values()) < MOST_FIRST
        assert seen.errors == [] and seen.abroad == []


# Keeps each line of its status that the page said during a run, and how much was drawn by then. From the records,
# because of two lines that one task says (the guest gets on while the processor is elsewhere) only the last stands.
WATCH = """() => {
    globalThis.seen = [];
    const look = records => {
        const said = document.querySelector('.wpw-live-said');
        const drawn = document.querySelectorAll('.wpw-live-pictures figure').length;
        for (const each of records.filter(record => record.target === said))
            seen.push([[...each.addedNodes].map(node => node.textContent).join(''), drawn]);
        seen.push([said.textContent, drawn]);
    };
    new MutationObserver(look).observe(document.querySelector('.wpw-live'), {subtree: true, childList: true});
}"""
BELOW = "document.querySelector('.wpw-live').getBoundingClientRect().bottom < 0"
PHASES = [
    "The kernel wakes",
    "The kernel is awake",
    "A waits",
    "A has its answer",
    "B waits",
    "B has its answer",
    "B again has its answer",
    "All have their answers",
    "live, in this tab",
    "Not measured",
]


@pytest.mark.part("site", why="one click in the base shows that it runs")
def test_it_is_said_while_it_happens_and_drawn_behind_it(address, browser):
    """Nothing is drawn while somebody waits: that would hold the guest up, and be measured."""
    with visit(browser, address) as seen:
        seen.page.evaluate(WATCH)
        seen.page.click(FIRST)
        seen.page.evaluate("scrollTo({top: 1e6, behavior: 'instant'})")
        assert seen.page.evaluate(BELOW)
        data(seen.page)
        assert seen.page.evaluate(BELOW)  # who has read on is not taken back to the box
        looks = seen.page.evaluate("seen")
        order = list(dict.fromkeys(phase for words, _ in looks for phase in PHASES if words.startswith(phase)))
        assert order == [*PHASES[:-2], order[-1]] and order[-1] in PHASES[-2:], order
        assert {drawn for words, drawn in looks if words.startswith(tuple(PHASES[:-3]))} == {0}, looks
        assert looks[-1][1] == 2


RESTORES, OLD = 20, 5  # from the fifth on, a run is a small part of the page's age


@pytest.mark.part("site", why="twenty runs take half a minute")
def test_twenty_restores_in_a_row(address, browser, record_property):
    """Each machine is as it was saved: the client has learnt nothing of the runs before. And none stands still: where a
    restore upsets the guest's clock, it leaps ahead by the page's age, and the guest waits for as long (live.js)."""
    with visit(browser, address) as seen:
        seen.page.click(FIRST)
        runs, ages_ms = [data(seen.page)], [0]
        while len(runs) < RESTORES:
            ages_ms.append(seen.page.evaluate("performance.now()"))
            runs.append(click(seen.page, AGAIN))
        assert [differences(run) for run in runs] == [[]] * RESTORES and seen.errors == []
        took_ms = [run["page"]["click_to_shown_ms"] for run in runs]
        assert all(took < age for took, age in list(zip(took_ms, ages_ms, strict=True))[OLD - 1 :]), took_ms
        kept = [run for run in runs if run["measured"]]
        record_property("not_measured", RESTORES - len(kept))
        assert kept, [run.get("reason") for run in runs]


@pytest.mark.part("site", why="one click in the base shows that it runs")
def test_traced_each_of_the_chapters_stacks_is_beside_the_one_that_was_seen(address, browser):
    expected = sorted(path.stem for path in REPOSITORY.glob("labs/cases/frag_needed/expected/*.txt"))
    with visit(browser, address) as seen:
        seen.page.click(FIRST)
        data(seen.page)
        assert differences(click(seen.page, TRACED)) == []
        names = seen.page.locator(".wpw-live-pictures [data-picture^=stack-]").evaluate_all(
            "each => each.map(one => one.dataset.picture)"
        )
        assert names == [f"stack-{name}" for name in expected] and seen.errors == []


@pytest.mark.part("site", why="one click in the base shows that it runs")
def test_told_beforehand_and_again_in_the_same_page(address, browser):
    with visit(browser, address) as seen:
        seen.page.click(FIRST)
        runs = [data(seen.page), *(click(seen.page, button) for button in (TOLD, AGAIN, TOLD, AGAIN))]
        told = [False, True, False, True, False]
        assert [differences(run, each) for run, each in zip(runs, told, strict=True)] == [[]] * len(runs)
        assert seen.page.locator(".wpw-live-times tbody tr").count() == 1 + len(runs)
        assert seen.errors == []


@pytest.mark.part("site", why="one click in the base shows that it runs")
def test_from_a_folder_on_the_disk(address, built_site, browser):
    with visit(browser, f"{built_site.as_uri()}/{PAGE}") as seen:
        seen.page.click(FIRST)
        assert differences(data(seen.page)) == []
        assert seen.errors == [] and [url for url in seen.abroad if not url.startswith("file:")] == []


def terminal(page) -> None:
    """A terminal, open, after a first run."""
    page.click(FIRST)
    data(page)
    page.click(TERMINAL)
    printed(page, "mininet>")


def printed(page, words) -> None:
    """Waits until a screen reader could read the words in the terminal."""
    page.locator(".xterm-accessibility-tree", has_text=words).wait_for(state="attached", timeout=RUN_MS)


def in_terminal(page) -> bool:
    """Whether the keyboard is the terminal's."""
    return page.evaluate("document.activeElement.closest('.xterm') !== null")


@pytest.mark.part("site", why="one click in the base shows that it runs")
@pytest.mark.parametrize("opened", ["server", "folder"])
def test_a_terminal_at_the_client_by_keyboard_alone(address, built_site, browser, opened):
    with visit(browser, address if opened == "server" else f"{built_site.as_uri()}/{PAGE}") as seen:
        page = seen.page
        page.wait_for_load_state("networkidle")
        terminal(page)
        assert in_terminal(page) and page.locator(AGAIN).is_disabled()
        page.keyboard.type("client echo '<b id=markup>' $((6 * 7))\n")
        printed(page, "<b id=markup> 42")
        assert page.locator("#markup").count() == 0
        page.keyboard.type("client ip route get server\n")  # a name is its address
        printed(page, re.compile(r"10\.0\.0\.6 dev client-eth0 src 10\.0\.0\.1.*cache\s*mininet>", re.DOTALL))
        page.keyboard.type("fault")
        page.keyboard.press("Tab")  # the prompt's, which knows only two commands that begin so
        printed(page, "mininet> fault_o")
        assert in_terminal(page)
        page.keyboard.press("Escape")
        page.keyboard.press("Tab")
        assert page.evaluate("document.activeElement.textContent") == "Close the terminal"
        page.keyboard.press("Enter")
        page.locator(f"{TERMINAL}:focus").wait_for(timeout=RUN_MS)
        assert page.locator(".xterm").count() == 0 and "its machine has ended" in said(page)
        assert click(page, TOLD)["told"] is True
        assert seen.errors == [] and [url for url in seen.abroad if not url.startswith("file:")] == []


@pytest.mark.part("site", why="one click in the base shows that it runs")
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_axe_finds_nothing_in_a_terminal(address, browser, scheme):
    with visit(browser, address, scheme=scheme, reduced_motion="reduce") as seen:
        terminal(seen.page)
        assert violations(seen.page, within=BOX) == []


@pytest.mark.part("site", why="one click in the base shows that it runs")
def test_a_terminal_fits_a_narrow_screen_and_ends_with_its_shell(address, browser):
    with visit(browser, address, width=390) as seen:
        page = seen.page
        terminal(page)
        assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
        drawn, room = (page.locator(name).bounding_box() for name in (".xterm-screen", ".wpw-live-screen"))
        assert room["width"] - 40 < drawn["x"] + drawn["width"] - room["x"] < room["width"]
        page.keyboard.type("exit\n")
        page.locator(f"{TERMINAL}:focus").wait_for(timeout=RUN_MS)
        assert page.locator(".xterm").count() == 0 and "its machine has ended" in said(page)


@pytest.mark.part("site", why="one click in the base shows that it runs")
def test_a_terminal_whose_machine_breaks_goes_and_the_next_click_works(address, browser):
    with visit(browser, address) as seen:
        page = seen.page
        terminal(page)
        page.keyboard.type("client dd if=/dev/zero of=/dev/sda bs=4k count=1 oflag=direct\n")
        page.locator(".wpw-live-said", has_text="leave its disk as it is").wait_for(timeout=RUN_MS)
        assert page.locator(".xterm").count() == 0
        assert click(page, AGAIN)["counters"]["IpFragFails"] == 1


@contextlib.contextmanager
def answering(page, name, **answer):
    """What the server says for one of the files."""
    page.route(f"**/live/*/{name}", lambda route: route.fulfill(**answer))
    yield
    page.unroute(f"**/live/*/{name}")


@pytest.mark.parametrize(
    "name, answer, words",
    [
        ("state.zst", {"body": "another state"}, "state.zst is damaged, or not of this build"),
        ("libv86.js", {"body": "globalThis.V86 = null"}, "libv86.js could not be loaded, or is not the file"),
        ("v86.wasm.gz", {"status": 404}, "v86.wasm.gz could not be loaded: the server said 404"),
        ("disks.json", {"body": "{}"}, "disks.json is damaged, or not of this build"),
    ],
)
def test_a_misfit_is_one_sentence_and_the_next_click_works(address, browser, name, answer, words):
    with visit(browser, address) as seen:
        page = seen.page
        with answering(page, name, **answer):
            page.click(FIRST)
            page.locator(".wpw-live-said", has_text="could not be run here").wait_for(timeout=RUN_MS)
        assert words in said(page) and page.locator(SEEN).count() == 0
        assert page.locator("figure", has_text="refused by its own host").first.is_visible()
        page.click(FIRST)
        assert data(page)["counters"]["IpFragFails"] == 1


def test_a_tab_in_the_background_is_not_measured(address, browser):
    with visit(browser, address) as seen:
        seen.page.evaluate("Object.defineProperty(document, 'hidden', {get: () => true})")
        seen.page.click(FIRST)
        run = data(seen.page)
        assert run["measured"] is False and "the tab was in the background" in run["reason"]
        assert "Not measured" in said(seen.page)


def test_without_script_the_page_is_what_it_was(address, browser):
    with visit(browser, address, java_script_enabled=False) as seen:
        assert seen.page.locator(".wpw-live").is_hidden()
        assert seen.page.locator("figure", has_text="refused by its own host").first.is_visible()


@pytest.mark.part("site", why="axe has read the page itself, in the base")
@pytest.mark.parametrize("scheme, width", [("light", 1280), ("dark", 1280), ("light", 390)])
def test_axe_finds_nothing_in_what_a_run_has_left(address, browser, scheme, width):
    with visit(browser, address, width, scheme=scheme, reduced_motion="reduce") as seen:
        seen.page.click(FIRST)
        data(seen.page)
        unfolded(seen.page)
        assert violations(seen.page, within=BOX) == []


@pytest.mark.part("site", why="one click in the base shows that it runs")
def test_on_a_narrow_screen_the_page_does_not_scroll_sideways(address, browser):
    with visit(browser, address, width=390) as seen:
        seen.page.locator(FIRST).focus()
        seen.page.keyboard.press("Enter")
        data(seen.page)
        unfolded(seen.page)
        assert seen.page.evaluate("document.documentElement.scrollWidth <= innerWidth")
        assert seen.page.evaluate("document.activeElement.dataset.mode") == "fault"  # the focus is not lost


EXTENSIONS = ["myst_nb", "book._ext.recordings.recorded", "book._ext.live.live_run"]


def pages(times: dict) -> dict[str, str]:
    """A small book with a box, and the recorded times that it names."""
    return {
        "index.md": "# Title\n\n:::{live-run} frag-needed run.direct\n:::\n",
        "_recordings/frag-needed.json": json.dumps({"provenance": PROVENANCE, "run": {"direct": times}}),
    }


def test_a_build_without_the_kernel_has_no_box(book):
    built = book(pages({"a_ms": 1.0, "b_ms": 2.0, "b_again_ms": 1.0}), extensions=EXTENSIONS, live_state="")
    assert built.status == 0 and "wpw-live" not in built.page()


def test_a_box_with_a_recording_that_has_no_such_times_is_a_fault(book):
    built = book(pages({"a_ms": 1.0}), extensions=EXTENSIONS, live_state="")
    assert "run.direct.b_ms" in built.warnings


def test_a_plain_file_server_is_enough(built_site, browser):
    """No header of a server's is needed: another one, at another place."""
    with served(built_site.parent) as place, visit(browser, f"{place}/{built_site.name}/{PAGE}") as seen:
        assert seen.page.locator(FIRST).is_visible() and seen.errors == []
