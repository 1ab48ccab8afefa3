"""Does vm-image/tab/live.js take what the tab's guest says, and nothing else? Under Node, without an emulator."""

import json
import subprocess

import pytest

from host.tab import node

ASK = """
import "./live.js";
let text = "";
for await (const chunk of process.stdin) text += chunk;
const {lines, options} = JSON.parse(text);
try {
    console.log(JSON.stringify(globalThis.LiveRun.parse(lines, options)));
} catch (error) {
    console.log(JSON.stringify({error: error.message, known: error instanceof globalThis.LiveRun.RunError}));
}
"""
RUN = [
    ("lab: begin 1000.000", 5000), ("lab: exchange A 1448 1000.250 4.100", 5230),
    ("lab: exchange B 1448 1004.500 210.200", 5230), ("lab: exchange B-again 1448 1214.800 2.200", 5230),
    ("lab: end 1230.000", 5231), ("lab: heartbeat 41 3.200", 5231), ("lab: counter IpFragFails 1", 5231),
]
DONE = [("lab: done 0", 5240)]
TRACE = [
    ("lab: trace-begin", 5232), ("# tracer: nop", 5232), ("#", 5232),
    ("        exchange-110     [000] d.s2.     1.002125: __icmp_send: (__icmp_send+0x8/0x540)", 5232),
    ("        exchange-110     [000] d.s2.     1.002132: <stack trace>", 5232),
    (" => kprobe_trace_func", 5232), (" => 0xc5871028", 5232), (" => __icmp_send", 5232),
    (" => ip_fragment.constprop.0", 5232), (" => entry_SYSENTER_32", 5232), ("lab: trace-end", 5232),
]


def parsed(lines, told=False, trace=False) -> dict:
    """What live.js makes of the lines, each (text, at_ms)."""
    asked = {"lines": [{"text": text, "at_ms": at_ms} for text, at_ms in lines],
             "options": {"told": told, "trace": trace}}
    answer = subprocess.run([node.node(), "--input-type=module", "-e", ASK], input=json.dumps(asked), text=True,
                            capture_output=True, check=True, cwd=node.TAB)
    return json.loads(answer.stdout)


def test_a_run_becomes_its_json():
    run = parsed(RUN + DONE)
    assert (run["a_ms"], run["b_ms"], run["b_again_ms"]) == (4.1, 210.2, 2.2)
    assert run["measured"] is True and run["control"] is False and run["counters"] == {"IpFragFails": 1}
    assert run["exchanges"][1] == {"name": "B", "bytes": 1448, "at_ms": 4.5, "waited_ms": 210.2}


def test_stacks_come_with_their_function_and_time():
    run = parsed(RUN + TRACE + DONE, told=True, trace=True)
    assert run["control"] is True and run["stacks"] == [
        {"function": "__icmp_send", "process": "exchange", "at_ms": 2.125,
         "frames": ["ip_fragment.constprop.0", "entry_SYSENTER_32"]}]


@pytest.mark.parametrize("change, reason", [
    (("lab: heartbeat 41 3.200", "lab: heartbeat 9 91.000"), "the guest's heart beat 91 ms late"),
    (("lab: end 1230.000", "lab: end 1150.000"), "150 ms by the guest's clock and 231 ms by this machine's"),
])
def test_a_machine_that_was_held_up_makes_no_measurement(change, reason):
    run = parsed([(text.replace(*change), at_ms) for text, at_ms in RUN + DONE])
    assert run["measured"] is False and reason in run["reason"] and run["b_ms"] == 210.2


@pytest.mark.parametrize("waited", ["1.000", "9000.000"])
def test_the_instruments_do_not_look_at_how_long_who_waited(waited):
    assert parsed([(text.replace("210.200", waited), at_ms) for text, at_ms in RUN + DONE])["measured"] is True


@pytest.mark.parametrize("lines, expected", [
    (RUN + [("sh: can't fork", 0)] + DONE, "found: sh: can't fork"),
    (RUN + [("lab: exchange C 1 2 3", 0)] + DONE, "exchange of A or B"),
    (RUN + [("lab: exchange A 1448 x 3", 0)] + DONE, "expected a line of the run"),
    (RUN + [("lab: exchange A 1448 1.0 3.0", 0)] + DONE, "expected exchanges A, B, B-again, found A, B, B-again, A"),
    (RUN[:-2] + DONE, "missing: heartbeat"),
    (RUN + RUN[:1] + DONE, 'one line "begin"'),
    ([("lab: failed connect: Connection refused", 0)], "the guest could not: connect: Connection refused"),
    (RUN + [("lab: done 1", 0)], "ended with status 1"),
    (RUN + TRACE[:4] + TRACE[-1:] + DONE, "expected __icmp_send in its own stack, found none"),
    (RUN + TRACE[:3] + [("<script>", 0)] + TRACE[-1:] + DONE, "expected a line of tracefs' trace, found: <script>"),
])
def test_what_it_does_not_know_is_an_error(lines, expected):
    answer = parsed(lines, trace=any("trace" in text for text, _ in lines))
    assert expected in answer["error"] and answer["known"] is True
