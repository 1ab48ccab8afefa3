"""What is recorded of the chapter? Plain values that its pages quote, pictures, and files beside them."""

import base64
import json
import re

from core.draw import figures
from labs import plots, shell
from labs.cases.frag_needed import case, on_call
from labs.cases.frag_needed.network import Network
from labs.cases.frag_needed.shell import TYPED

SMALL_BYTES = 48  # net.ipv4.tcp_min_snd_mss: no segment size is below it, options included
WAITED = re.compile(r"^([\d.]+) s$", re.MULTILINE)  # what TYPED has bash say, and nstat
REFUSED = re.compile(r"^IpFragFails +(\d+)", re.MULTILINE)


def record() -> dict:
    """Plain values for the prose; "figures", pictures as data by name; and "files", what a reader may
    download beside the figure whose name each file begins with."""
    plots.style()
    outcome, traced = case.run(), case.trace()
    with Network() as net:
        again = case.again(net)
    with Network() as net:
        expiry = case.expiry(net)
    typed = shell.transcript("frag-needed", TYPED)
    seen = outcome.shown["direct"]
    drawn = {
        "a-ladder": seen.ladder("A", "Connection A, seen at the client").figure(),
        "b-ladder": seen.ladder("B", "Connection B, seen at the client").figure(),
        "waits": plots.drawn(*outcome.figure()),
        "timeline": figures.table(traced.timeline(), "A and B in the kernel, each from its first ICMP on"),
        "again": figures.table(again.text(), "The same pair of connections four times in one network"),
        "prompt": figures.table(typed, "./lab shell frag-needed", wraps=True),
        "expiry": figures.table(expiry.text(), "Two connections outlive what was learnt"),
        **{stack["story"]: shown.figure() for stack, shown in zip(traced.to_json()["stacks"], traced.stacks)},
    }
    return {
        "run": outcome.to_json(),
        "trace": {name: value for name, value in traced.to_json().items() if name != "events"},
        "again": {_key(one.after): one.to_json() for one in again},
        "expiry": {
            _key(one.name): {
                "waited_ms": round(one.waited_ms, 1),
                "mss_before": one.before.snd_mss,
                "mss_after": one.info.snd_mss,
                "small_segments": sum(packet.payload_bytes <= SMALL_BYTES for packet in expiry.seen.sent(one.name)),
            }
            for one in expiry
        },
        "prompt": waited(typed),
        "on_call": on_call.taken().to_json(),
        "look_alike": {"waited_ms": [round(ms, 1) for ms in on_call.waited_ms()]},
        "figures": drawn,
        "files": {
            **{f"{way}-ladder.pcap": {"base64": base64.b64encode(seen.pcap).decode()} for way in "ab"},
            "timeline.events.json": json.dumps(traced.to_json()["events"], indent=1) + "\n",
        },
    }


def waited(typed: str) -> dict[str, dict[str, float | int]]:
    """How long each connection waited at the prompt, in seconds, and how many packets its host refused, with the fault
    and without. What the prompt did not say is not in it, and no conclusion is drawn then."""
    seen = {}
    for state, lines in zip(("with_fault", "without"), typed.split(f"{shell.PROMPT}fault_off")):
        seen[state] = dict(zip(("first_s", "second_s"), map(float, WAITED.findall(lines))))
        if refused := REFUSED.search(lines):
            seen[state]["refused"] = int(refused[1])
    return seen


def _key(name: str) -> str:
    """A name as a key that prose can quote: "A expired, looked up" is a_expired_looked_up."""
    return name.lower().replace(",", "").replace(" ", "_")
