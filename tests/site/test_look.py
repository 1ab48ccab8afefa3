"""Does a look show what was recorded, say which line tells, and refuse what was not?"""

from __future__ import annotations

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
