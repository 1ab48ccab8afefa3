"""Is a bar as long as its number, and a line where its numbers are?"""

import json
import re

import pytest

from tests.site.conftest import PROVENANCE

RECORDING = {
    "provenance": PROVENANCE,
    "run": {"half": 50, "full": 100, "little_more": 101, "more": 1230, "none": -3},
    "points": {
        "16": {"us": 1700.0, "fixed": {"us": 90.0}},
        "2": {"us": 300.0, "fixed": {"us": 70.0}},
        "4": {"us": 500.0},
    },
}
ROW = "{bar}`case run.%s run.full ,.0f`"
GROWTH = """:::{growth} case points
:x: addresses
:y: one send, ms
:per: 1000
:lines: ["as it <is>: us", "fixed: fixed.us"]

A *caption*.
:::
"""


def built(book, text: str, builder: str = "html"):
    """A page with this on it."""
    return book({"index.md": f"# Page\n\n{text}\n", "_recordings/case.json": json.dumps(RECORDING)}, builder=builder)


@pytest.mark.parametrize(
    "name, number, drawn",
    [
        ("full", "100", "M0 0H120.0V10H0z"),
        ("half", "50", "M0 0H60.0V10H0z"),
        ("none", "-3", "M0 0H0.0V10H0z"),
        ("more", "1,230", "M0 0H96l-4 10H0zM104 0H120V10H100z"),
    ],
)
def test_a_bar_is_as_long_as_its_number_and_cut_if_far_longer_than_full(book, name, number, drawn):
    made = built(book, ROW % name)
    assert (made.status, made.warnings) == (0, "")
    assert f'<span class="wpw-recorded">{number}</span><svg' in made.page() and f'd="{drawn}"' in made.page()
    assert 'aria-hidden="true"' in made.page() and number in built(book, ROW % name, "text").page()


@pytest.mark.parametrize(
    "text, message",
    [
        ("{bar}`case run.half`", "expected 'CASE PATH FULL FORMAT', found 'case run.half'"),
        ("{bar}`case run.third run.full .0f`", "has no 'run.third'"),
        ("{bar}`case run.half run .0f`", "no single value"),
        (ROW % "little_more", "run.little_more is 1.01 times run.full. Next: let run.little_more be full"),
        ("{bar}`case run.half run.full d,d`", "Invalid format specifier"),
    ],
)
def test_what_a_bar_lacks_stops_the_build(book, text, message):
    made = built(book, text)
    assert made.status == 1 and message in made.warnings


def test_a_line_goes_through_its_numbers_on_linear_axes(book):
    made = built(book, GROWTH)
    assert (made.status, made.warnings) == (0, "")
    page = made.page()
    lines = [
        [tuple(map(float, point.split())) for point in line.split("L")]
        for line in re.findall(r'class="wpw-run-of" d="M([^"]+)"', page)
    ]
    as_it_is, fixed = sorted(lines, key=len, reverse=True)
    (x2, y2), (x4, y4), (x16, y16) = as_it_is
    assert (x16 - x2) / (x4 - x2) == pytest.approx(7, abs=0.1) and (y2 - y16) / (y2 - y4) == pytest.approx(7, abs=0.1)
    assert [x for x, _ in fixed] == [x2, x16] and all(y > y2 for _, y in fixed)
    assert ">as it &lt;is&gt;</text>" in page and "A <em>caption</em>." in page and "Recorded 2026-11-20" in page
    said = re.search(r'role="img" aria-label="([^"]+)"', page)[1]
    assert said.startswith("one send, ms, by addresses, both axes linear. as it &lt;is&gt;: 2: 0.3, 4: 0.5, 16: 1.7;")
    assert "fixed: 2: 0.07, 16: 0.09." in built(book, GROWTH, "text").page()


def test_a_line_ends_where_the_page_wants_it(book):
    near = " ".join(built(book, GROWTH.replace(":per: 1000", ":per: 1000\n:to: 4"), "text").page().split())
    assert "as it <is>: 2: 0.3, 4: 0.5;" in near and "fixed: 2: 0.07." in near


@pytest.mark.parametrize(
    "old, new, message",
    [
        ("case points", "case point", "has no 'point'"),
        ("case points", "case run.half", "'run.half' is 50, no table"),
        ("fixed.us", "mended.us", "no entry of 'points' has 'mended.us'"),
        (":per: 1000", ":to: 1", "no entry of 'points' has 'us'"),
        (":x: addresses\n", "", "option 'x' is missing"),
        ('"]', "", "Unterminated"),
    ],
)
def test_what_a_line_lacks_stops_the_build(book, old, new, message):
    made = built(book, GROWTH.replace(old, new, 1))
    assert made.status == 1 and message in made.warnings


def test_names_at_the_ends_of_lines_do_not_lie_on_each_other(book):
    same = GROWTH.replace("fixed.us", "us")
    ends = [float(y) for y in re.findall(r'wpw-name" x="458" y="([\d.]+)"', built(book, same).page())]
    assert len(ends) == 2 and abs(ends[0] - ends[1]) >= 17
