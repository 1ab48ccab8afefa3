"""Does a ladder show every packet once, in place, in words, and without overlaps?"""

import re
import xml.etree.ElementTree as ElementTree

import pytest

from core.draw.ladder import Ladder, cut_limit_s, duration, ladder
from core.wire.packet import Packet

CLIENT, VIP, BALANCER = "10.0.0.1", "10.0.0.2", "10.0.0.5"
HOSTS = {"client": [CLIENT], "balancer": [VIP, BALANCER], "server": []}


def segment(time_s, payload, **more):
    back = more.pop("back", False)
    src, dst = (VIP, CLIENT) if back else (CLIENT, VIP)
    return Packet(
        time_s,
        src,
        dst,
        "tcp",
        payload + 52,
        flags=more.pop("flags", "PSH ACK"),
        payload_bytes=payload,
        sport=43210,
        dport=443,
        **more,
    )


def frag_needed(time_s, src):
    return Packet(time_s, src, CLIENT, "icmp", 576, icmp_type=3, icmp_code=4, next_hop_mtu=1480)


def place(packet):
    return ("server", "client") if packet.proto == "tcp" and packet.src == VIP else None


def request_a():
    packets = [
        segment(0, 1448, seq=1),
        frag_needed(0.00011, VIP),
        segment(0.00022, 1428, seq=1, flags="ACK", retransmission=True),
        segment(0.0006, 0, flags="ACK", back=True),
    ]
    return ladder(packets, HOSTS, "Request A", place, notes={0: "20 bytes too long"}, lost={0})


def request_b():
    packets = [
        frag_needed(0.00002, CLIENT),
        frag_needed(0.000055, CLIENT),
        segment(0.20776, 1428, seq=1),
        segment(0.2083, 0, flags="ACK", back=True),
    ]
    return ladder(packets, HOSTS, "Request B <stalls>", place, gap_notes={2: "the probe timer runs"})


def crowd(count=40, hosts=5):
    names = {f"h{n}": [f"10.0.0.{n}"] for n in range(hosts)}
    packets = [
        Packet(
            n * 1e-6, f"10.0.0.{n % hosts}", f"10.0.0.{n * 3 % hosts}", "tcp", 1500, flags="PSH ACK", payload_bytes=1448
        )
        for n in range(count)
    ]
    return ladder(packets, names, "Crowd", notes={n: "a remark of several words " * (n % 3) for n in range(count)})


def svg_of(drawn):
    """The picture as XML, which also proves that it is well-formed."""
    return ElementTree.fromstring(re.search(r"<svg.*?</svg>", drawn.html(), re.DOTALL)[0])


def tags(element, name, css=None):
    return [
        found
        for found in element.iter("{http://www.w3.org/2000/svg}" + name)
        if css is None or css in found.get("class", "").split()
    ]


def test_request_a_in_places_and_words():
    drawn = request_a()
    assert [(s.start, s.end) for s in drawn.steps] == [
        ("client", "balancer"),
        ("balancer", "client"),
        ("client", "balancer"),
        ("server", "client"),
    ]
    assert [s.kinds for s in drawn.steps] == [["lost"], ["icmp"], ["again"], ["bare"]]
    assert not any(gap.cut for gap in drawn.gaps())
    for rendering in (drawn.text(), drawn.html(), drawn.summary()):
        for words in ("PSH 1448 B", "ICMP frag needed, MTU 1480", "retransmit 1428 B", "20 bytes too long"):
            assert words in rendering
    assert "X|" in drawn.text() and "dropped there" in drawn.html()


def test_request_b_shows_loops_and_the_stall():
    drawn = request_b()
    assert [gap.cut for gap in drawn.gaps()] == [False, False, True, False]
    assert "208 ms pass: the probe timer runs" in drawn.text()
    assert [s.kinds for s in drawn.steps[:2]] == [["icmp", "loop"]] * 2
    assert "client to itself: ICMP frag needed" in drawn.summary()
    svg = svg_of(drawn)
    assert len(tags(svg, "g", "stall")) == 1 and len(tags(svg, "g", "loop")) == 2
    assert "--." in drawn.text() and "<-'" in drawn.text()


def test_the_picture_has_a_text_alternative():
    drawn = request_b()
    html, svg = drawn.html(), svg_of(drawn)
    title, desc = (tags(svg, name)[0] for name in ("title", "desc"))
    assert svg.get("aria-labelledby").split() == [title.get("id"), desc.get("id")]
    assert title.text == "Request B <stalls>" and "Then 208 ms pass" in desc.text
    assert html.count('scope="row"') == 4 and "<details><summary>" in html
    packets = tags(svg, "g", "wpw-packet")
    assert len(packets) == 4
    for packet, step in zip(packets, drawn.steps):
        assert packet.get("tabindex") == "0" and packet.get("aria-label") == step.described()
        assert f"IP length: {step.packet.length_bytes} B" in tags(packet, "title")[0].text


def test_nothing_is_painted_that_fails_on_dark():
    html = request_b().html()
    assert "currentColor" in html and "@media" not in html and "<script" not in html
    assert not re.search(r"#fff|#000|:white|:black|background:(?!none|transparent)", html)


