"""What does a run in the tab's kernel show? Restored under Node as a page restores it: one JSON object, or a few
lines for a person."""

import json

from host.tab.state import State, call


def run(state: State, with_route: bool, trace: bool) -> dict:
    """Chapter 1 once, in a machine of its own; `with_route`: a route says 1480 bytes beforehand (the control)."""
    seen = call("run", state.folder, json.dumps({"told": with_route, "trace": trace}))
    return {**seen, "kernel": state.described["release"]}


def check(state: State, exercise: str, answer: str) -> dict:
    """The verdict on an answer, as a page comes to it, with what was said on the way and what it cost (`host`)."""
    return call("check", state.folder, json.dumps({"exercise": exercise, "answer": answer}))


def cells(state: State, sources: list[str]) -> dict:
    """What these cells of a notebook led to, one after the other, as on a page (labs/cells.py), and when."""
    return call("cells", state.folder, *sources)


def described(state: State) -> dict:
    """What was made, and where."""
    return {**state.described, "folder": str(state.folder)}


def for_terminal(answer: dict) -> str:
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
    way = ", route MTU 1480" if answer["told"] else ""
    exchanges = answer["exchanges"]
    return [
        f"frag-needed on Linux {answer['kernel']}, in the emulator of the tab",
        "",
        f"{'waited, ms' + way:<28}" + "".join(f"{one['name']:>10}" for one in exchanges),
        f"{'':<28}" + "".join(f"{one['waited_ms']:>10.1f}" for one in exchanges),
        "",
        *(f"{name:<28}{moved:>10}" for name, moved in answer["counters"].items()),
        "",
        "measured: the machine kept time during the run" if answer["measured"] else f"not measured: {answer['reason']}",
    ]
