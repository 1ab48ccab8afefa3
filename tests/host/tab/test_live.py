"""Does the tab take what its guest says, and nothing else? vm-image/tab/protocol.js and live.js under Node, without an
emulator."""

import json
import struct
import subprocess
from pathlib import Path

import pytest

from core.wire.segment import IPV4, Flows, link, segment
from host.tab import node

RECORDED = Path("book/_recordings/frag-needed/b-ladder.pcap")
ASK = """
import "./packets.js";
import "./protocol.js";
let text = "";
for await (const chunk of process.stdin) text += chunk;
const {lines, options} = JSON.parse(text);
try {
    console.log(JSON.stringify(globalThis.LiveProtocol.parse(lines, options)));
} catch (error) {
    console.log(JSON.stringify({error: error.message, known: error instanceof globalThis.LiveProtocol.RunError}));
}
"""
SO_FAR = """
import "./packets.js";
import "./protocol.js";
import "./pictures.js";
import "./drawing.js";
import "./ladder.js";
let text = "";
for await (const chunk of process.stdin) text += chunk;
console.log(JSON.stringify(JSON.parse(text).map(lines => {
    const soFar = LiveProtocol.soFar(lines);
    return {soFar, phase: LivePictures.phase(soFar), b: LiveLadder.tree(soFar, "B")};
})));
"""
TWICE = """
import "./live.js";
const steps = [1, 1, 1, 1.2, 1.2, 30], clock = globalThis.LiveRun.neverTwice(() => steps.shift());
console.log(JSON.stringify([...steps].map(() => clock())));
"""
SHELL = """
import "./live.js";
const sent = [], portions = [], tick = () => new Promise(resolve => setTimeout(resolve));
const emulator = {add_listener: (name, taken) => { emulator.says = taken; }, serial0_send: text => sent.push(text)};
const machine = new globalThis.LiveRun.Machine(emulator, () => 0);
const says = async text => { for (const byte of new TextEncoder().encode(text)) emulator.says(byte); await tick(); };
let over = false;
const shell = machine.terminal({columns: 41, rows: 20}, bytes => portions.push(new TextDecoder().decode(bytes)));
shell.ended.then(() => { over = true; });
shell.type("caf\\u00e9\\r");
await says("\\x1b[6nclient# caf\\u00e9\\r\\n<b>lab: done 0\\r\\n");
const early = over;
await says("lab: shell-end");
await says("\\nlab: ready again\\n");
console.log(JSON.stringify({sent, portions, early, over, later: machine.console.lines.map(line => line.text)}));
"""
RUN = [
    ("lab: begin 1000.000", 5000),
    ("lab: exchange A 1448 1000.250 4.100", 5230),
    ("lab: exchange B 1448 1004.500 210.200", 5230),
    ("lab: exchange B-again 1448 1214.800 2.200", 5230),
    ("lab: end 1230.000", 5231),
    (
        "lab: packet 1000.750 client-eth0 out 41 "
        "4500002900004000400600000a0000010a000002bc001b58fffffff000000001501800000000000007",
        5231,
    ),
    ("lab: heartbeat 41 3.200", 5231),
    ("lab: counter IpFragFails 1", 5231),
]
DONE = [("lab: done 0", 5240)]
TRACE = [
    ("lab: trace-begin", 5232),
    ("# tracer: nop", 5232),
    ("#", 5232),
    ("        exchange-110     [000] d.s2.     1.002125: __icmp_send: (__icmp_send+0x8/0x540)", 5232),
    ("        exchange-110     [000] d.s2.     1.002132: <stack trace>", 5232),
    (" => kprobe_trace_func", 5232),
    (" => 0xc5871028", 5232),
    (" => __icmp_send", 5232),
    (" => ip_fragment.constprop.0", 5232),
    (" => entry_SYSENTER_32", 5232),
    ("lab: trace-end", 5232),
]


def parsed(lines, told=False, trace=False) -> dict:
    """What protocol.js makes of the lines, each (text, at_ms)."""
    asked = {
        "lines": [{"text": text, "at_ms": at_ms} for text, at_ms in lines],
        "options": {"told": told, "trace": trace},
    }
    answer = subprocess.run(
        [node.node(), "--input-type=module", "-e", ASK],
        input=json.dumps(asked),
        text=True,
        capture_output=True,
        check=True,
        cwd=node.TAB,
    )
    return json.loads(answer.stdout)


