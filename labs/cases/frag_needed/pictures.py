"""What does the chapter show of a run? Ladders, stacks, tables and one plot, and the data behind."""

from __future__ import annotations

import base64
import json

from matplotlib import pyplot as plt

from labs import plots
from labs.cases.frag_needed import case, on_call
from labs.cases.frag_needed.network import Network
from labs.cases.frag_needed.observed import Observed
from labs.draw import topology_svg

# Linux's TCP_RTO_MIN (include/net/tcp.h): no probe timer runs out earlier.
TIMER_FLOOR_MS = 200
SMALL_BYTES = 48  # net.ipv4.tcp_min_snd_mss: no segment size is below it, options included


def waits(broken: dict[str, Observed], control: dict[str, Observed]):
    """How long each exchange waited, as (figure, text alternative)."""
    plots.style()
    figure, axes = plt.subplots(1, len(broken), sharey=True)
    said = []
    for axis, way in zip(axes, broken):
        names = [exchange.name for exchange in broken[way].exchanges]
        for shift, (label, seen) in zip((-0.2, 0.2), (("as it is", broken[way]), ("route says 1480", control[way]))):
            waited = [exchange.waited_ms for exchange in seen.exchanges]
            places = [place + shift for place in range(len(names))]
            bars = axis.bar(places, waited, 0.38, label=label, hatch="" if shift < 0 else "//")
            axis.bar_label(bars, [f"{ms:.0f}" for ms in waited], padding=2, fontsize=9)
            said.append(f"{way}, {label}: " + ", ".join(f"{n} {ms:.0f} ms" for n, ms in zip(names, waited)))
        axis.axhline(TIMER_FLOOR_MS, linestyle=":", linewidth=1, color=plots.GREY)
        axis.set_xticks(range(len(names)), names)
        plots.label(axis, ("exchange", "1"), ("waited" if axis is axes[0] else "", "ms" if axis is axes[0] else "1"),
                    way)
    axes[0].margins(y=0.3)  # room for the legend above the labels of the bars
    axes[0].legend(loc="upper left")
    return figure, "Bars of how long each exchange waited. " + ". ".join(said) + "."


def record() -> dict:
    """Plain values for the prose; "figures", pictures as HTML by name; and "files", what a reader may
    download beside the figure whose name each file begins with."""
    plots.style()
    outcome, traced = case.run(), case.trace()
    with Network() as net:
        again = case.again(net)
    with Network() as net:
        expiry = case.expiry(net)
    seen = outcome.broken["direct"]
    figures = {
        "topology": topology_svg.figure(outcome.addresses, "Client, balancer and server on one wire"),
        "a-ladder": seen.ladder("A", "Connection A, seen at the client").html(),
        "b-ladder": seen.ladder("B", "Connection B, seen at the client").html(),
        "waits": plots.figure_html(*outcome.figure()),
        "timeline": plots.table_html(traced.timeline(), "A and B in the kernel, each from its first ICMP on"),
        "again": plots.table_html(again.text(), "The same pair of connections four times in one network"),
        "expiry": plots.table_html(expiry.text(), "Two connections outlive what was learnt"),
        **{stack["story"]: shown.html()
           for stack, shown in zip(traced.to_json()["stacks"], traced.stacks)},
    }
    return {
        "run": outcome.to_json(),
        "trace": {name: value for name, value in traced.to_json().items() if name != "events"},
        "again": {_key(one.after): one.to_json() for one in again},
        "expiry": {_key(one.name): {"waited_ms": round(one.waited_ms, 1), "mss_before": one.before.snd_mss,
                              "mss_after": one.info.snd_mss,
                              "small_segments": sum(packet.payload_bytes <= SMALL_BYTES
                                                    for packet in expiry.seen.sent(one.name))}
                   for one in expiry},
        "on_call": on_call.taken().to_json(),
        "figures": figures,
        "files": {**{f"{way}-ladder.pcap": {"base64": base64.b64encode(seen.pcap).decode()} for way in "ab"},
                  "timeline.events.json": json.dumps(traced.to_json()["events"], indent=1) + "\n"},
    }


def _key(name: str) -> str:
    """A name as a key that prose can quote: "A expired, looked up" is a_expired_looked_up."""
    return name.lower().replace(",", "").replace(" ", "_")
