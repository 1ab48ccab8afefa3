"""Which networks are up before anybody asks for one? In a guest that is saved, those that it was saved with.

    bring_up(Network, 2)     before the guest is saved
    net = taken(Network)     in a check: one of them, and a new one where none is left

    measure(Control, Network)     before the guest is saved: Control(net) looks at a network that nobody has changed
    before = measured(Control)    in a check: what it has found, or None

To bring one up takes longer than all that is then done on it. Each is given out once: what an answer has changed, no
other answer meets. The hosts' settings, which a check looks at before the answer acts, are looked at beforehand, too.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

from labs.net.topology import Node, Topology
from labs.take.settings import settings

Kind = TypeVar("Kind", bound=Topology)
Measured = TypeVar("Measured")

_up: list[Topology] = []
_one_takes = threading.Lock()
_settings: dict[Node, list[str]] = {}
_measured: dict[Callable[..., object], object] = {}


def bring_up(kind: type[Topology], count: int) -> None:
    """Have so many networks of a kind up, and their hosts looked at."""
    with ThreadPoolExecutor(count) as pool:
        made = [future.result() for future in [pool.submit(kind) for _ in range(count)]]
    _up.extend(made)
    _settings.update({node: settings(node) for net in made for node in net.hosts})


def taken(make: Callable[[], Kind]) -> Kind:
    """A network of the kind `make` that is up, and is no other's from now on; a new one if there is none."""
    with _one_takes:
        for net in _up:
            if type(net) is make:
                _up.remove(net)
                return net
    return make()


def taken_first(kind: Callable[..., Kind]) -> Callable[..., Kind]:
    """The same kind, of which one that is up is taken, if it is asked for as it comes."""
    return lambda *arguments, **named: kind(*arguments, **named) if arguments or named else taken(kind)


def measure(look: Callable[[Kind], object], make: Callable[[], Kind]) -> None:
    """Have a look at a network of the kind `make`, which nobody gets afterwards."""
    with make() as net:
        _measured[look] = look(net)


def measured(look: Callable[..., Measured]) -> Measured | None:
    """What this look has found, once; None if nobody had a look."""
    return _measured.pop(look, None)  # type: ignore[return-value]


def settings_so_far(node: Node) -> list[str]:
    """A host's settings, before anything has been done on its network."""
    return _settings.pop(node, None) or settings(node)