def test_a_run_becomes_its_json():
    run = parsed(RUN + DONE)
    assert (run["a_ms"], run["b_ms"], run["b_again_ms"]) == (4.1, 210.2, 2.2)
    assert run["measured"] is True and run["control"] is False and run["counters"] == {"IpFragFails": 1}
    assert run["exchanges"][1] == {"name": "B", "bytes": 1448, "at_ms": 4.5, "waited_ms": 210.2}


# What the guest says, in its order.
TO_ITSELF = (
    "4500003000004000400100000a0000010a00000103040000000005c8450005dc00004000400600000a0000010a000002bc001b5800000000"
)
COURSE = [
    "awake",
    "begin 1000.000",
    "exchange A 1448 1001.000 4.000",
    "waits B 1005.000",
    "packet 1001.500 client-eth0 out 41 "
    "4500002900004000400600000a0000010a000002bc001b58fffffff000000001501800000000000007",
    f"packet 1005.240 lo out 48 {TO_ITSELF}",  # on lo a packet is seen twice
    f"packet 1005.250 lo in 48 {TO_ITSELF}",
    "exchange B 1448 1005.000 210.000",
    "exchange B-again 1448 1215.000 2.000",
]


def test_while_it_runs_it_is_known_how_far_it_is():
    lines = [{"text": f"lab: {said}", "at_ms": 0} for said in COURSE]
    answer = subprocess.run(
        [node.node(), "--input-type=module", "-e", SO_FAR],
        text=True,
        capture_output=True,
        cwd=node.TAB,
        input=json.dumps([lines[:upto] for upto in range(len(lines) + 1)]),
    )
    assert answer.returncode == 0, answer.stderr
    seen = json.loads(answer.stdout)
    phases = [one["phase"] for one in seen]
    assert [phase for at, phase in enumerate(phases) if phases.index(phase) == at] == [
        "The kernel wakes …",
        "The kernel is awake; a small question goes around to its three hosts …",
        "A has its answer, and B writes …",
        "B waits …",
        "B was told by its own host that this is too long, and waits …",
        "B has its answer, and writes again …",
        "All have their answers …",
    ]
    waits, over = (seen[upto] for upto in (len(COURSE) - 2, len(COURSE) - 1))
    assert waits["soFar"]["exchanges"] == [
        {"name": "A", "bytes": 1448, "at_ms": 1, "waited_ms": 4},
        {"name": "B", "at_ms": 5, "waited_ms": None},
    ]
    # The same picture, as far as it goes; what is not over has no length.
    assert "B waits …" in json.dumps(waits["b"], ensure_ascii=False)
    assert "B waits …" not in json.dumps(over["b"], ensure_ascii=False)
    arrows = [
        [child for child in picture(one["b"])["children"] if "packet" in child["attributes"].get("class", "")]
        for one in (waits, over)
    ]
    assert len(arrows[0]) == 1 and arrows[0] == arrows[1]
    told = [json.dumps(one["b"]) for one in seen if "was told" in one["phase"]]
    assert told and all("ICMP frag needed" in drawn for drawn in told)  # not said before it is drawn


def picture(tree: dict) -> dict:
    """The svg of a figure."""
    scroll = next(child for child in tree["children"] if child["attributes"].get("class") == "wpw-scroll")
    return scroll["children"][0]


def test_packets_come_with_their_time_and_place():
    (packet,) = parsed(RUN + DONE)["packets"]
    assert packet == {
        "at_ms": 0.75,
        "interface": "client-eth0",
        "outgoing": True,
        "src": "10.0.0.1",
        "dst": "10.0.0.2",
        "proto": "tcp",
        "length_bytes": 41,
        "df": True,
        "sport": 48128,
        "dport": 7000,
        "seq": 1,
        "ack": 1,
        "flags": "PSH ACK",
        "payload_bytes": 1,
        "retransmission": False,
        "icmp_type": None,
        "icmp_code": None,
        "next_hop_mtu": None,
        "quoted": None,
    }


