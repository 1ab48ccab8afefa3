"""How are downloads drawn? As rates, sizes over time, cuts to scale, and a ladder."""

from matplotlib import pyplot as plt

from core.draw.ladder import Ladder, ladder
from core.wire.packet import Packet
from labs import plots
from labs.cases.rtl8139_tso.names import CLIENT, NARROW_MTU, SERVERS
from labs.cases.rtl8139_tso.observed import OPTIONS_BYTES, Download

HANDSHAKE_PACKETS = 14
SHOWN_S = 0.4  # of a download, in the plot of sizes over time
LEAST_BYTES = 1050  # shown there: of what is smaller nothing is large enough to matter
FITS_BYTES = NARROW_MTU - 40 - OPTIONS_BYTES


def rates(seen: dict[str, Download]):
    """How fast the file came in each state, as (figure, text alternative)."""
    plots.style()
    figure, axes = plt.subplots(figsize=(7.2, 0.45 * len(seen) + 0.9))
    states = list(reversed(seen.values()))
    colors = [
        plots.COLORS["vermillion" if state.router("FragFails") else "orange" if state.router("FragOKs") else "blue"]
        for state in states
    ]
    hatches = ["" if state.router("FragFails") else "//" if state.router("FragOKs") else ".." for state in states]
    bars = axes.barh([state.called for state in states], [state.rate_kb_s for state in states], color=colors)
    for bar, hatch in zip(bars, hatches):
        bar.set_hatch(hatch)
    axes.bar_label(bars, [f"{state.rate_kb_s:.0f}" for state in states], padding=3, fontsize=9)
    axes.set_xscale("log")
    axes.set_xlim(left=10)
    plots.label(axes, ("rate", "KB/s"), ("", "1"), "plain: packets dropped; //: cut on the way; dotted: neither")
    said = ", ".join(f"{state.called} {state.rate_kb_s:.0f}" for state in seen.values())
    return figure, f"Bars of the rate in KB/s on a logarithmic axis: {said}."


def sizes(seen: Download):
    """Each segment of the server when it came by, with its payload, as (figure, text alternative)."""
    plots.style()
    figure, axes = plt.subplots()
    data = [packet for packet in seen.data if packet.time_s <= SHOWN_S]
    kinds = {
        "new": [packet for packet in data if not packet.retransmission],
        "sent again": [packet for packet in data if packet.retransmission],
    }
    for (name, packets), color, marker in zip(kinds.items(), ("blue", "orange"), "o^"):
        axes.plot(
            [packet.time_s * 1e3 for packet in packets],
            [packet.payload_bytes for packet in packets],
            color=plots.COLORS[color],
            marker=marker,
            linestyle="",
            label=name,
        )
    dropped = [packet for packet in data if packet.length_bytes > NARROW_MTU]
    axes.plot(
        [packet.time_s * 1e3 for packet in dropped],
        [packet.payload_bytes for packet in dropped],
        "x",
        color=plots.COLORS["vermillion"],
        markersize=11,
        label="dropped at the router",
    )
    axes.axhline(FITS_BYTES, linestyle=":", linewidth=1, color=plots.GREY)
    axes.text(SHOWN_S * 1e3, FITS_BYTES + 5, f"what fits: {FITS_BYTES}", fontsize=9, color=plots.GREY, ha="right")
    axes.set_ylim(LEAST_BYTES, None)
    axes.legend(loc="lower right", ncols=3, fontsize=9)
    plots.label(axes, ("time", "ms"), ("payload", "bytes"), f"MSS {seen.mss} agreed: {seen.called}")
    largest = max(packet.payload_bytes for packet in data)
    return figure, (
        f"Payloads over the first {SHOWN_S * 1e3:.0f} ms: {len(kinds['new'])} new segments and "
        f"{len(kinds['sent again'])} sent again; {len(dropped)} of {largest} bytes are above the "
        f"{FITS_BYTES} that fit, and are dropped."
    )


def cut(sends):
    """What the kernel asked for above what the card made of it, to scale, as (figure, text alternative)."""
    plots.style()
    figure, axes = plt.subplots(figsize=(7.2, 0.75 * len(sends) + 0.9))
    ticks = []
    for row, send in enumerate(reversed(sends)):
        for shift, pieces, color, name in ((0.2, send.asked, "blue", "asked"), (-0.2, send.arrived, "orange", "wire")):
            start = 0
            for piece in pieces:
                over = piece > FITS_BYTES
                bar = axes.barh(
                    row + shift,
                    piece,
                    0.36,
                    start,
                    edgecolor=plots.GREY,
                    hatch="xx" if over else "",
                    color=plots.COLORS["vermillion" if over else color],
                    alpha=0.75,
                )
                axes.bar_label(bar, [str(piece)], label_type="center", fontsize=9)
                start += piece
            ticks.append((row + shift, name))
    axes.set_yticks([place for place, _ in ticks], [name for _, name in ticks])
    plots.label(axes, ("payload", "bytes"), ("", "1"), "the same bytes, asked for and on the wire (xx: will not fit)")
    said = "; ".join(f"asked {send.asked}, on the wire {send.arrived}" for send in sends)
    return figure, f"Pairs of bars, to scale: {said}."


def handshake(seen: Download) -> Ladder:
    """The download's first packets at the router's card on the server's cable."""
    packets = seen.packets[:HANDSHAKE_PACKETS]
    labels = {number: f"{packet.label()}, MSS {packet.mss}" for number, packet in enumerate(packets) if packet.mss}
    lost = [number for number, packet in enumerate(packets) if packet.length_bytes > NARROW_MTU]
    server = SERVERS[seen.server]

    def place(packet: Packet) -> tuple[str, str] | None:
        if packet.is_icmp:
            return "router", seen.server
        return (seen.server, "router") if packet.length_bytes > NARROW_MTU else None

    return ladder(
        packets,
        {"client": [CLIENT], "router": [], seen.server: [server]},
        "The first packets, seen at the router's end of the server's cable",
        place,
        labels=labels,
        lost=lost,
    )


def different(sends, count: int = 5) -> list:
    """Large sends of different sizes, the smallest first."""
    by_size = {send.payload_bytes: send for send in reversed(sends) if send.arrived}
    return [by_size[size] for size in sorted(by_size)][:count]
