"""Are pictures of state drawn from what was recorded, in order, and can everyone step through them?"""

import json
import re
import tomllib

import pytest

from host.paths import REPOSITORY
from tests.site.browsing import visit
from tests.site.conftest import PROVENANCE

RECORDING = {
    "provenance": PROVENANCE,
    "run": {
        "mss": 1448,
        "later_mss": 1428,
        "waiting_bytes": 1448,
        "left_bytes": 0,
        "at_s": 0.0225,
        "left_after_ms": 2.5,
    },
}
DESCRIBED = """
rows = [["sender"], ["wide", "narrow"], ["wire"]]
[boxes.sender]
title = "Socket <B>"
fields = ["MSS", "queue", "timer"]
[boxes.wide]
title = "Wide"
fields = []
[boxes.narrow]
title = "Narrow"
fields = []
[boxes.wire]
title = ""
fields = ["packets"]
passing = true
[[states]]
when = "before"
sender = { MSS = "{run.mss}", queue = [], keeps = "wide" }
narrow = { is = "not there" }
[[states]]
at = ["run.at_s"]
sender.queue = ["run.waiting_bytes", "run.left_bytes", "run.mss - run.later_mss"]
sender.timer = "probe, {run.left_after_ms:.1f} ms"
wide = { is = "stale" }
wire = { packets = "one of {run.later_mss} bytes" }
narrow = { is = "" }
[[states]]
when = "until {}"
at = ["run.at_s", "run.left_after_ms"]
waits = true
sender = { MSS = "{run.later_mss}", keeps = "narrow" }
"""
PAGE = "# Page\n\n::::{states} frag\nA *caption*.\n\n1. **One.** First.\n2. Second.\n3. Third.\n::::\n"


def pages(described: str = DESCRIBED, recording: dict = RECORDING, page: str = PAGE) -> dict[str, str]:
    """A page with a picture of three states, its description and the recording."""
    return {"index.md": page, "_states/frag.toml": described, "_recordings/frag.json": json.dumps(recording)}


def drawn(book, **changed) -> list[str]:
    """The states as they were drawn."""
    recording = RECORDING | {"run": RECORDING["run"] | changed}
    built = book(pages(recording=recording), states="_states")
    assert (built.status, built.warnings) == (0, "")
    return re.findall(r"<svg viewBox.*?</svg>", built.page())


def chips(svg: str) -> list[str]:
    """The sizes in the queues."""
    return re.findall(r'class="wpw-size"[^>]*>(\d+)<', svg)


def test_a_state_is_the_one_before_it_and_what_has_changed(book):
    first, second, third = drawn(book)
    assert chips(first) == [] and chips(second) == chips(third) == ["1448", "20"]
    assert '<tspan class="wpw-told">1448</tspan>' in first and '<tspan class="wpw-told">1428</tspan>' in third
    assert '<tspan class="wpw-follows">probe, </tspan><tspan class="wpw-told">2.5</tspan>' in second
    assert ">not there</text>" in first and ">stale</text>" not in first and ">stale</text>" in second
    assert [svg.count("wpw-ground") for svg in (first, second, third)] == [0, 3, 1]
    assert ["wpw-keeps changed" in svg for svg in (first, second, third)] == [False, False, True]
    assert ["one of" in svg for svg in (first, second, third)] == [False, True, False]
    assert all(svg.count("wpw-waits") == 1 for svg in (first, second, third))


def test_a_number_in_the_recording_is_the_number_in_the_picture(book):
    before = drawn(book)
    assert chips(drawn(book, left_bytes=7)[1]) == ["1448", "7", "20"]
    assert chips(drawn(book, waiting_bytes=0, later_mss=1448)[1]) == []
    later = drawn(book, at_s=0.2)
    assert "22.5 ms<" in before[1] and "200.0 ms<" in later[1] and "until 202.5 ms<" in later[2]
    ends = [{re.search(r'class="wpw-ends"[^>]*>(\d+) ms<', svg)[1] for svg in svgs} for svgs in (before, later)]
    assert ends[0] != ends[1] and len(ends[0]) == len(ends[1]) == 1
    spot = re.compile(r'class="wpw-now" cx="([\d.]+)"')
    assert (
        spot.search(before[1])[1] != spot.search(later[1])[1] and spot.search(before[0])[1] == spot.search(later[0])[1]
    )


