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
    """Bytes written and not sent over time, a panel for each answer, as (figure, text alternative)."""
    plots.style()
    shown = {f"fixed {ASKED}": "", f"broken {ASKED}": " (the client gives up)", f"broken {CORKED}": " (a timer sends)"}
    figure, panels = plt.subplots(len(shown), sharex=True, sharey=True, figsize=(7.2, 4.4))
    left = {connection: traced.unsent(connection) for connection in shown}
    end_ms = 1.02 * max(points[-1][0] for points in left.values())
    said = []
    for axes, (connection, points), colour in zip(panels, left.items(), plots.COLORS.values()):
        name, (most, leaves_ms) = connection.replace(" ", ": ", 1), _leaves(points)
        at_the_end = [(end_ms, 0)] if not points[-1][1] else []  # what is held longer than the trace is not drawn on
        ms, held = zip(*points, *at_the_end)
        kilobytes = [each / 1e3 for each in held]
        axes.step(ms, kilobytes, where="post", label=name, marker="", color=colour)
        axes.fill_between(ms, kilobytes, step="post", alpha=0.25, color=colour)
        how = f"until {leaves_ms:.0f} ms{shown[connection]}"
        plots.label(axes, ("since the header was written", "ms"), ("written and not sent", "KB"), f"{name} – {how}")
        axes.title.set_size(11)  # the longest is as wide as the plot
        axes.xaxis.label.set_visible(axes is panels[-1])
        axes.yaxis.label.set_visible(axes is panels[len(panels) // 2])
        said.append(f"{name}: {most} bytes, {how}")
    panels[0].set(ylim=(-1, 24), yticks=(0, 20))
    return figure, "Steps of the bytes that are written and not sent. " + "; ".join(said) + "."


def _leaves(points: list[tuple[float, int]]) -> tuple[int, float]:
    """The most that is written and not sent, and when that begins to leave, in ms."""
    most = max(held for _, held in points)
    full = next(number for number, (_, held) in enumerate(points) if held == most)
    return most, next(ms for ms, held in points[full:] if held < most)
