"""What does a run in the tab's kernel show? Restored under Node as a page restores it: one JSON object, or a few
lines for a person."""

from host.tab.state import State, call

NAMES = {"A": "A", "B": "B", "B-again": "B again"}


def run(state: State, with_route: bool, trace: bool) -> dict:
    """Chapter 1 once, in a machine of its own; `with_route`: a route says 1480 bytes beforehand (the control)."""
    seen = call("run", state.folder, *(["told"] if with_route else []), *(["trace"] if trace else []))
    return {**seen, "kernel": state.described["release"]}


def described(state: State) -> dict:
    """What was made, and where."""
    return {**state.described, "folder": str(state.folder)}


def text(answer: dict) -> str:
    """A run, or what was made, for the terminal, at most 80 columns."""
    return "\n".join(line.rstrip() for line in (_run_lines if "measured" in answer else _made_lines)(answer))


def _made_lines(answer: dict) -> list[str]:
    sizes = ", ".join(f"{name} {file['bytes'] / 1e6:.2f} MB" for name, file in answer["files"].items())
    return [
        f"Linux {answer['release']} of Debian's {answer['suite']}, saved for v86 {answer['v86']}",
        f"  {sizes}",
        f"  in {answer['folder']}",
    ]


def _run_lines(answer: dict) -> list[str]:
    way = ", route MTU 1480" if answer["control"] else ""
    exchanges = answer["exchanges"]
    lines = [
        f"frag-needed on Linux {answer['kernel']}, in the emulator of the tab",
        "",
        f"{'waited, ms' + way:<28}" + "".join(f"{NAMES[one['name']]:>10}" for one in exchanges),
        f"{'':<28}" + "".join(f"{one['waited_ms']:>10.1f}" for one in exchanges),
        "",
        *(f"{name:<28}{moved:>10}" for name, moved in answer["counters"].items()),
    ]
    for event in answer.get("stacks", []):
        lines += [
            "",
            f"{event['function']} at {event['at_ms']:.1f} ms, in {event['process']}",
            *(f"    {frame}" for frame in event["frames"]),
        ]
    return [
        *lines,
        "",
        "measured: the machine kept time during the run" if answer["measured"] else f"not measured: {answer['reason']}",
    ]