def test_a_picture_says_in_words_what_it_shows(book):
    said = re.search(r'role="img" aria-label="([^"]*)"', drawn(book)[1])[1]
    assert said.startswith("22.5 ms. Socket &lt;B&gt;: MSS: 1448, queue: 1448 bytes and 20 bytes, timer: probe, 2.5 ms")
    assert said.endswith(", keeps: Wide (stale). Wide (stale). Narrow. packets: one of 1428 bytes.")


def test_arrows_arrive_in_the_order_of_the_description(book):
    """Not in that of a set, which is another in each process: the same sources give the same bytes."""
    keepers = [f"s{number}" for number in range(8)]
    described = "\n".join(
        [
            f"rows = [{keepers[:4]}, {keepers[4:]}, ['kept']]",
            *(f"[boxes.{name}]\ntitle = '{name}'\nfields = []" for name in [*keepers, "kept"]),
            "[[states]]",
            *(f"{name}.keeps = 'kept'" for name in keepers),
        ]
    )
    built = book(pages(described, page=PAGE.replace("2. Second.\n3. Third.\n", "")), states="_states")
    assert (built.status, built.warnings) == (0, "")
    ends = re.findall(r'class="wpw-keeps"><path d="M([\d.]+) [^"]* ([\d.]+) [\d.]+"', built.page())
    assert len(ends) == len(keepers) and [float(end) for _, end in ends] == sorted(float(end) for _, end in ends)
    starts = [float(start) for start, _ in ends]
    assert starts == sorted(starts[:4]) + sorted(starts[4:])  # a row from left to right, then the next


def test_words_stand_beside_their_state_and_the_origin_below(book):
    page = book(pages(), states="_states").page()
    assert re.search(
        r'<ol class="[^"]*wpw-strip[^"]*">\s*<li><svg.*?</svg><p><strong>One\.</strong> First', page, re.DOTALL
    )
    assert "A <em>caption</em>." in page and "Recorded 2026-11-20" in page and 'href="_data/frag.json"' in page
    assert "queue: empty" in book({}, builder="text", states="_states").page()


@pytest.mark.parametrize(
    "old, new, message",
    [
        ("run.mss", "run.rss", "has no 'run.rss'"),
        (
            'keeps = "narrow"',
            'keeps = "broad"',
            "state 3: sender keeps 'broad', which is no box (sender, wide, narrow, wire)",
        ),
        ("timer = ", "clock = ", "state 2: sender has no field 'clock' (MSS, queue, timer)"),
        ("wide = {", "broad = {", "state 2: 'broad' is no box"),
        ('["run.at_s"]', '["run.mss"]', "run.mss: expected a name that ends with _ms or _s"),
        ('["run.at_s", "run.left_after_ms"]', '["run.left_after_ms"]', "state 3: at 2.5 ms, expected none before 22.5"),
        ('[["sender"], ', "[", "rows: expected each of sender, wide, narrow, wire once"),
        ("rows = ", "lines = ", "'rows' is missing"),
        ("{ is", "{ is is", "Expected '='"),
    ],
)
def test_what_the_description_gets_wrong_stops_the_build(book, old, new, message):
    assert old in DESCRIBED
    built = book(pages(DESCRIBED.replace(old, new, 1)), states="_states")
    assert (
        built.status == 1 and "index.md:3: ERROR: _states/frag.toml: " in built.warnings and message in built.warnings
    )


