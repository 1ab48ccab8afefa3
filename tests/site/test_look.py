"""Does a look show what was recorded, say which line tells, and refuse what was not?"""

import json

import pytest

from tests.site.conftest import PROVENANCE

LOOK = {
    "on": "client",
    "command": "ip route get 10.0.0.2",
    "lines": ["10.0.0.2 dev <eth0>", "  cache mtu 1480"],
    "telling": [1],
    "control": ["10.0.0.2 dev eth0"],
    "describes": False,
}
ALIKE = {"cause": "a <lost> segment", "lines": ["asks", "waits by on"], "telling": [1]}
FOR_IT_ALONE = {"expect": "", "telling": [], "look_alike": ALIKE}
PAGE = "# Page\n\n:::{look} frag exception\n*Look* for an MTU.\n:::\n"


def pages(look: dict | None = LOOK, text: str = PAGE) -> dict[str, str]:
    """A page with one look, beside the recording that it comes from."""
    recording = {"provenance": PROVENANCE, "on_call": {"exception": look} if look else {}}
    return {"index.md": text, "_recordings/frag.json": json.dumps(recording)}


def test_everything_comes_from_the_recording(book):
    built = book(pages())
    assert (built.status, built.warnings) == (0, "")
    page = built.page()
    assert 'id="look-frag-exception"' in page and "<em>Look</em> for an MTU" in page
    assert "ip<span" in page or "ip route get 10.0.0.2" in page
    assert '<span class="wpw-telling"><span class="visually-hidden">look here: </span>  cache mtu 1480</span>' in page
    assert "<span>10.0.0.2 dev &lt;eth0&gt;</span>" in page and "In the control:" in page
    assert "Recorded 2026-11-20" in page


def test_it_reads_as_plain_text(book):
    said = book(pages(), builder="text").page()
    assert ">   cache mtu 1480" in said and "ip route get 10.0.0.2" in said and "Look* for an MTU" in said


@pytest.mark.parametrize(
    "changed, words",
    [
        ({"describes": True}, "With the fault, and perhaps in the control:"),
        ({"control": []}, "With the fault; in the control it said nothing:"),
    ],
)
def test_what_is_said_of_the_control(book, changed, words):
    built = book(pages(LOOK | changed))
    assert built.status == 0 and built.page().count("With the fault") == 1
    assert words in built.page() and "In the control:" not in built.page()


MARKED = '<span class="wpw-telling"><span class="visually-hidden">look here: </span>'


def test_the_look_alike_comes_last_and_its_lines_are_marked(book):
    built = book(pages(LOOK | {"look_alike": ALIKE}))
    assert (built.status, built.warnings) == (0, "")
    page = built.page()
    assert (
        page.index("In the control:") < page.index("With a &lt;lost&gt; segment instead:") < page.index("waits by on")
    )
    assert f"{MARKED}  cache mtu 1480</span>" in page and f"{MARKED}waits by on</span>" in page
    assert 'aria-label="Output of exception with a &lt;lost&gt; segment"' in page


def test_a_look_that_was_not_typed_there_says_nothing_of_it(book):
    page = book(pages(LOOK | {"look_alike": None})).page()
    assert "In the control:" in page and "instead" not in page


def test_what_is_for_the_look_alike_shows_it_first(book):
    built = book(pages(LOOK | FOR_IT_ALONE))
    assert (built.status, built.warnings) == (0, "")
    page = built.page()
    said = [
        "With a &lt;lost&gt; segment:",
        f"{MARKED}waits by on",
        "With the fault:",
        "cache mtu 1480",
        "In the control:",
    ]
    assert [page.index(words) for words in said] == sorted(page.index(words) for words in said)
    assert page.count(MARKED) == 1
    assert "In the control it said nothing." in book(pages(LOOK | FOR_IT_ALONE | {"control": []})).page()


def test_a_page_about_the_look_alike_shows_nothing_else(book):
    text = PAGE.replace("exception\n", "exception\n:alike:\n\n")
    for look in (LOOK | {"look_alike": ALIKE}, LOOK | FOR_IT_ALONE):
        built = book(pages(look, text))
        assert (built.status, built.warnings) == (0, "")
        page = built.page()
        assert "With a &lt;lost&gt; segment:" in page and f"{MARKED}waits by on</span>" in page
        assert "<em>Look</em> for an MTU" in page and 'id="look-frag-exception"' in page
        assert "In the control" not in page and "With the fault" not in page and "cache mtu" not in page


@pytest.mark.parametrize(
    "look, option, message",
    [
        (LOOK, True, "the look 'exception' was not typed in a look-alike. Next: ./lab record frag"),
        (LOOK | {"look_alike": None}, True, "was not typed in a look-alike"),
        (LOOK | {"look_alike": {"cause": "", "lines": []}}, False, "'exception' lacks telling of its look-alike"),
        (LOOK | {"look_alike": ALIKE | {"telling": []}}, False, "no recorded line of 'exception' tells its look-alike"),
        (LOOK | FOR_IT_ALONE | {"expect": "mtu"}, False, "no recorded line of 'exception' is what it looks for"),
        (LOOK | FOR_IT_ALONE | {"expect": "mtu"}, True, "no recorded line of 'exception' is what it looks for"),
    ],
)
def test_a_look_alike_that_was_not_recorded_stops_the_build(book, look, option, message):
    built = book(pages(look, PAGE.replace("exception\n", "exception\n:alike:\n\n") if option else PAGE))
    assert built.status == 1 and message in built.warnings and "index.md:3: ERROR" in built.warnings


@pytest.mark.parametrize(
    "look, message",
    [
        (None, "_recordings/frag.json has no look 'exception' (none at all). Next: ./lab record frag"),
        (LOOK | {"telling": []}, "no recorded line of 'exception' is what it looks for"),
        ({"on": "client", "command": "ip", "telling": [0]}, "the look 'exception' lacks lines, control, describes"),
    ],
)
def test_what_was_not_recorded_stops_the_build(book, look, message):
    built = book(pages(look))
    assert built.status == 1 and message in built.warnings and "index.md:3: ERROR" in built.warnings


def test_where_looks_were_recorded_is_said_once_and_last(book):
    page = book(pages(text=PAGE + PAGE.replace("# Page", "## Again"))).page()
    assert page.count("Recorded 2026-11-20") == 1
    assert page.index("Recorded 2026-11-20") > page.index('id="look-frag-exception-2"')


def test_what_is_said_under_the_title_is_not_said_again(book):
    built = book(pages(text=PAGE.replace("# Page\n", "# Page\n\n{recorded}`frag on_call.exception.command`\n")))
    assert (built.status, built.warnings) == (0, "")
    assert built.page().count("Recorded 2026-11-20") == 1
    assert built.page().index("Recorded 2026-11-20") < built.page().index('id="look-frag-exception"')


def test_each_case_has_its_own_words_where_they_differ(book):
    other = {"provenance": PROVENANCE | {"date": "2026-11-21"}, "on_call": {"exception": LOOK}}
    files = pages(text=PAGE + PAGE.replace("# Page", "## Again").replace("frag", "other"))
    page = book(files | {"_recordings/other.json": json.dumps(other)}).page()
    assert "frag: Recorded 2026-11-20" in page and "other: Recorded 2026-11-21" in page


def test_a_look_twice_on_a_page_has_two_places(book):
    built = book(pages(text=PAGE + PAGE.replace("# Page", "## Again")))
    assert built.status == 0 and 'id="look-frag-exception-2"' in built.page()
