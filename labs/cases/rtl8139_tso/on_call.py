"""What does a person on call see of the slow download? The looks of looks.toml, a control, and a look-alike."""

import contextlib
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

from labs import looks, on_call
from labs.cases.rtl8139_tso.network import Network
from labs.cases.rtl8139_tso.remedies import merging, under

LOOKS = Path(__file__).with_name("looks.toml")


@contextlib.contextmanager
def scene(key: str, merged: bool = False) -> Iterator[tuple[Network, Callable[[], object]]]:
    """A download is over, in one of the states of `remedies`; what was done to the server has been undone. `merged`:
    the router's card puts segments together before anybody sees them there."""
    with Network() as net, merging(net) if merged else contextlib.nullcontext():
        under(net, key)
        yield net, lambda: under(net, key)


def taken() -> looks.LookResults:
    """Every look, after a download as it is, after one with TSO off, and after one with GRO at the router besides."""
    return on_call.taken(
        looks.read(LOOKS), partial(scene, "as_it_is"), partial(scene, "tso_off"), partial(scene, "tso_off", merged=True)
    )
