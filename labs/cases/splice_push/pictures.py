"""What does the chapter show of a run? Plots, tables, stacks and a ladder, and the data behind."""

from __future__ import annotations

import base64
import json

from matplotlib import pyplot as plt

from labs import plots
from labs.cases.splice_push import case, experiments, on_call, replay
from labs.cases.splice_push.network import Network
from labs.cases.splice_push.tracing import ASKED, CORKED, Traced
from labs.cases.splice_push.workload import DEADLINE_S, Fetched
from labs.draw import topology_svg

TIMER_FLOOR_MS = 200  # TCP_RTO_MIN (include/net/tcp.h): no probe timer runs out earlier


def ways(broken: dict[str, Fetched], fixed: dict[str, Fetched]):
    """How long each way of asking took in both states, as (figure, text alternative)."""
    plots.style()
    figure, axes = plt.subplots()
    said = []
    for shift, (label, state) in zip((-0.2, 0.2), (("fixed", fixed), ("broken", broken))):
        heights = [DEADLINE_S * 1e3 if one.missing_bytes else one.took_ms for one in state.values()]
        places = [number + shift for number in range(len(state))]
        bars = axes.barh(places, heights, 0.38, label=label, hatch="" if shift < 0 else "//")
        words = [f"{one.missing_bytes} B missing" if one.missing_bytes else f"{one.took_ms:.0f}"
                 for one in state.values()]
        axes.bar_label(bars, words, padding=3, fontsize=9)
        said.append(f"{label}: " + ", ".join(f"{name} {word}" for name, word in zip(state, words)))
    axes.axvline(TIMER_FLOOR_MS, linestyle=":", linewidth=1, color=plots.GREY)
    axes.set_xlim(1, DEADLINE_S * 1e4)
    axes.set_xscale("log")
    axes.set_yticks(range(len(broken)), list(broken))
    axes.invert_yaxis()
    axes.legend(loc="lower right")
    plots.label(axes, ("until the whole answer was there", "ms"), ("", "1"), "Ways to ask for 20000 bytes")
    return figure, ("Bars of how long the whole answer took, in ms, or what was still missing after "
                    f"{DEADLINE_S:.0f} s. " + ". ".join(said) + ".")


def unsent(traced: Traced):
    """Bytes written and not sent over time, as (figure, text alternative)."""
    plots.style()
    figure, axes = plt.subplots()
    shown = (f"fixed {ASKED}", f"broken {ASKED}", f"broken {CORKED}")
    styles = ("-", "--", "-.")
    for connection, style in zip(shown, styles):
        points = [(ms, held) for ms, held in traced.unsent(connection) if ms < 300]
        points.append((300, points[-1][1]))
        axes.step([ms for ms, _ in points], [held / 1e3 for _, held in points], style, where="post", label=connection,
                  marker="")
    axes.set_ylim(-1, 24)
    # Between the first milliseconds and the timer. By its left edge: how wide its words are, the reader's fonts say.
    axes.legend(loc="center left", bbox_to_anchor=(0.1, 0.5))
    plots.label(axes, ("since the header was written", "ms"), ("written and not sent", "KB"),
                "What lies in the sender's kernel")
    left = {connection: traced.unsent(connection) for connection in shown}
    said = [f"{connection}: at most {max(held for _, held in points)} bytes, "
            f"{[held for ms, held in points if ms < 300][-1]} after 300 ms" for connection, points in left.items()]
    return figure, "Steps of the bytes that are written and not sent. " + "; ".join(said) + "."


def record() -> dict:
    """Plain values for the prose; "figures", pictures as HTML by name; and "files", for download beside them."""
    plots.style()
    outcome = case.run()
    with Network() as net:
        traced = case.traced(net)
        reduced, freed = case.reduction(net), case.freed(net)
        piped = experiments.until_close(net, case.REGRESSION)
        replays = replay.report(net, case.REGRESSION)
    told, late = traced.to_json(), next(one for one in replays if one.name == "broken, corked")
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
        **{stack["story"]: shown.html() for stack, shown in zip(told["stacks"], traced.stacks)},
    }
    return {
        "run": outcome.to_json(),
        "trace": {name: value for name, value in told.items() if name != "events"},
        "reduction": {_key(one.name): one.to_json() for one in reduced},
        "freed": {_key(name): one.to_json() for name, one in freed},
        "pv": {name: one.to_json() for name, one in piped},
        "report": {_key(one.name): one.to_json() for one in replays},
        "on_call": on_call.taken(case.REGRESSION).to_json(),
        "figures": figures,
        "files": {"200-ms.pcap": {"base64": base64.b64encode(late.pcap).decode()},
                  "timeline.events.json": json.dumps(told["events"], indent=1) + "\n"},
    }


def _key(name: str) -> str:
    """A name as a key that prose can quote: "lo, MTU 16384" is lo_mtu_16384."""
    kept = "".join(letter for letter in name.lower() if letter.isalnum() or letter == " ")
    return kept.replace(" ", "_")
