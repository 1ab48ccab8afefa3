"""On which network does `./lab shell splice-push` open, and what do its two commands do?"""

from __future__ import annotations

import contextlib
from collections.abc import Iterator

from labs.cases.splice_push.network import PORT, PROXY, PROXY_PORT, SERVER, Network
from labs.cases.splice_push.regression import REGRESSION
from labs.cases.splice_push.workload import SIZE_BYTES
from labs.shell import Session
from labs.trace import module


@contextlib.contextmanager
def session() -> Iterator[Session]:
    """The network, and its two states."""
    curl = "curl -m 3 -so /dev/null -w '%{size_download} bytes in %{time_total} s\\n'"
    with Network() as net:
        yield Session(
            net,
            fault=lambda: module.livepatched(REGRESSION),
            health=contextlib.nullcontext,
            fault_does="3.7's condition is in the kernel, by a livepatch",
            health_does="the kernel is as it is",
            tries=(
                f"proxy {curl} http://{SERVER}:{PORT}/{SIZE_BYTES}",
                f"client {curl} http://{PROXY}:{PROXY_PORT}/{SIZE_BYTES}",
            ),
        )
