"""What is recorded of the chapter? Plain values that its pages quote, pictures, and files beside them."""

import base64
import json

from core.draw import figures
from labs import plots
from labs.cases.splice_push import case, experiments, on_call, replay
from labs.cases.splice_push.network import Network
from labs.cases.splice_push.pictures import unsent
from labs.cases.splice_push.regression import REGRESSION


def record() -> dict:
    """Plain values for the prose; "figures", pictures as data by name; and "files", for download beside them."""
    plots.style()
    outcome = case.run()
    with Network() as net:
        traced = case.traced(net)
        reduced, freed = case.reduction(net), case.freed(net)
        piped = experiments.until_close(net, REGRESSION)
        replays = replay.report(net, REGRESSION)
    plain, late = traced.to_json(), next(one for one in replays if one.name == "broken, corked")
    drawn = {
        "topology": figures.topology(outcome.addresses, "Client, proxy and server in a row"),
        "ways": plots.drawn(*outcome.figure()),
        "unsent": plots.drawn(*unsent(traced)),
        "flags": figures.table(traced.pages(), "The pages of one splice(2), and the flags that each goes with"),
        "timeline": figures.table(traced.timeline(), "What the sender's kernel does for three answers"),
        "reduction": figures.table(reduced.text(), "What moves the fault, and what does not"),
        "freed": figures.table(freed.text(), "After half a second without anything, one thing is done"),
        "pv": figures.table(piped.text(), "A packaged program, waited for until its connection ends"),
        "report": figures.table(replays.text(), "The report's lengths and windows, today"),
        "200-ms": late.ladder().figure(),
        **{stack["story"]: shown.figure() for stack, shown in zip(plain["stacks"], traced.stacks)},
    }
    return {
        "run": outcome.to_json(),
        "trace": {name: value for name, value in plain.items() if name != "events"},
        "reduction": {_key(one.name): one.to_json() for one in reduced},
        "freed": {_key(name): one.to_json() for name, one in freed},
        "pv": {name: one.to_json() for name, one in piped},
        "report": {_key(one.name): one.to_json() for one in replays},
        "on_call": on_call.taken(REGRESSION).to_json(),
        "look_alike": {"waited_ms": [round(ms, 1) for ms in on_call.waited_ms()]},
        "figures": drawn,
        "files": {
            "200-ms.pcap": {"base64": base64.b64encode(late.pcap).decode()},
            "timeline.events.json": json.dumps(plain["events"], indent=1) + "\n",
        },
    }


def _key(name: str) -> str:
    """A name as a key that prose can quote: "lo, MTU 16384" is lo_mtu_16384."""
    kept = "".join(letter for letter in name.lower() if letter.isalnum() or letter == " ")
    return kept.replace(" ", "_")
