"""On which network does `./lab shell splice-push` open, and what do its two commands do?"""

import contextlib
from collections.abc import Iterator

from labs.cases.splice_push.network import PORT, PROXY, PROXY_PORT, SERVER, Network
from labs.cases.splice_push.regression import REGRESSION
from labs.cases.splice_push.workload import SIZE_BYTES
from labs.errors import CannotTry
from labs.shell import Session
from labs.trace import module


@contextlib.contextmanager
def condition() -> Iterator[None]:
    """3.7's condition in the kernel, if nobody else has a module of ours there: there is one kernel in the VM."""
    if held := module.loaded():
        raise CannotTry(
            f"{', '.join(held)} is in the kernel already, from a notebook or another prompt: end that first",
            "./lab reset",
        )
    with module.livepatched(REGRESSION):
        yield


@contextlib.contextmanager
def session() -> Iterator[Session]:
    """The network, and its two states."""
    curl = "curl -m 10 -so /dev/null -w '%{size_download} bytes in %{time_total} s\\n'"
    with Network() as net:
        yield Session(
            net,
            fault=condition,
            health=contextlib.nullcontext,
            fault_does="3.7's condition is in the kernel of the VM, by a livepatch, until a notebook needs that kernel",
            health_does="the kernel is as Debian built it",
            tries=(
                f"proxy {curl} http://{SERVER}:{PORT}/{SIZE_BYTES}",
                f"client {curl} http://{PROXY}:{PROXY_PORT}/{SIZE_BYTES}",
            ),
        )
