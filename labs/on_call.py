"""What does a person on call see? A case's looks, typed where the fault is and where it is not.

labs/looks.py says what a look is, and what it has to tell apart: the fault, a control where nothing is wrong, and the
case's look-alike, another cause that one may take for the fault.
"""

import subprocess
import time
from collections.abc import Callable, Iterable
from contextlib import AbstractContextManager
from pathlib import Path

from labs.looks import Look, LookResults
from labs.net.node import Node
from labs.net.topology import Topology

DEADLINE_S = 120


class NoLook(RuntimeError):
    """A look could not be taken: it did not end in time, or said nothing."""


# What is begun for the length of a block: the hosts, and what the users do once more when it is called.
Scene = Callable[[], AbstractContextManager[tuple[Topology, Callable[[], object]]]]


def taken(looks: Iterable[Look], broken: Scene, healthy: Scene, alike: Scene | None = None) -> LookResults:
    """All looks in both scenes, and those that look for something there in the look-alike."""
    looks = list(looks)
    there = [look for look in looks if look.alike]
    if there and alike is None:
        raise ValueError(f"expected a look-alike for {', '.join(look.id for look in there)}, found none")
    return LookResults(
        looks, _said(looks, broken), _said(looks, healthy), _said(there, alike) if there and alike else {}
    )


def _said(looks: Iterable[Look], scene: Scene) -> dict[str, str]:
    """What each look says in this scene, by its id."""
    with scene() as (net, again):
        return {look.id: output(look, net[look.on], net.folder, again) for look in looks}


def output(look: Look, node: Node, folder: Path, again: Callable[[], object]) -> str:
    """What the command says on standard output."""
    until = time.monotonic() + DEADLINE_S
    process = node.start("sh", "-c", look.command, cwd=folder)
    try:
        while look.meanwhile and process.poll() is None and time.monotonic() < until:
            again()
        out, err = process.communicate(timeout=max(until - time.monotonic(), 1))
    except subprocess.TimeoutExpired as error:
        raise NoLook(f"on {look.on}: expected `{look.command}` to end within {DEADLINE_S} s") from error
    finally:
        process.kill()  # no more than a formality, unless it hangs or we were interrupted
    if not out.strip() and process.returncode not in (0, 1):  # 1: grep and its like have found nothing
        raise NoLook(
            f"on {look.on}: expected `{look.command}` to say something, found exit status "
            f"{process.returncode} and: {err.strip() or 'nothing'}"
        )
    return out
