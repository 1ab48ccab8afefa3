"""Does the tab draw a run as the lab draws it? vm-image/tab/ladder.js under Node, beside core/draw/ladder.py."""

import json
import random
import re
import subprocess
from dataclasses import replace
from pathlib import Path
from xml.etree import ElementTree

import pytest

from core.draw import figures
from core.draw.ladder import ladder
from core.draw.tree import markup
from core.wire.packet import Packet
from host.tab import node
from labs.cases.frag_needed import observed
from tests.host.tab.test_live import captured, packet_lines

RECORDINGS = Path("book/_recordings")
ASK = """
import "./ladder.js";  // in whichever order: a page loads them at once
import "./drawing.js";
import "./protocol.js";
import "./packets.js";
class Node {
    constructor(space, tag) { Object.assign(this, {space, tag, attributes: {}, style: {cssText: ""}, children: []}); }
    setAttribute(name, value) { this.attributes[name] = value; }
    append(...children) { this.children.push(...children); }
}
const DO = {
    figure: known => LiveLadder.figure(LiveLadder.ladder({...known, place: packet => packet.ends})),
    run: ({lines, name}) => {
        const run = LiveProtocol.parse(lines, {told: false, trace: false});
        return {run, tree: LiveLadder.tree(run, name), summary: LiveLadder.summary(run, name)};
    },
    element: tree => LiveLadder.element(tree, {createElementNS: (space, tag) => new Node(space, tag)}),
};
let text = "";
for await (const chunk of process.stdin) text += chunk;
console.log(JSON.stringify(JSON.parse(text).map(([verb, known]) => DO[verb](known))));
"""


def answers(*asked) -> list:
    """What the scripts make of each (verb, argument)."""
    done = subprocess.run(
        [node.node(), "--input-type=module", "-e", ASK],
        input=json.dumps(asked),
        text=True,
        capture_output=True,
        cwd=node.TAB,
    )
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def plain(tree) -> tuple:
    """A tree of ladder.js as (tag, attributes, text and children in order); neighbouring texts are one."""
    inside = []
    for child in tree["children"]:
        child = child if isinstance(child, str) else plain(child)
        if isinstance(child, str) and inside and isinstance(inside[-1], str):
            inside[-1] += child
        elif child != "":
            inside.append(child)
    return tree["tag"], tree["attributes"], inside


def of_markup(element) -> tuple:
    """The tree of an element that Python has written; the style sheet is left out."""
    inside = [element.text or ""]
    for child in element:
        if child.tag != "style":
            inside.append(of_markup(child))
        inside.append(child.tail or "")
    return element.tag.rpartition("}")[2], dict(element.attrib), [one for one in inside if one != ""]


def same(live: dict, recorded: str) -> None:
    """Element by element; names by which elements refer to each other are made up differently."""
    pair = [json.dumps(one) for one in (plain(live), of_markup(ElementTree.fromstring(recorded)))]
    named = [re.sub(r"wpw-(live-)?[0-9a-f]+-(title|desc)", r"\2", one) for one in pair]
    assert json.loads(named[0]) == json.loads(named[1])


WORDS = (
    "the probe timer runs out",
    "dropped",
    "20 bytes too long",
    "a well-known, twice-told remark -- and MTU 1480",
    "x" * 70,
    "client-side",
    "0.5 ms late: 1448 B",
    "9-" * 40,
)
DYADIC_S = (0, 2**-9, 2**-6, 2**-3)  # each eight times the one before


def made_up(seed: int) -> tuple[dict, str]:
    """A ladder by chance: what ladder.js is asked for it, and what Python writes."""
    chance = random.Random(seed)
    names = [f"h{number}" for number in range(chance.randint(1, 7))]
    hosts = {name: [f"10.0.0.{number}"] * chance.choice([0, 1, 1, 2]) for number, name in enumerate(names)}
    packets, ends, time_s, exact = [], [], 0.0, seed % 3 == 0
    for _ in range(chance.randint(0, 12)):
        time_s += chance.choice(DYADIC_S) if exact else chance.random() / chance.choice([1e4, 1e2, 1])
        if seed % 3 == 1:
            time_s = round(time_s * 8000) / 8000  # of 0.125 ms two hundredths are equally near
        start, end = chance.choice(names), chance.choice(names)
        known = chance.choice(
            [
                dict(
                    proto="tcp",
                    sport=4000,
                    dport=7000,
                    seq=chance.randint(0, 9000),
                    ack=1,
                    payload_bytes=1448,
                    flags=chance.choice(["PSH ACK", "ACK"]),
                    retransmission=chance.random() < 0.3,
                ),
                dict(
                    proto="tcp",
                    sport=7000,
                    dport=4000,
                    seq=1,
                    ack=1449,
                    flags=chance.choice(["ACK", "FIN ACK", "SYN", "RST", ""]),
                ),
                dict(
                    proto="icmp",
                    icmp_type=3,
                    icmp_code=4,
                    next_hop_mtu=1480,
                    quoted=Packet(time_s, "10.0.0.1", "10.0.0.2", "tcp", 1500, sport=4000, dport=7000),
                ),
                dict(proto="icmp", icmp_type=chance.choice([8, 5]), icmp_code=0),
                dict(proto="udp", sport=53, dport=54, payload_bytes=chance.choice([0, 9])),
                dict(proto="89"),
            ]
        )
        packets.append(
            Packet(
                time_s,
                f"10.0.0.{names.index(start)}",
                f"10.0.0.{names.index(end)}",
                length_bytes=chance.randint(40, 1500),
                node="client",
                interface="lo",
                outgoing=True,
                df=chance.random() < 0.5,
                **known,
            )
        )
        ends.append((start, end))
    notes, gap_notes = (
        {number: chance.choice(WORDS) for number in range(len(packets)) if chance.random() < share}
        for share in (0.4, 0.15)
    )
    lost = [number for number in range(len(packets)) if chance.random() < 0.15]
    title = f"Ladder <{seed}> & 'more'"
    placed = dict(zip(map(id, packets), ends))
    drawn = ladder(packets, hosts, title, lambda packet: placed[id(packet)], notes, gap_notes, lost=lost)
    asked = dict(
        packets=[{**packet.to_json(), "ends": end} for packet, end in zip(packets, ends)],
        hosts=hosts,
        title=title,
        notes=notes,
        gap_notes=gap_notes,
        lost=lost,
    )
    return asked, drawn.html()


