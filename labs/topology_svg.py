"""Which hosts are there, on which wires? A topology's own description as a picture.

`figure(net.describe())` needs no guest: hosts stand side by side, each wire is a line below them, and a
drop from host to wire is an interface with its addresses. Cards of the guest itself hang on a dashed
line: they are wired inside QEMU, those of one network together.
"""

from __future__ import annotations

import hashlib
import ipaddress
from dataclasses import dataclass, field
from html import escape

from labs import style

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


@dataclass
class Wire:
    """A segment, or one of QEMU's hubs, and who hangs on it: (host, the lines said at its drop)."""

    name: str
    hub: bool = False
    drops: list[tuple[str, list[str]]] = field(default_factory=list)

    def said(self) -> str:
        """'lan, MTU 1500, 2 ms each way: client (client-eth0, 10.0.0.1/24), …'."""
        return f"{self.name}: " + ", ".join(f"{host} ({', '.join(lines)})" for host, lines in self.drops)


def wires(described: dict) -> list[Wire]:
    """The wires of `labs.topology.Topology.describe()`, in its order."""
    found = {}
    for segment in described["segments"]:
        delay = f", {segment['delay_ms']:g} ms from host to host" if segment["delay_ms"] else ""
        found[segment["name"]] = Wire(f"{segment['name']}, MTU {segment['mtu']} bytes{delay}")
    for port in described["ports"]:
        found[port["segment"]].drops.append((port["node"], [port["interface"], *port["addresses"]]))
    for card in described.get("cards", []):
        network = str(ipaddress.ip_interface(card["addresses"][0]).network) if card["addresses"] else card["mac"]
        hub = found.setdefault(network, Wire(f"{network}, inside QEMU, MTU {card['mtu']} bytes", hub=True))
        hub.drops.append((card["node"], [line for line in (card["interface"], card["driver"], *card["addresses"]) if line]))
    return list(found.values())


def figure(described: dict, title: str = "The hosts and their wires") -> str:
    """The topology as one self-contained <figure class="wpw-topology">."""
    drawn = wires(described)
    hosts = list(dict.fromkeys(host for wire in drawn for host, _ in wire.drops))
    said = (f"{len(hosts)} hosts ({', '.join(hosts)}) on {len(drawn)} wire{'s' if len(drawn) > 1 else ''}. "
            + ". ".join(wire.said() for wire in drawn) + ".")
    body, width, height = _drawing(hosts, drawn)
    key = "wpw-" + hashlib.sha256((title + said).encode()).hexdigest()[:10]
    heading = escape(title)
    return (f'<figure class="wpw-topology" style="--wpw-t-width:{width:.0f}px;--wpw-t-min:{width * 0.75:.0f}px">'
            f"<style>{CSS}</style><figcaption>{heading}</figcaption>"
            f'<div class="wpw-scroll" role="region" tabindex="0" aria-label="{heading}">'
            f'<svg viewBox="0 0 {width:.0f} {height:.0f}" role="img" xmlns="http://www.w3.org/2000/svg" '
            f'aria-labelledby="{key}-title {key}-desc"><title id="{key}-title">{heading}</title>'
            f'<desc id="{key}-desc">{escape(said)}</desc>{body}</svg></div></figure>')


def _drawing(hosts: list[str], drawn: list[Wire]) -> tuple[str, float, float]:
    """The elements, and the size they take."""
    drops = {host: [(number, lines) for number, wire in enumerate(drawn) for at, lines in wire.drops if at == host]
             for host in hosts}
    # A host is as wide as the words at its drops beside each other, each drop to the left of its words.
    rooms = {host: [max(len(line) for line in lines) * SMALL_W + GAP for _, lines in drops[host]] for host in hosts}
    widths = {host: max(sum(rooms[host]), len(host) * LETTER_W + 28) for host in hosts}
    deepest = max((len(lines) for each in drops.values() for _, lines in each), default=1)
    first_wire = TOP + BOX_H + FIRST_DROP + deepest * LINE_H + 16
    height = first_wire + len(drawn) * (WIRE_H + LINE_H)
    parts, plugs, x = [], {number: [] for number in range(len(drawn))}, 4.0
    for host in hosts:
        parts.append(_box(host, x, widths[host] - GAP / 2))
        at = x + 14
        for (number, lines), room in zip(drops[host], rooms[host]):
            y = first_wire + number * (WIRE_H + LINE_H)
            plugs[number].append(at)
            parts.append((at, y, lines))
            at += room
        x += widths[host]
    # A wire's name stands below its left end; a line that goes further down leaves it free.
    names = [(min(plugs[number]) - 8, len(wire.name) * SMALL_W, first_wire + number * (WIRE_H + LINE_H))
             for number, wire in enumerate(drawn)]
    parts = [part if isinstance(part, str) else _drop(*part, [
        wire_y for left, length, wire_y in names if wire_y < part[1] and left < part[0] < left + length]) for part in parts]
    for number, wire in enumerate(drawn):
        parts.append(_wire(wire, plugs[number], first_wire + number * (WIRE_H + LINE_H)))
    longest = max((min(plugs[number]) + len(wire.name) * LETTER_W for number, wire in enumerate(drawn)), default=0)
    return "".join(parts), max(x, longest + 8), height


def _box(host: str, x: float, width: float) -> str:
    return (f'<rect class="wpw-box" x="{x:.1f}" y="{TOP}" width="{width:.1f}" height="{BOX_H}" rx="7"/>'
            f'<text class="wpw-host" x="{x + width / 2:.1f}" y="{TOP + 22}">{escape(host)}</text>')


def _drop(x: float, y: float, lines: list[str], crossed: list[float]) -> str:
    """From the host's box down to its wire, with interface and addresses beside it; `crossed` are the
    wires whose names it would strike through."""
    gaps = "".join(f"V{wire_y + 4:.1f}M{x:.1f} {wire_y + LINE_H + 8:.1f}" for wire_y in sorted(crossed))
    words = "".join(f'<text class="wpw-port{" wpw-name" if not number else ""}" x="{x + 7:.1f}" '
                    f'y="{TOP + BOX_H + FIRST_DROP + LINE_H * number:.1f}">{escape(line)}</text>'
                    for number, line in enumerate(lines))
    return (f'<path class="wpw-drop" d="M{x:.1f} {TOP + BOX_H}{gaps}V{y:.1f}"/>'
            f'<circle class="wpw-plug" cx="{x:.1f}" cy="{y:.1f}" r="4"/>{words}')


def _wire(wire: Wire, plugs: list[float], y: float) -> str:
    """The line from the first of its hosts to the last, its name below."""
    left, right = min(plugs) - 8, max(plugs) + 8
    return (f'<g class="wpw-segment{" wpw-hub" if wire.hub else ""}"><path class="wpw-wire" '
            f'd="M{left:.1f} {y:.1f}H{right:.1f}"/><text class="wpw-port" x="{left:.1f}" y="{y + LINE_H + 3:.1f}">'
            f"{escape(wire.name)}</text></g>")
