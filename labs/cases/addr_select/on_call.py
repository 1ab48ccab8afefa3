"""What does a person on call see of a node that sends slowly? The looks of looks.toml, and a control."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

from labs import looks, on_call
from labs.cases.addr_select.names import REPORTED
from labs.cases.addr_select.network import Network, Silent
from labs.cases.addr_select.workload import Sender

LOOKS = Path(__file__).with_name("looks.toml")


@contextlib.contextmanager
def scene(only_outgoing: bool) -> Iterator[tuple[Network, Callable[[], object]]]:
    """The node has the report's number of addresses; each call of what is given sends one datagram."""
    with Silent() as net, Sender(net) as sender:
        net.announce(REPORTED)
        net.only_outgoing(only_outgoing)

        def again() -> None:
            sender.send()
            sender.seen_source()

        yield net, again


def taken() -> on_call.Taken:
    """Every look, without the setting that helps and with it."""
    return on_call.taken(looks.read(LOOKS), partial(scene, False), partial(scene, True))
