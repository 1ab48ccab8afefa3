"""What is recorded of the chapter? Plain values that its pages quote, pictures, and files beside them."""

from __future__ import annotations

import base64
import json

from core.draw import topology_svg
from labs import plots
from labs.cases.splice_push import case, experiments, on_call, replay
from labs.cases.splice_push.network import Network
from labs.cases.splice_push.pictures import unsent
from labs.cases.splice_push.regression import REGRESSION


def record() -> dict:
    """Plain values for the prose; "figures", pictures as HTML by name; and "files", for download beside them."""
    plots.style()
    outcome = case.run()
    with Network() as net:
        traced = case.traced(net)
        reduced, freed = case.reduction(net), case.freed(net)
        piped = experiments.until_close(net, REGRESSION)
        replays = replay.report(net, REGRESSION)
    plain, late = traced.to_json(), next(one for one in replays if one.name == "broken, corked")
    figures = {
        "topology": topology_svg.figure(outcome.addresses, "Client, proxy and server in a row"),
        "ways": plots.figure_html(*outcome.figure()),
        "unsent": plots.figure_html(*unsent(traced)),
        "flags": plots.table_html(traced.pages(), "The pages of one splice(2), and the flags that each goes with"),
        "timeline": plots.table_html(traced.timeline(), "What the sender's kernel does for three answers"),
        "reduction": plots.table_html(reduced.text(), "What moves the fault, and what does not"),
        "freed": plots.table_html(freed.text(), "After half a second without anything, one thing is done"),
        "pv": plots.table_html(piped.text(), "A packaged program, waited for until its connection ends"),
        "report": plots.table_html(replays.text(), "The report's lengths and windows, today"),
        "200-ms": late.ladder().html(),
        **{stack["story"]: shown.html() for stack, shown in zip(plain["stacks"], traced.stacks)},
    }
    return {
        "run": outcome.to_json(),
        "trace": {name: value for name, value in plain.items() if name != "events"},
        "reduction": {_key(one.name): one.to_json() for one in reduced},
        "freed": {_key(name): one.to_json() for name, one in freed},
        "pv": {name: one.to_json() for name, one in piped},
        "report": {_key(one.name): one.to_json() for one in replays},
        "on_call": on_call.taken(REGRESSION).to_json(),
        "figures": figures,
        "files": {
            "200-ms.pcap": {"base64": base64.b64encode(late.pcap).decode()},
            "timeline.events.json": json.dumps(plain["events"], indent=1) + "\n",
        },
    }


def _key(name: str) -> str:
    """A name as a key that prose can quote: "lo, MTU 16384" is lo_mtu_16384."""
    kept = "".join(letter for letter in name.lower() if letter.isalnum() or letter == " ")
    return kept.replace(" ", "_")
