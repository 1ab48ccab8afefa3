"""Does a topology's picture show every host, interface, address and wire, and say them in words?"""

from xml.dom import minidom

import pytest

from core.draw import topology_svg
from core.draw.tree import markup

CHAIN = {
    "segments": [{"name": "front", "mtu": 1500, "delay_ms": 0}, {"name": "back", "mtu": 1420, "delay_ms": 10}],
    "ports": [
        {"node": "client", "interface": "client-eth0", "segment": "front", "mtu": 1500, "addresses": ["10.0.1.1/24"]},
        {
            "node": "proxy",
            "interface": "proxy-eth0",
            "segment": "front",
            "mtu": 1500,
            "addresses": ["10.0.1.2/24", "10.0.1.9/32"],
        },
        {"node": "proxy", "interface": "proxy-eth1", "segment": "back", "mtu": 1420, "addresses": ["10.0.2.2/24"]},
        {"node": "server", "interface": "server-eth0", "segment": "back", "mtu": 1420, "addresses": []},
    ],
    "cards": [],
}
CARDS = {
    "segments": [],
    "ports": [],
    "cards": [
        {
            "node": "a",
            "interface": "a-eth0",
            "mac": "52:54:00:00:00:01",
            "addresses": ["10.8.1.2/24"],
            "driver": "8139cp",
            "offloads": [],
            "mtu": 1500,
        },
        {
            "node": "b",
            "interface": "b-eth0",
            "mac": "52:54:00:00:00:02",
            "addresses": ["10.8.1.1/24"],
            "driver": "virtio_net",
            "offloads": [],
            "mtu": 1500,
        },
    ],
}

BOTH = {
    "segments": [{"name": "narrow", "mtu": 1420, "delay_ms": 10}],
    "cards": CARDS["cards"],
    "ports": [
        {"node": "b", "interface": "b-eth1", "segment": "narrow", "mtu": 1420, "addresses": ["10.8.8.1/24"]},
        {"node": "home", "interface": "home-eth0", "segment": "narrow", "mtu": 1420, "addresses": ["10.8.8.2/24"]},
    ],
}


def drawn(described, title="A <chain>"):
    """The SVG, and the words in it."""
    html = markup(topology_svg.figure(described, title))
    svg = minidom.parseString(html[html.index("<svg") : html.index("</svg>") + 6]).documentElement
    return svg, [text.firstChild.data for text in svg.getElementsByTagName("text")]


def test_every_host_interface_address_and_wire_is_named():
    svg, words = drawn(CHAIN)
    for name in (
        "client",
        "proxy",
        "server",
        "client-eth0",
        "proxy-eth1",
        "10.0.1.9/32",
        "front, MTU 1500 bytes",
        "back, MTU 1420 bytes, 10 ms from host to host",
    ):
        assert words.count(name) == 1, name
    assert len(svg.getElementsByTagName("circle")) == 4


def test_the_text_alternative_says_who_hangs_where():
    svg, _ = drawn(CHAIN)
    assert svg.getElementsByTagName("title")[0].firstChild.data == "A <chain>"
    said = svg.getElementsByTagName("desc")[0].firstChild.data
    assert said.startswith("3 hosts (client, proxy, server) on 2 wires. front, MTU 1500 bytes: client (client-eth0")
    assert "server (server-eth0)" in said


def test_cards_of_one_network_hang_on_one_wire_inside_qemu():
    svg, words = drawn(CARDS)
    assert "10.8.1.0/24, inside QEMU, MTU 1500 bytes" in words and {"a-eth0", "8139cp"} < set(words)
    assert [g.getAttribute("class") for g in svg.getElementsByTagName("g")] == ["wpw-segment wpw-hub"]


def test_a_host_with_nothing_but_a_card_stands_at_its_wires_end():
    svg, words = drawn(BOTH)
    boxes = [float(box.getAttribute("y")) for box in svg.getElementsByTagName("rect")]
    assert len(set(boxes)) == 2 and max(boxes) > boxes[0]  # router and home in a row, a at its wire's end
    assert {"a", "a-eth0", "8139cp, 10.8.1.2/24", "10.8.1.0/24, inside QEMU, MTU 1500 bytes"} < set(words)
    assert len(svg.getElementsByTagName("circle")) == 3


@pytest.mark.parametrize("described", [CHAIN, CARDS, BOTH])
def test_words_do_not_overlap(described):
    """No two texts of one line closer than a letter's width, in the widest font there may be."""
    svg, _ = drawn(described)
    lines = {}
    for text in svg.getElementsByTagName("text"):
        width = len(text.firstChild.data) * topology_svg.SMALL_W
        x = float(text.getAttribute("x")) - (width / 2 if text.getAttribute("class") == "wpw-host" else 0)
        lines.setdefault(text.getAttribute("y"), []).append((x, x + width))
    for spans in lines.values():
        for (_, end), (start, _) in zip(sorted(spans), sorted(spans)[1:]):
            assert end <= start
    wide = float(svg.getAttribute("viewBox").split()[2])
    assert all(end <= wide for spans in lines.values() for _, end in spans)
