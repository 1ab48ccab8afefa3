"""What does a person on call see of the slow download? The looks of looks.toml, and a control."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

from labs import looks, on_call
from labs.cases.rtl8139_tso.network import Network
from labs.cases.rtl8139_tso.remedies import under

LOOKS = Path(__file__).with_name("looks.toml")


@contextlib.contextmanager
def scene(key: str) -> Iterator[tuple[Network, Callable[[], object]]]:
    """A download is over, in one of the states of `remedies`; what was done to the server has been undone."""
    with Network() as net:
        under(net, key)
        yield net, lambda: under(net, key)


def taken() -> on_call.Taken:
    """Every look, after a download as it is and after one with TSO off."""
    return on_call.taken(looks.read(LOOKS), partial(scene, "as_it_is"), partial(scene, "tso_off"))
