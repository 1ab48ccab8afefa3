"""Which hosts are there, on which wires? A topology's own description as a picture.

`figure(net.describe())` needs no guest: hosts stand side by side, each wire is a line below them, and a
drop from host to wire is an interface with its addresses. Cards of the guest itself hang on a dashed
line: they are wired inside QEMU, those of one network together. A host that has only such a card stands at its end.
"""

import ipaddress
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import NotRequired, TypedDict

from core import style
from core.draw import parts
from core.draw.tree import Attribute, Child, Element, h

BOX_H, TOP, WIRE_H, LETTER_W, SMALL_W, GAP = 34, 4, 26, 8.2, 7.0, 20
LINE_H, FIRST_DROP = 15, 22

CSS = style.css("""
.wpw-topology{margin:1.4em 0;color:inherit}
.wpw-topology figcaption{text-align:left;font-weight:600;font-size:1rem;margin:0 0 .5em;color:inherit}
.wpw-topology .wpw-scroll{overflow-x:auto;max-width:100%}
.wpw-topology svg{display:block;width:100%;height:auto;max-width:var(--wpw-t-width);min-width:var(--wpw-t-min);
 font-family:$font;font-size:13px;background:none;overflow:visible}
.wpw-topology svg text{fill:currentColor;stroke:none}
.wpw-topology .wpw-box{fill:none;stroke:currentColor;stroke-opacity:.6;stroke-width:$host_line}
.wpw-topology .wpw-host{font-weight:650;font-size:14px;text-anchor:middle}
.wpw-topology .wpw-drop{fill:none;stroke:currentColor;stroke-opacity:.6;stroke-width:$host_line}
.wpw-topology .wpw-wire{fill:none;stroke:$icmp;stroke-width:$strong_line}
.wpw-topology .wpw-hub .wpw-wire{stroke-dasharray:7 5}
.wpw-topology .wpw-port{font-size:12px;opacity:.9}
.wpw-topology .wpw-name{font-weight:600}
.wpw-topology .wpw-plug{fill:currentColor}
""")


class Segment(TypedDict):
    """A wire in a topology's description."""

    name: str
    mtu: int
    delay_ms: float


class Port(TypedDict):
    """An interface of a host, and its wire."""

    node: str
    interface: str
    segment: str
    mtu: int
    addresses: Sequence[str]


class Card(TypedDict):
    """A card that the guest itself has, wired inside QEMU."""

    node: str
    interface: str
    driver: str
    mac: str
    mtu: int
    addresses: Sequence[str]


class Described(TypedDict):
    """What a topology says of itself."""

    segments: Sequence[Segment]
    ports: Sequence[Port]
    cards: NotRequired[Sequence[Card]]


@dataclass
class Wire:
    """A topology's wire, or one of QEMU's hubs, and the hosts on it: (host, the lines said at its drop)."""

    name: str
    hub: bool = False
    drops: list[tuple[str, list[str]]] = field(default_factory=list)

    def said(self) -> str:
        """'lan, MTU 1500, 2 ms each way: client (client-eth0, 10.0.0.1/24), …'."""
        return f"{self.name}: " + ", ".join(f"{host} ({', '.join(lines)})" for host, lines in self.drops)


def wires(described: Described) -> list[Wire]:
    """The wires of `labs.net.topology.Topology.describe()`, in its order."""
    found = {}
    for segment in described["segments"]:
        delay = f", {segment['delay_ms']:g} ms from host to host" if segment["delay_ms"] else ""
        found[segment["name"]] = Wire(f"{segment['name']}, MTU {segment['mtu']} bytes{delay}")
    for port in described["ports"]:
        found[port["segment"]].drops.append((port["node"], [port["interface"], *port["addresses"]]))
    for card in described.get("cards", []):
        network = str(ipaddress.ip_interface(card["addresses"][0]).network) if card["addresses"] else card["mac"]
        hub = found.setdefault(network, Wire(f"{network}, inside QEMU, MTU {card['mtu']} bytes", hub=True))
        said = (card["interface"], card["driver"], *card["addresses"])
        hub.drops.append((card["node"], [line for line in said if line]))
    return list(found.values())


def figure(described: Described, title: str = "The hosts and their wires") -> Element:
    """The topology as one self-contained <figure class="wpw-topology">."""
    drawn = wires(described)
    hosts = list(dict.fromkeys(host for wire in drawn for host, _ in wire.drops))
    said = (
        f"{len(hosts)} hosts ({', '.join(hosts)}) on {len(drawn)} wire{'s' if len(drawn) > 1 else ''}. "
        + ". ".join(wire.said() for wire in drawn)
        + "."
    )
    body, width, height = _drawing(hosts, drawn)
    svg = parts.drawing(width, height, title, said, title + said, body)
    return parts.figure("topology", CSS, title, svg, **{"t-width": width, "t-min": width * 0.75})


