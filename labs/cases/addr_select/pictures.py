"""How is a run drawn? As one plot, with the line through its points."""

from matplotlib import pyplot as plt

from labs import plots
from labs.cases.addr_select.sweep import Line, Sweep

STRAIGHT_UP_TO = 4096  # more addresses than that outgrow the processor's cache, and cost more each


def costs(seen: Sweep):
    """Cost of a send against the number of addresses, as (figure, text alternative)."""
    plots.style()
    figure, axes = plt.subplots()
    ways = (("as it is", seen.broken), ("use_oif_addrs_only", seen.fixed), ("IPv4", seen.ipv4))
    said = []
    for name, points in ways:
        axes.plot(list(points), [point.cost.send_us for point in points.values()], label=name)
        said.append(f"{name}: " + ", ".join(f"{count} {point.cost.send_us:.0f}" for count, point in points.items()))
    line = straight_line(seen)
    axes.plot(
        list(seen.broken),
        [max(line.at(count), 1) for count in seen.broken],
        ":",
        color=plots.GREY,
        marker="",
        label=f"{line.slope_ns:.0f} ns for each address",
    )
    axes.set_xscale("log", base=2)
    axes.set_yscale("log")
    plots.label(
        axes,
        ("service addresses on the node", "1"),
        ("one UDP send", "\N{MICRO SIGN}s"),
        "What a packet costs its sender",
    )
    axes.legend()
    return figure, (
        "Time of one UDP send in microseconds by number of addresses, both axes logarithmic. "
        + "; ".join(said)
        + f". The line fitted has {line.slope_ns:.0f} ns for each address."
    )


def straight_line(seen: Sweep) -> Line:
    """The line through the points up to STRAIGHT_UP_TO addresses."""
    return seen.line({count: point for count, point in seen.broken.items() if count <= STRAIGHT_UP_TO})