COUNTED = """
counts = "questions"
rows = [["best"]]
[boxes.best]
title = "Best"
fields = ["address"]
[[states]]
adds = ["run.first", "run.second"]
best = { address = "{run.mss}" }
[[states]]
adds = ["run.second"]
"""
TABLES = {"first": {"INIT": 0}, "second": {"INIT": 1, "SCOPE": -14}}


def test_what_is_counted_stands_on_the_line(book):
    recording = RECORDING | {"run": RECORDING["run"] | TABLES}
    built = book(pages(COUNTED, recording, PAGE.replace("3. Third.\n", "")), states="_states")
    assert (built.status, built.warnings) == (0, "")
    first, second = re.findall(r"<svg viewBox.*?</svg>", built.page())
    assert ">3 questions<" in first and ">5 questions<" in second and " ms" not in first + second
    assert re.search(r'class="wpw-ends"[^>]*>5<', first)


def test_a_picture_without_times_has_no_line(book):
    described = COUNTED.replace('counts = "questions"', "").replace("adds = ", "# adds = ")
    recording = RECORDING | {"run": RECORDING["run"] | TABLES}
    built = book(pages(described, recording, PAGE.replace("3. Third.\n", "")), states="_states")
    assert (built.status, built.warnings) == (0, "") and "wpw-line" not in built.page() and " ms" not in built.page()
    assert 'aria-label="Best: address: 1448."' in built.page()


def test_a_case_may_have_a_second_picture(book):
    built = book(
        pages() | {"_states/frag-two.toml": DESCRIBED, "index.md": PAGE.replace("frag", "frag two")}, states="_states"
    )
    assert (built.status, built.warnings) == (0, "") and built.page().count("<svg viewBox") == 3
    assert (
        "_states/frag-three.toml" in book({"index.md": PAGE.replace("frag", "frag three")}, states="_states").warnings
    )


def test_a_time_may_say_its_unit_itself(book):
    recording = RECORDING | {"run": RECORDING["run"] | {"pairs": [[22.5, 1448]]}}
    described = DESCRIBED.replace('"run.at_s"', '"run.pairs.0.0 ms"')
    built = book(pages(described, recording), states="_states")
    assert (built.status, built.warnings) == (0, "") and ">22.5 ms<" in built.page()


RULED = """
rows = [["bytes"]]
[boxes.bytes]
title = "To scale"
fields = ["asked", "made"]
ruler = true
[[states]]
bytes = { asked = ["run.mss", "run.mss"], made = ["run.later_mss", "run.mss - run.later_mss", "run.mss"] }
[[states]]
bytes = { made = ["without run.later_mss", "run.mss"] }
"""


def test_a_ruler_has_one_scale_and_shows_what_is_missing(book):
    built = book(pages(RULED, page=PAGE.replace("3. Third.\n", "")), states="_states")
    assert (built.status, built.warnings) == (0, "")
    first, second = re.findall(r"<svg viewBox.*?</svg>", built.page())
    drawn = re.compile(r'<rect class="wpw-chip([^"]*)" x="([\d.]+)" y="[\d.]+" width="([\d.]+)"')
    asked, again, cut, rest, last = [(float(x), float(width)) for _, x, width in drawn.findall(first)]
    assert asked[0] == cut[0] and last[0] + last[1] == pytest.approx(again[0] + again[1], abs=0.1)
    assert cut[1] / asked[1] == pytest.approx(1428 / 1448, abs=0.001)
    assert rest[1] / asked[1] == pytest.approx(20 / 1448, abs=0.001) and chips(first).count("20") == 0  # no room for it
    assert [kind for kind, *_ in drawn.findall(second)] == ["", "", " missing", ""]
    assert chips(second) == ["1448", "1448", "1428", "1448"] and "made: 1428 missing and 1448 bytes" in second


DIGITS_H = 7.3  # of DejaVu Sans at 10 pixels, without an outline's width