def test_ids_are_stable_and_differ_between_pictures():
    ids = [set(re.findall(r' id="([^"]+)"', drawn.html())) for drawn in (request_a(), request_b(), request_b())]
    assert ids[1] == ids[2] and not ids[0] & ids[1]


def boxes(svg):
    """(left, top, right, bottom) of every text, as wide as in the widest usual font."""
    for text in tags(svg, "text"):
        size = {"wpw-note": 6.2, "wpw-time": 7.7, "wpw-label": 8.2}.get(text.get("class"), 8.2)
        width, x, y = size * len(text.text), float(text.get("x")), float(text.get("y"))
        anchor = "end" if text.get("class") == "wpw-time" else text.get("text-anchor", "start")
        if text.get("class") in ("wpw-host", "wpw-address"):
            anchor = "middle"
        left = x - {"start": 0, "middle": width / 2, "end": width}[anchor]
        yield left, y - 10, left + width, y + 3


@pytest.mark.parametrize("drawn", [request_a(), request_b(), crowd(), crowd(30, 2), crowd(20, 3), crowd(20, 7)])
def test_no_two_texts_overlap_and_all_are_inside(drawn):
    svg = svg_of(drawn)
    width, height = map(float, svg.get("viewBox").split()[2:])
    found = list(boxes(svg))
    for number, (left, top, right, bottom) in enumerate(found):
        assert 0 <= left and right <= width and 0 <= top and bottom <= height
        for other in found[:number]:
            assert not (left < other[2] and other[0] < right and top < other[3] and other[1] < bottom)


def test_free_gaps_are_to_scale():
    times = [0, 0.001, 0.003, 0.006]
    drawn = ladder([segment(time, 10) for time in times], HOSTS)
    ys = [float(text.get("y")) for text in tags(svg_of(drawn), "text", "wpw-time")[1:]]
    assert (ys[3] - ys[2]) / (ys[2] - ys[1]) == pytest.approx(3 / 2, abs=0.02)


@pytest.mark.parametrize(
    "gaps_ms, cut_ms",
    [
        ([0.05, 0.1, 0.1], []),
        ([0.05, 207, 0.9], [207]),
        ([0.1, 40, 0.1, 200], [40, 200]),
        ([5, 4, 6], []),
        ([207], [207]),
        ([], []),
        ([100, 110, 120], []),
    ],
)
def test_which_gaps_are_cut(gaps_ms, cut_ms):
    limit_s = cut_limit_s([gap / 1e3 for gap in gaps_ms])
    assert [gap for gap in gaps_ms if gap / 1e3 >= limit_s] == cut_ms


def test_lengths_of_time():
    assert [duration(s) for s in (1.234, 0.2077, 0.0012, 0.00004)] == [
        "1.23 s",
        "208 ms",
        "1.2 ms",
        "40 \N{MICRO SIGN}s",
    ]


@pytest.mark.parametrize("width", [60, 80, 132])
@pytest.mark.parametrize("drawn", [request_a(), request_b(), crowd(), crowd(9, 1)])
def test_terminal_lines_keep_within_the_width(drawn, width):
    lines = drawn.text(width).splitlines()
    assert max(map(len, lines)) <= width
    assert sum(bool(re.match(r" *\d+\.\d\d ", line)) for line in lines) == len(drawn.steps)


def test_packets_come_in_order_of_time():
    late, early = segment(0.2, 1), segment(0.1, 2)
    assert [s.packet for s in ladder([late, early], HOSTS).steps] == [early, late]


def test_an_unknown_address_is_named():
    with pytest.raises(ValueError, match="packet 0: expected.*client, balancer, server, found 10.9.9.9"):
        ladder([Packet(0, CLIENT, "10.9.9.9", "udp")], HOSTS)
    with pytest.raises(ValueError, match="found moon"):
        ladder([segment(0, 1)], HOSTS, place=lambda packet: ("client", "moon"))


@pytest.mark.parametrize(
    "drawn", [Ladder("None", ["a", "b"], []), ladder([], HOSTS), ladder([frag_needed(0, CLIENT)], {"client": [CLIENT]})]
)
def test_few_or_no_packets(drawn):
    assert svg_of(drawn) is not None and drawn.text() and drawn.summary()


def test_odd_packets_have_labels():
    inner = segment(0, 10)
    labels = [
        Packet(0, "a", "b", "ipip", inner=inner).label(),
        Packet(0, "a", "b", "udp", payload_bytes=9).label(),
        Packet(0, "a", "b", "icmp", icmp_type=5, icmp_code=1).label(),
        Packet(0, "a", "b", "89", 64).label(),
        segment(0, 0, flags="FIN ACK").label(),
        segment(0, 0, flags="SYN ACK").label(),
    ]
    assert labels == ["IPIP [PSH 10 B]", "UDP 9 B", "ICMP type 5 code 1", "protocol 89 64 B", "FIN", "SYN ACK"]
    assert inner.to_json()["payload_bytes"] == 10
