"""What is recorded of the chapter? Plain values that its pages quote, pictures, and files beside them."""

import json
from dataclasses import asdict

from core.draw import figures
from labs import plots
from labs.cases.addr_select import case, experiments, on_call, routes, tracing
from labs.cases.addr_select.network import Silent
from labs.cases.addr_select.pictures import STRAIGHT_UP_TO, straight_line
from labs.cases.addr_select.sweep import Sweep

UNSEEN = 3000  # addresses: none of the points


def predicted(seen: Sweep, count: int = UNSEEN) -> dict:
    """What a send costs at a number of addresses that no line was drawn through: what the line says, and
    what was measured. `off` compares them in sends with the setting, see `Turn`."""
    measured_us = min(turn.broken.cost.send_us for turn in seen.turns[count].every)
    return {
        "addresses": count,
        "predicted_us": round(straight_line(seen).at(count)),
        "measured_us": round(measured_us),
        "off": round(seen.ratio(count) / seen.ratios(STRAIGHT_UP_TO).at(count) - 1, 3),
    }


def crowded(labels: int = 1000, addresses: int = tracing.REPORTED) -> dict:
    """A flame graph with a label table as long as many namespaces made it together before Linux 4.15:
    what share of the walk the lookups have then."""
    with Silent() as net:
        experiments.lengthen_labels(net, labels)
        net.announce(addresses)
        flame = tracing.profiled(net, addresses)
    walk = flame.with_callees(tracing.WALK)
    return {
        "labels": labels,
        "addresses": addresses,
        "label_share": round(flame.with_callees(tracing.LOOKUP) / walk, 3),
        "own": round(flame.own().get("__ipv6_addr_label", 0), 3),
        "flame": flame,
    }


def record() -> dict:
    """Plain values for the prose; "figures", pictures as data by name; and "files", for download beside them."""
    plots.style()
    outcome, traced = case.run(apart=(UNSEEN,)), case.trace()
    rules, labels, kept = experiments.rules(), experiments.labels(), routes.kept()
    line, many = straight_line(outcome.seen), crowded()
    flame = many.pop("flame")
    flame.title = f"The same with {many['labels']} more labels"
    drawn = {
        "topology": figures.topology(outcome.seen.topology, "The node, its router, and a peer one hop further"),
        "sweep": plots.drawn(*outcome.figure()),
        "sockets": figures.table("\n".join(outcome.sockets()), "Who asks at each packet"),
        "scores": figures.table(traced.choice.text(), "One send among three service addresses, question by question"),
        "parts": figures.table(traced.table(), "One send, function by function"),
        "flame": traced.flame.figure(),
        "flame-crowded": flame.figure(),
        "rules": figures.table(rules.text(), "The same number of addresses, one thing changed at a time"),
        "kept": figures.table(kept.text(), "A route's source, after that address was deleted"),
        "labels": figures.table(labels.text(), "What the label lookups of one packet return"),
        **{stack["story"]: shown.figure() for stack, shown in zip(traced.to_json()["stacks"], traced.stacks)},
    }
    return {
        "run": outcome.to_json(),
        "straight": line.to_json(),
        "trace": traced.to_json(),
        "rules": {row.key: row.to_json() for row in rules},
        "labels": {row.key: row.to_json() for row in labels},
        "kept": {row.key: row.to_json() for row in kept},
        "predicted": predicted(outcome.seen),
        "crowded": many,
        "on_call": on_call.taken().to_json(),
        "figures": drawn,
        "files": {"scores.events.json": json.dumps([asdict(event) for event in traced.events], indent=1) + "\n"},
    }
