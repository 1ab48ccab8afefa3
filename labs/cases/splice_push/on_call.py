"""What does a person on call see of an answer that does not come? The looks of looks.toml, and a control."""

from __future__ import annotations

import contextlib
import socket
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

from labs import looks, on_call
from labs.cases.splice_push.network import Network
from labs.cases.splice_push.workload import PATIENCE_S, WAYS, Fetch, fetch
from labs.trace import module

LOOKS = Path(__file__).with_name("looks.toml")
ONE = WAYS[0]
WAITS_S = 600  # longer than all looks together
SOON_S = 0.2


@contextlib.contextmanager
def scene(state: contextlib.AbstractContextManager) -> Iterator[tuple[Network, Callable[[], object]]]:
    """A client has asked and still listens; the kernel is in `state` for as long."""
    with Network() as net, state:
        waiting = Fetch(net, ONE, deadline_s=WAITS_S)
        waiting.thread.join(PATIENCE_S)
        try:
            yield net, lambda: fetch(net, [ONE], deadline_s=SOON_S)
        finally:
            waiting.socket.shutdown(socket.SHUT_WR)  # the server's end brings what is left
            waiting.fetched()


def taken(regression: Path) -> on_call.Taken:
    """Every look, with the regression and on the kernel as it is."""
    return on_call.taken(
        looks.read(LOOKS), lambda: scene(module.livepatched(regression)), partial(scene, contextlib.nullcontext())
    )