def captured(file: Path) -> list[tuple[str, bool, bytes]]:
    """(interface, outgoing, IP packet) of a recorded capture, each cut to what the guest shows of one."""
    data, at, found = file.read_bytes(), 24, []
    (linktype,) = struct.unpack_from("<I", data, 20)
    while at < len(data):
        (length,) = struct.unpack_from("<I", data, at + 8)
        frame = data[at + 16 : at + 16 + length]
        protocol, header, index, kind = link(frame, linktype)
        if protocol == IPV4:
            found.append(("lo" if index == 1 else "client-eth0", kind == 4, frame[header : header + 96]))
        at += 16 + length
    return found


def as_the_lab_has_it(packets) -> list[dict]:
    """TCP segments by core/wire/segment.py; how `labs.wire.capture` asks it."""
    flows, known = Flows(), []
    names = {"SYN": 2, "FIN": 1, "RST": 4, "PSH": 8, "URG": 32, "ACK": 16}
    for interface, outgoing, data in packets:
        one = segment(data)
        if one is None:
            continue
        flags = [name for name, bit in names.items() if one.flags & bit]
        place, there = ("client", interface, outgoing), (one.src, one.sport, one.dst, one.dport)
        taken = one.payload_bytes + ("SYN" in flags) + ("FIN" in flags)
        seq, again = flows.sent((place, *there), (place[0], *there), one.seq, taken, "SYN" in flags)
        ack = flows.relative((place[0], *there[2:], *there[:2]), one.ack) if "ACK" in flags else None
        known.append(
            {
                "src": one.src,
                "dst": one.dst,
                "length_bytes": one.length_bytes,
                "df": one.df,
                "sport": one.sport,
                "dport": one.dport,
                "flags": " ".join(flags),
                "seq": seq,
                "ack": ack,
                "payload_bytes": one.payload_bytes,
                "retransmission": again,
            }
        )
    return known


def packet_lines(packets) -> list[tuple[str, float]]:
    return [
        (
            f"lab: packet {1000 + number}.000 {interface} {'out' if outgoing else 'in'} "
            f"{int.from_bytes(data[2:4], 'big')} {data.hex()}",
            5231,
        )
        for number, (interface, outgoing, data) in enumerate(packets)
    ]


def made(seq, payload, flags=16, back=False, ack=1) -> tuple[str, bool, bytes]:
    """A segment of the connection's one or other direction."""
    ends = [(b"\n\0\0\1", 4000), (b"\n\0\0\2", 7000)]
    (src, sport), (dst, dport) = reversed(ends) if back else ends
    ip = struct.pack("!BBHHHBBH4s4s", 0x45, 0, 40 + payload, 0, 0, 64, 6, 0, src, dst)
    tcp = struct.pack("!HHIIBBHHH", sport, dport, seq % 2**32, ack, 5 << 4, flags, 0, 0, 0)
    return "client-eth0", not back, ip + tcp


# A wrap of the sequence number, parts sent again, a hole that is filled later, a new connection on old ports, a close.
ODD = [
    made(-10, 20),
    made(-10, 20),
    made(10, 5),
    made(8, 4),
    made(15, 1),
    made(7, 30, back=True, ack=2**32 - 1),
    made(100, 5),
    made(90, 5),
    made(500, 0, flags=2),
    made(501, 20),
    made(501, 20),
    made(37, 0, flags=17, back=True),
    made(37, 0, flags=17, back=True),
]


@pytest.mark.parametrize("packets", [captured(RECORDED), ODD])
def test_segments_are_read_as_the_lab_reads_them(packets):
    run = parsed(packet_lines(packets) + RUN[:5] + RUN[6:] + DONE)
    found = [one for one in run["packets"] if one["proto"] == "tcp"]
    known = as_the_lab_has_it(packets)
    assert [{key: one[key] for key in known[0]} for one in found] == known
    assert sum(one["retransmission"] for one in known) >= 2


def test_an_icmp_tells_what_it_is_about():
    packets = parsed(packet_lines(captured(RECORDED)) + RUN + DONE)["packets"]
    found = [one for one in packets if one["proto"] == "icmp"]
    assert {one["src"] for one in found} == {"10.0.0.1", "10.0.0.2"}
    for one in found:
        assert (one["icmp_type"], one["icmp_code"], one["next_hop_mtu"], one["length_bytes"]) == (3, 4, 1480, 576)
        assert one["quoted"]["length_bytes"] == 1500 and one["quoted"]["dport"] == 7000