def test_any_ladder_is_drawn_as_the_lab_draws_it():
    ladders = [made_up(seed) for seed in range(150)]
    for live, (_, recorded) in zip(answers(*(("figure", asked) for asked, _ in ladders)), ladders):
        same(live, recorded)
    # What was to be tried did come.
    together = "".join(recorded for _, recorded in ladders)
    for sign in ("stall", "wpw-cross", " loop", "again", "bare", "quotes:", "are to scale", "No packets between"):
        assert sign in together, sign


def rows(recorded: str) -> list[list[str]]:
    """The table of a recorded ladder."""
    table = ElementTree.fromstring(recorded).find(".//tbody")
    return [["".join(cell.itertext()) for cell in row] for row in table]


def recorded_ladder(name: str) -> str:
    """The picture of an exchange that chapter 1 shows."""
    return markup(figures.draw(json.loads((RECORDINGS / f"frag-needed/{name}-ladder{figures.SUFFIX}").read_text())))


def the_recorded_run() -> list[dict]:
    """The recorded run of the direct client, as the tab's guest would tell of it."""
    exchanges = json.loads((RECORDINGS / "frag-needed.json").read_text())["run"]["direct"]["exchanges"]
    lines = [
        "begin 1000.000",
        *(
            f"exchange {one['name'].replace(' ', '-')} {one['sent_bytes']} "
            f"{1000 + one['at_s'] * 1e3:.3f} {one['waited_ms']:.3f}"
            for one in exchanges
        ),
        "end 1300.000",
        "heartbeat 41 3.200",
        "counter IpFragFails 1",
    ]
    file = RECORDINGS / "frag-needed/a-ladder.pcap"
    packets, times_ms = packet_lines(captured(file)), captured_at_ms(file.read_bytes())
    # The capture has the time of day; A's first segment has the time after A's question in its picture, too.
    asked_ms = next(at_ms for at_ms, (line, _) in zip(times_ms, packets, strict=True) if " out 1500 " in line) - float(
        rows(recorded_ladder("a"))[0][0]
    )
    for at_ms, (line, _) in zip(times_ms, packets):
        line = re.sub(r"^lab: packet [\d.]+", f"packet {1000 + at_ms - asked_ms:.3f}", line)
        # What a host sends to itself is there twice, of which tcpdump leaves one out.
        lines += [line.replace(" lo in ", " lo out "), line] if " lo in " in line else [line]
    return [{"text": f"lab: {line}", "at_ms": 5300 if line.startswith("end") else 5000} for line in [*lines, "done 0"]]


def captured_at_ms(data: bytes) -> list[float]:
    """When each packet of a capture was there, from the first on."""
    at, found = 24, []
    while at < len(data):
        seconds, nanoseconds, length = (int.from_bytes(data[at + skip : at + skip + 4], "little") for skip in (0, 4, 8))
        found.append(seconds * 10**9 + nanoseconds)
        at += 16 + length
    return [(one - found[0]) / 1e6 for one in found]


@pytest.mark.parametrize("name", ["A", "B"])
def test_an_exchange_is_shown_as_the_chapter_shows_it(name):
    (live,) = answers(("run", {"lines": the_recorded_run(), "name": name}))
    exchanges = [
        observed.Exchange(one["name"], one["name"], one["bytes"], one["at_ms"] / 1e3, one["waited_ms"])
        for one in live["run"]["exchanges"]
    ]
    packets = [as_the_lab_has_it(one) for one in live["run"]["packets"]]
    drawn = observed.Observed(exchanges, packets, {}).ladder(
        name, f"Connection {name}, seen at the client: live, in this tab"
    )
    same(live["tree"], drawn.html())
    assert live["summary"] == drawn.summary()
    shown, recorded = rows(drawn.html()), rows(recorded_ladder(name.lower()))
    assert [row[1:] for row in shown] == [row[1:] for row in recorded]
    assert [float(row[0]) for row in shown if len(row) > 1] == pytest.approx(
        [float(row[0]) for row in recorded if len(row) > 1], abs=0.002
    )


def as_the_lab_has_it(one: dict) -> Packet:
    known = {key: value for key, value in one.items() if key not in ("at_ms", "quoted")}
    packet = Packet(time_s=one["at_ms"] / 1e3, node="client", **known)
    quoted = one["quoted"] and Packet(time_s=packet.time_s, **one["quoted"])
    return replace(packet, quoted=quoted)


def test_nodes_are_made_of_names_and_text_never_of_markup():
    asked, _ = made_up(3)
    (tree,) = answers(("figure", {**asked, "title": "<script>alert(1)</script>"}))
    (figure,) = answers(("element", tree))
    caption, scroll = figure["children"][:2]
    svg = scroll["children"][0]
    assert caption["children"] == ["<script>alert(1)</script>"]
    assert figure["style"]["cssText"].startswith("--wpw-l-width:")
    assert "style" not in figure["attributes"] and figure["space"].endswith("/xhtml")
    assert svg["space"].endswith("/svg") and {child["space"] for child in svg["children"]} == {svg["space"]}
    assert {child["space"] for child in figure["children"]} == {figure["space"]}
