"""How is a run drawn? As one plot; its ladders and stacks draw themselves."""

from matplotlib import pyplot as plt

from labs import plots
from labs.cases.frag_needed.names import TIMER_FLOOR_MS
from labs.cases.frag_needed.observed import Observed


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
        plots.label(
            axis, ("exchange", "1"), ("waited" if axis is axes[0] else "", "ms" if axis is axes[0] else "1"), way
        )
    axes[0].margins(y=0.3)  # room for the legend above the labels of the bars
    axes[0].legend(loc="upper left")
    return figure, "Bars of how long each exchange waited. " + ". ".join(said) + "."