def test_stacks_come_with_their_function_and_time():
    run = parsed(RUN + TRACE + DONE, told=True, trace=True)
    assert run["control"] is True and run["stacks"] == [
        {
            "function": "__icmp_send",
            "process": "exchange",
            "at_ms": 2.125,
            "frames": ["ip_fragment.constprop.0", "entry_SYSENTER_32"],
        }
    ]


@pytest.mark.parametrize(
    "change, reason",
    [
        (("lab: heartbeat 41 3.200", "lab: heartbeat 9 91.000"), "the guest's heart beat 91 ms late"),
        (("lab: end 1230.000", "lab: end 1150.000"), "150 ms by the guest's clock and 231 ms by this machine's"),
    ],
)
def test_a_machine_that_was_held_up_makes_no_measurement(change, reason):
    run = parsed([(text.replace(*change), at_ms) for text, at_ms in RUN + DONE])
    assert run["measured"] is False and reason in run["reason"] and run["b_ms"] == 210.2


@pytest.mark.parametrize("waited", ["1.000", "9000.000"])
def test_the_instruments_do_not_look_at_how_long_who_waited(waited):
    assert parsed([(text.replace("210.200", waited), at_ms) for text, at_ms in RUN + DONE])["measured"] is True


@pytest.mark.parametrize(
    "lines, expected",
    [
        (RUN + [("sh: can't fork", 0)] + DONE, "found: sh: can't fork"),
        (RUN + [("lab: exchange C 1 2 3", 0)] + DONE, "exchange of A or B"),
        (RUN + [("lab: exchange A 1448 x 3", 0)] + DONE, "expected a line of the run"),
        (
            RUN + [("lab: exchange A 1448 1.0 3.0", 0)] + DONE,
            "expected exchanges A, B, B-again, found A, B, B-again, A",
        ),
        (RUN[:-2] + DONE, "missing: heartbeat"),
        (RUN + RUN[:1] + DONE, 'one line "begin"'),
        ([("lab: failed connect: Connection refused", 0)], "the guest could not: connect: Connection refused"),
        (RUN + [("lab: done 1", 0)], "ended with status 1"),
        (RUN + [("lab: packet 1000.0 lo in 20 <b>", 0)] + DONE, "expected a line of the run"),
        (
            RUN + [("lab: packet 1000.0 lo in 20 6000", 0)] + DONE,
            "expected an IPv4 packet with its headers, found: 6000",
        ),
        (RUN + [(RUN[5][0].replace("out 41", "out 40"), 0)] + DONE, "expected an IPv4 packet with its headers"),
        (RUN + [(RUN[5][0][:-20], 0)] + DONE, "expected an IPv4 packet with its headers"),
        (RUN + [(RUN[5][0][:-1], 0)] + DONE, "expected whole bytes of a packet"),
        (RUN + TRACE[:4] + TRACE[-1:] + DONE, "expected __icmp_send in its own stack, found none"),
        (RUN + TRACE[:3] + [("<script>", 0)] + TRACE[-1:] + DONE, "expected a line of tracefs' trace, found: <script>"),
    ],
)
def test_what_it_does_not_know_is_an_error(lines, expected):
    answer = parsed(lines, trace=any("trace" in text for text, _ in lines))
    assert expected in answer["error"] and answer["known"] is True


def test_a_shells_bytes_are_the_terminals_until_it_has_ended():
    answer = subprocess.run(
        [node.node(), "--input-type=module", "-e", SHELL], text=True, capture_output=True, check=True, cwd=node.TAB
    )
    seen = json.loads(answer.stdout)
    assert seen["sent"] == ["shell 41 20\n", "caf\xc3\xa9\r"]  # what is typed goes out as UTF-8, byte by byte
    assert seen["portions"] == ["\x1b[6nclient# caf\xe9\r\n<b>lab: done 0\r\n", "lab: shell-end"]
    assert seen["early"] is False and seen["over"] is True and seen["later"] == ["", "lab: ready again"]


def test_a_clock_in_steps_gives_no_value_twice_and_never_runs_ahead_of_the_next_step():
    answer = subprocess.run(
        [node.node(), "--input-type=module", "-e", TWICE], text=True, capture_output=True, check=True, cwd=node.TAB
    )
    seen = json.loads(answer.stdout)
    assert seen == sorted(set(seen)) and seen[0] == 1 and seen[2] < 1.2 and seen[3] == 1.2 and seen[5] == 30