def _drawing(hosts: list[str], drawn: list[Wire]) -> tuple[list[Child], float, float]:
    """The elements, and the size they take."""
    drops = {
        host: [(number, lines) for number, wire in enumerate(drawn) for at, lines in wire.drops if at == host]
        for host in hosts
    }
    ends = _at_ends(drops, drawn)
    # A host is as wide as the words at its drops beside each other, each drop to the left of its words.
    rooms = {host: [max(len(line) for line in lines) * SMALL_W + GAP for _, lines in drops[host]] for host in hosts}
    widths = {host: max(sum(rooms[host]), len(host) * LETTER_W + 28) for host in hosts}
    deepest = max((len(lines) for host in hosts if host not in ends for _, lines in drops[host]), default=1)
    heights = [
        TOP + BOX_H + FIRST_DROP + deepest * LINE_H + 16 + number * (WIRE_H + LINE_H) for number in range(len(drawn))
    ]
    boxes: list[Element] = []
    falls: list[tuple[float, float, list[str]]] = []
    plugs: dict[int, list[float]] = {number: [] for number in range(len(drawn))}
    x = 4.0
    for host in (each for each in hosts if each not in ends):
        boxes += _box(host, x, TOP, widths[host] - GAP / 2)
        at = x + 14
        for (number, lines), room in zip(drops[host], rooms[host]):
            plugs[number].append(at)
            falls.append((at, heights[number], lines))
            at += room
        x += widths[host]
    # A wire's name stands below its left end; a line that goes further down leaves it free.
    names = [(min(plugs[number]) - 8, len(wire.name) * SMALL_W, heights[number]) for number, wire in enumerate(drawn)]
    for host, number in ends.items():
        left, length, y = names[number]
        box, right = _end(host, drops[host][0][1], left + length + 14, y)
        boxes += box
        plugs[number].append(left + length + 6)
        x = max(x, right)
    elements: list[Child] = [*boxes]
    elements += [
        _drop(*fall, [y for left, length, y in names if y < fall[1] and left < fall[0] < left + length])
        for fall in falls
    ]
    elements += [_wire(wire, plugs[number], heights[number]) for number, wire in enumerate(drawn)]
    longest = max((left + len(wire.name) * LETTER_W for wire, (left, _, _) in zip(drawn, names)), default=0)
    return elements, max(x + 4, longest + 16), (heights or [TOP + BOX_H])[-1] + WIRE_H + LINE_H


def _at_ends(drops: Mapping[str, list[tuple[int, list[str]]]], drawn: list[Wire]) -> dict[str, int]:
    """Hosts that have nothing but one card, and its wire: they stand at that wire's end, out of the row of
    hosts, which would get too wide for a page. Somebody in the row has to hold the other end."""
    single = {host: each[0][0] for host, each in drops.items() if len(each) == 1 and drawn[each[0][0]].hub}
    return {host: number for host, number in single.items() if any(at not in single for at, _ in drawn[number].drops)}


def _box(host: str, x: float, y: float, width: float) -> list[Element]:
    box: dict[str, Attribute] = {"x": f"{x:.1f}", "y": f"{y:.1f}", "width": f"{width:.1f}", "height": BOX_H, "rx": 7}
    return [
        h("rect", {"class": "wpw-box"} | box),
        h("text", {"class": "wpw-host", "x": f"{x + width / 2:.1f}", "y": f"{y + 22:.1f}"}, host),
    ]


def _words(lines: list[str], x: float, y: float) -> list[Element]:
    """What is said of an interface: its name, and the rest below."""
    return [
        h("text", {"class": "wpw-port" if number else "wpw-port wpw-name", "x": f"{x:.1f}", "y": f"{at:.1f}"}, line)
        for number, line in enumerate(lines)
        for at in [y + LINE_H * number]
    ]


def _end(host: str, lines: list[str], x: float, y: float) -> tuple[list[Element], float]:
    """A host at the end of its wire, what is said of its card to its right; and where that ends."""
    width, said = len(host) * LETTER_W + 28, [lines[0], ", ".join(lines[1:])]
    drawn = [*_box(host, x, y - BOX_H / 2, width), *_words(said, x + width + 8, y - 3)]
    return drawn, x + width + 8 + max(map(len, said)) * SMALL_W


def _drop(x: float, y: float, lines: list[str], crossed: list[float]) -> list[Element]:
    """A line from the host's box down to its wire, with interface and addresses beside it; `crossed` are the wires
    whose names it would strike through."""
    gaps = "".join(f"V{wire_y + 4:.1f}M{x:.1f} {wire_y + LINE_H + 8:.1f}" for wire_y in sorted(crossed))
    return [
        h("path", {"class": "wpw-drop", "d": f"M{x:.1f} {TOP + BOX_H}{gaps}V{y:.1f}"}),
        h("circle", {"class": "wpw-plug", "cx": f"{x:.1f}", "cy": f"{y:.1f}", "r": 4}),
        *_words(lines, x + 7, TOP + BOX_H + FIRST_DROP),
    ]


def _wire(wire: Wire, plugs: list[float], y: float) -> Element:
    """The line from the first of its hosts to the last, its name below."""
    left, right = min(plugs) - 8, max(plugs) + 8
    return h(
        "g",
        {"class": f"wpw-segment{' wpw-hub' if wire.hub else ''}"},
        h("path", {"class": "wpw-wire", "d": f"M{left:.1f} {y:.1f}H{right:.1f}"}),
        h("text", {"class": "wpw-port", "x": f"{left:.1f}", "y": f"{y + LINE_H + 3:.1f}"}, wire.name),
    )