@pytest.mark.parametrize(
    "described, page", [(DESCRIBED, PAGE), (RULED, PAGE.replace("3. Third.\n", ""))], ids=["a queue", "a ruler"]
)
def test_an_outline_does_not_touch_its_digits(book, described, page):
    html = book(pages(described, page=page), states="_states").page()
    written = re.findall(
        r'class="wpw-chip[^"]*" x="[^"]*" y="([^"]*)" width="[^"]*" height="([^"]*)" rx="2"\s*/?>(?:</rect>)?'
        r'<text class="wpw-size" x="[^"]*" y="([^"]*)"',
        html,
    )
    assert written
    for top, height, line in (map(float, each) for each in written):
        assert top + 1 < line - DIGITS_H and line < top + height - 1


@pytest.mark.parametrize(
    "described, message",
    [
        (DESCRIBED.replace('at = ["run.at_s"]', 'adds = ["run"]'), "state 2: expected `at` where states are timed"),
        (COUNTED.replace("adds", "at", 1), "state 1: expected `at` where states are timed"),
        (COUNTED.replace("run.second", "run.mss", 1), "'run.mss' is 1448, no table"),
    ],
)
def test_times_and_counts_are_not_mixed(book, described, message):
    recording = RECORDING | {"run": RECORDING["run"] | TABLES}
    built = book(pages(described, recording), states="_states")
    assert built.status == 1 and message in built.warnings


def test_the_state_that_is_shown_first_is_marked(book):
    page = book(pages(page=PAGE.replace("frag\n", "frag\n:open: 2\n\n")), states="_states").page()
    assert [found[0] for found in re.finditer(r'<li( class="wpw-opens")?><svg', page)] == [
        "<li><svg",
        '<li class="wpw-opens"><svg',
        "<li><svg",
    ]
    built = book(pages(page=PAGE.replace("frag\n", "frag\n:open: 4\n\n")), states="_states")
    assert built.status == 1 and "opens at state 4, of 3" in built.warnings


@pytest.mark.parametrize(
    "page, message",
    [
        (PAGE.replace("3. Third.\n", ""), "3 states, and 2 in the page's list"),
        (PAGE.replace("A *caption*.", ""), "expected a caption and a numbered list on the page"),
    ],
)
def test_each_state_has_its_words(book, page, message):
    built = book(pages(page=page), states="_states")
    assert built.status == 1 and message in built.warnings


CHAPTER = "book/frag-needed"
# Each page's pictures of state.
PICTURES = {
    page.stem: found
    for page in (REPOSITORY / "book").glob("*.md")
    if (found := re.findall(r"^:+\{states\} (.+)$", page.read_text("utf-8"), re.MULTILINE))
}
SEEN = """[...document.querySelector('.wpw-strip').children].map(state => {  // of the page's first picture
    const box = state.getBoundingClientRect();
    return getComputedStyle(state).visibility === 'visible' && box.width > 0 ? [box.left, box.top] : null;
})"""


def seen_now(page) -> list[int]:
    """Which states can be seen."""
    return [number for number, place in enumerate(page.evaluate(SEEN), 1) if place]


def test_keys_and_buttons_lead_through_the_states(site, browser):
    with visit(browser, f"{site}/{CHAPTER}.html", reduced_motion="reduce") as seen:
        page, figure = seen.page, seen.page.locator(".wpw-states").first
        last = figure.locator(".wpw-strip > li").count()
        [opened] = seen_now(page)
        assert last > opened > 1 and figure.locator("[role=status]").inner_text() == f"{opened} of {last}"
        assert "wpw-opens" in figure.locator(".wpw-strip > li").nth(opened - 1).get_attribute("class")
        figure.locator(".wpw-track").focus()
        page.keyboard.press("Home")
        assert seen_now(page) == [1]
        place = page.evaluate(SEEN)[0]
        for number in (2, 3):
            page.keyboard.press("ArrowRight")
            assert seen_now(page) == [number]
        assert page.evaluate(SEEN)[2] == place  # each where the one before it was
        page.keyboard.press("End")
        assert seen_now(page) == [last] and figure.get_by_role("button", name="Next").is_disabled()
        figure.get_by_role("button", name="Back").click()
        assert seen_now(page) == [last - 1]
        figure.get_by_role("button", name="Show all").click()
        assert seen_now(page) == list(range(1, last + 1)) and figure.locator("[role=status]").is_hidden()
        figure.get_by_role("button", name="One at a time").click()
        assert seen_now(page) == [last - 1] and seen.errors == []


