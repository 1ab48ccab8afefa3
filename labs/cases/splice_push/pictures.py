"""How are a run and its trace drawn? As plots; tables, stacks and a ladder draw themselves."""

from matplotlib import pyplot as plt

from labs import plots
from labs.cases.splice_push.tracing import ASKED, CORKED, Traced
from labs.cases.splice_push.workload import DEADLINE_S, Fetched

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
        words = [
            f"{one.missing_bytes} B missing" if one.missing_bytes else f"{one.took_ms:.0f}" for one in state.values()
        ]
        axes.bar_label(bars, words, padding=3, fontsize=9)
        said.append(f"{label}: " + ", ".join(f"{name} {word}" for name, word in zip(state, words)))
    axes.axvline(TIMER_FLOOR_MS, linestyle=":", linewidth=1, color=plots.GREY)
    axes.set_xlim(1, DEADLINE_S * 1e4)
    axes.set_xscale("log")
    axes.set_yticks(range(len(broken)), list(broken))
    axes.invert_yaxis()
    axes.legend(loc="lower right")
    plots.label(axes, ("until the whole answer was there", "ms"), ("", "1"), "Ways to ask for 20000 bytes")
    return figure, (
        "Bars of how long the whole answer took, in ms, or what was still missing after "
        f"{DEADLINE_S:.0f} s. " + ". ".join(said) + "."
    )


def unsent(traced: Traced):
    """Bytes written and not sent over time, as (figure, text alternative)."""
    plots.style()
    figure, axes = plt.subplots()
    shown = (f"fixed {ASKED}", f"broken {ASKED}", f"broken {CORKED}")
    styles = ("-", "--", "-.")
    for connection, style in zip(shown, styles):
        points = [(ms, held) for ms, held in traced.unsent(connection) if ms < 300]
        points.append((300, points[-1][1]))
        axes.step(
            [ms for ms, _ in points],
            [held / 1e3 for _, held in points],
            style,
            where="post",
            label=connection,
            marker="",
        )
    axes.set_ylim(-1, 24)
    # Between the first milliseconds and the timer. By its left edge: how wide its words are, the reader's fonts say.
    axes.legend(loc="center left", bbox_to_anchor=(0.1, 0.5))
    plots.label(
        axes, ("since the header was written", "ms"), ("written and not sent", "KB"), "What lies in the sender's kernel"
    )
    left = {connection: traced.unsent(connection) for connection in shown}
    said = [
        f"{connection}: at most {max(held for _, held in points)} bytes, "
        f"{[held for ms, held in points if ms < 300][-1]} after 300 ms"
        for connection, points in left.items()
    ]
    return figure, "Steps of the bytes that are written and not sent. " + "; ".join(said) + "."
