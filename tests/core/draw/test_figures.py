"""Do figures survive JSON, so that what was recorded is drawn as what was seen?"""

import json
from collections import Counter

import pytest

from core.draw import figures
from core.draw.flame import Flame
from core.draw.ladder import Ladder, ladder
from core.draw.page import Page
from core.draw.tree import markup
from core.serialization import to_json
from core.wire.packet import Packet

QUOTED = Packet(0.0, "10.0.0.1", "10.0.0.2", "tcp", sport=1, dport=80)
PACKETS = [
    Packet(0.0, "10.0.0.1", "10.0.0.2", "tcp", length_bytes=1500, flags="PSH ACK", payload_bytes=1448, seq=1, df=True),
    Packet(0.0001, "10.0.0.2", "10.0.0.1", "icmp", icmp_type=3, icmp_code=4, next_hop_mtu=1480, quoted=QUOTED),
    Packet(0.2071, "10.0.0.1", "10.0.0.2", "ipip", inner=QUOTED, retransmission=True),
]
HOSTS = {"client": ["10.0.0.1"], "server": ["10.0.0.2"]}
SEEN = ladder(PACKETS, HOSTS, "A <b>", notes={0: "a note"}, gap_notes={2: "waits"}, lost={0})
STEP = SEEN.figure()["steps"][0]
QUOTES_ITSELF = to_json(QUOTED)
QUOTES_ITSELF["quoted"] = QUOTES_ITSELF
FLAME = Flame(Counter({("a", "b"): 3, ("a", "c", "d"): 2}), "Calls")
FRAMES = [("seen", "f", "f+0x1"), ("also there", None, "g.isra.0+0x2/0x9"), ("folded", "h", None)]
ROWS = [
    {"state": state, "told": told, "observed": observed, "reason": "it is inlined", "note": None, "source": "net/a.c"}
    for state, told, observed in FRAMES
]
STACK = {"kind": "stack", "title": "S", "ok": True, "summary": "1 frame", "rows": ROWS}


def stored(figure: dict) -> dict:
    """The figure as a recording's file gives it back."""
    return json.loads(json.dumps(figure, sort_keys=True))


@pytest.mark.parametrize("seen", [SEEN, Ladder("", ["alone"], []), FLAME], ids=["ladder", "empty", "flame"])
def test_a_stored_figure_is_drawn_as_what_was_seen(seen):
    figure = stored(seen.figure())
    assert markup(figures.draw(figure)) == seen.html()


def test_a_ladder_comes_back_whole():
    assert Ladder.of(stored(SEEN.figure())) == SEEN
    assert "mss" not in SEEN.figure()["steps"][0]["packet"]  # what is unknown takes no room


def test_numbers_behind_figures_are_records():
    (first, second, third) = figures.rows(SEEN.figure())
    assert (first["packet"], first["note"]) == ("PSH 1448 B, dropped there", "a note") and "remark" not in second
    assert third["remark"] == "207 ms pass: waits"
    assert figures.rows(FLAME.figure())[0] == {"function": "b", "its own": "60.0%", "with callees": "60.0%"}
    assert [row["State"] for row in figures.rows(STACK)] == ["seen", "also there", "inlined"]
    assert figures.rows(figures.table("1 2", "T")) == [] and figures.text(figures.table("1 2", "T")) == "1 2"


def test_functions_and_packets_lead_where_the_page_says():
    ways = {"f": {"href": "#f"}, "g": {"class": "wpw-term", "href": "words.html#g"}}
    html = markup(figures.draw(STACK, Page(function=ways.get)))
    assert '<th scope="row"><a href="#f"><code>f</code></a></th>' in html
    assert '<a class="wpw-term" href="words.html#g"><code>g.isra.0+0x2/0x9</code></a>' in html
    assert figures.functions(STACK) == ["f", "g", "h"]
    said = figures.packets(SEEN.figure())
    html = markup(figures.draw(SEEN.figure(), Page(packet={said[0]: ("ip_exceeds_mtu", "#there")}.get)))
    assert html.count('data-function="ip_exceeds_mtu" data-source="#there"') == 1


@pytest.mark.parametrize(
    "figure, why",
    [
        (None, "expected a figure (one of stack"),
        ({"kind": "html", "html": "<p>"}, "expected a figure (one of stack"),
        ({"kind": "ladder", "title": "T"}, "not whole, a figure of kind ladder: figure: 'hosts' is missing"),
        (SEEN.figure() | {"hosts": ["client"]}, "not whole, a figure of kind ladder"),
        (SEEN.figure() | {"steps": [{"packet": {"colour": "red"}}]}, "figure.steps[0]: 'start' is missing"),
        (
            SEEN.figure() | {"steps": [STEP | {"packet": {"colour": "red"}}]},
            "steps[0].packet: there is no 'colour' in it",
        ),
        (
            SEEN.figure() | {"steps": [STEP | {"packet": QUOTES_ITSELF}]},
            "not whole, a figure of kind ladder: Recursion",
        ),
        (
            SEEN.figure() | {"gap_notes": {"two": ""}},
            "figure.gap_notes: expected a whole number as a name, found 'two'",
        ),
        (SEEN.figure() | {"gap_notes": {"2": 3}}, "figure.gap_notes.2: expected str, found int"),
        (STACK | {"rows": [{}]}, "not whole, a figure of kind stack"),
        (
            {"kind": "flame", "title": "", "stacks": ["a;b"]},
            "not whole, a figure of kind flame: figure.stacks[0]: expected",
        ),
        ({"kind": "flame", "title": ""}, "not whole, a figure of kind flame: figure.stacks: expected list"),
    ],
)
def test_what_is_not_whole_is_said(figure, why):
    with pytest.raises(figures.NoFigure) as refused:
        figures.draw(figure)
    assert why in str(refused.value)
