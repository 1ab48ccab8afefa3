"""What does a person on call see of the stall, at the client? The looks of looks.toml, and a control."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

from labs import looks, on_call
from labs.cases.frag_needed.network import Network
from labs.cases.frag_needed.workload import direct

LOOKS = Path(__file__).with_name("looks.toml")
USERS = "ABCD"  # A finds the smaller MTU out, each of the others then waits once


@contextlib.contextmanager
def scene(told: bool) -> Iterator[tuple[Network, Callable[[], object]]]:
    """The direct clients have asked; with `told` a route says 1480 beforehand, as in the control of `run`."""
    with Network() as net, net.told() if told else contextlib.nullcontext():

        def again() -> None:
            net.forget()
            direct(net, USERS)

        direct(net)
        yield net, again


def taken() -> on_call.Taken:
    """Every look, with the stall and without."""
    return on_call.taken(looks.read(LOOKS), partial(scene, False), partial(scene, True))