@pytest.mark.parametrize("width", [390, 1280])
def test_scrolling_sideways_leads_through_the_states(site, browser, width):
    with visit(browser, f"{site}/{CHAPTER}.html", width) as seen:
        track = seen.page.locator(".wpw-states .wpw-track").first
        track.scroll_into_view_if_needed()
        track.evaluate("track => track.scrollTo({left: 2 * track.clientWidth, behavior: 'instant'})")
        said = re.compile(r"^3 of")
        seen.page.locator(".wpw-states [role=status]", has_text=said).wait_for(state="attached")
        assert seen_now(seen.page) == [3]


def test_without_script_and_on_paper_the_states_are_a_strip(site, browser):
    with visit(browser, f"{site}/{CHAPTER}.html", java_script_enabled=False) as seen:
        states = seen.page.locator(".wpw-strip > li")
        assert states.count() > 5 and all(states.nth(at).is_visible() for at in range(states.count()))
        assert seen.page.locator(".wpw-steps").count() == 0
    with visit(browser, f"{site}/{CHAPTER}.html") as seen:
        seen.page.emulate_media(media="print")
        places = seen.page.evaluate(SEEN)
        assert None not in places and len({tuple(place) for place in places}) == len(places) > 5
        assert seen.page.locator(".wpw-steps").is_hidden()


def test_two_states_are_compared_and_not_stepped_through(site, browser):
    with visit(browser, f"{site}/{CHAPTER}-further.html") as seen:
        pair = seen.page.locator(".wpw-states").first
        assert pair.locator(".wpw-strip > li:visible").count() == pair.locator(".wpw-strip > li").count() == 2
        assert pair.get_by_role("button").count() == 0 and seen.errors == []


@pytest.mark.parametrize("width", [390, 1280])
def test_states_open_at_the_one_that_decides(site, browser, width):
    with visit(browser, f"{site}/book/addr-select.html", width) as seen:
        opens = seen.page.evaluate(
            "1 + [...document.querySelectorAll('.wpw-strip > li')].findIndex(li => li.matches('.wpw-opens'))"
        )
        assert opens > 1 and seen_now(seen.page) == [opens]
        seen.page.locator(".wpw-states").get_by_role("button", name="Back").click()
        assert seen_now(seen.page) == [opens - 1]


@pytest.mark.parametrize("width", [390, 1280])
@pytest.mark.parametrize("name", sorted(PICTURES))
def test_what_is_in_a_box_stays_in_it_and_legible(site, browser, name, width):
    with visit(browser, f"{site}/book/{name}.html", width) as seen:
        found = seen.page.evaluate("""() => [...document.querySelectorAll('.wpw-strip .wpw-part')].map(part => {
            const frame = part.querySelector('.wpw-box').getBoundingClientRect();
            return [...part.querySelectorAll('text, .wpw-chip')].map(each => {
                const box = each.getBoundingClientRect();
                const inside = box.left >= frame.left && box.right <= frame.right;
                return [each.textContent || 'a segment', inside, each.matches('text') ? box.height : Infinity];
            });
        })""")
        described = [
            tomllib.loads((REPOSITORY / f"book/_states/{file.replace(' ', '-')}.toml").read_text())
            for file in PICTURES[name]
        ]
        assert len(found) == sum(len(each["states"]) * len(each["boxes"]) for each in described) and all(found)
        assert [said for part in found for said, inside, height in part if not inside or height < 9] == []
