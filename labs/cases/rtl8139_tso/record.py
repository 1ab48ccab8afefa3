"""What is recorded of the chapter? Plain values that its pages quote, pictures, and files beside them."""

import base64
import json

from core.draw import figures
from labs import plots
from labs.cases.rtl8139_tso import case, on_call, steps
from labs.cases.rtl8139_tso.network import Network
from labs.cases.rtl8139_tso.over_ipv6 import DualStack, over_ipv6
from labs.cases.rtl8139_tso.pictures import cut, different, handshake, sizes


def record() -> dict:
    """Plain values for the prose; "figures", pictures as data by name; and "files", for download beside them."""
    plots.style()
    outcome, traced = case.run(), case.trace()
    with Network() as net:
        where, locked = steps.where(net), steps.locked(net)
        again = case.sent_again(net)
    with DualStack() as net:
        both = over_ipv6(net)
    broken = outcome.seen["as_it_is"]
    drawn = {
        "topology": figures.topology(
            outcome.topology, "Three servers, their router, and a reader behind a narrow link"
        ),
        "rates": plots.drawn(*outcome.figure()),
        "states": figures.table(outcome.table.text(), "The same file, fetched in seven states"),
        "where": figures.table(where.text(), "The server's file, fetched in three places"),
        "handshake": handshake(broken).figure(),
        "asked": plots.drawn(*sizes(broken)),
        "lock": figures.table(locked.text(), "Routes with an MTU, with a lock, and no discovery at all"),
        "sent-again": figures.table(again.text(), "Every dropped segment, until its first byte passed"),
        "wire": plots.drawn(*cut(different(traced.plain.large + traced.locked.large))),
        "sends": figures.table(traced.wire(), "The first packets with data, in bytes of payload"),
        "icmps": figures.table(traced.icmps(), "What TCP does about the ICMPs; value: MTU, or segments lost"),
        **{_figure(stack["story"]): shown.figure() for stack, shown in zip(traced.to_json()["stacks"], traced.stacks)},
    }
    return {
        "run": outcome.to_json(),
        "trace": traced.to_json(),
        "where": {seen.at: seen.to_json() for seen in where},
        "locked": dict(zip(("mtu", "mtu_lock", "mtu_lock_1500", "no_pmtu_disc"), locked.to_json())),
        "sent_again": again.to_json(),
        "over_ipv6": both.to_json(),
        "on_call": on_call.taken().to_json(),
        "figures": drawn,
        "files": {
            "handshake.pcap": {"base64": base64.b64encode(broken.pcap).decode()},
            "icmps.events.json": json.dumps(traced.plain.log(), indent=1) + "\n",
        },
    }


def _figure(name: str) -> str:
    """The figure of an expected stack; of two ways in which one may end, whichever it was."""
    return name.removesuffix("-later")
