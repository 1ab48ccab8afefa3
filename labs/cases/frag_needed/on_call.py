"""What does a person on call see of the stall, at the client? The looks of looks.toml, a control, and a look-alike."""

import contextlib
import time
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

from labs import looks, on_call
from labs.cases.frag_needed.names import ECHO_PORT
from labs.cases.frag_needed.network import Network
from labs.cases.frag_needed.workload import Direct, direct
from labs.net.node import load_modules

LOOKS = Path(__file__).with_name("looks.toml")
USERS = "ABCD"  # A finds the smaller MTU out, each of the others then waits once
QUESTIONS = 4  # on a connection of the look-alike: whoever asks the last has lost three segments, and `retrans` says so
# Of two large segments to the echo service the first is dropped: each question, and not what is sent in its place.
LOSING = f"""*filter
-A INPUT -p tcp --dport {ECHO_PORT} -m length --length 1000:65535 -m statistic --mode nth --every 2 --packet 0 -j DROP
COMMIT
"""


@contextlib.contextmanager
def scene(with_route: bool) -> Iterator[tuple[Network, Callable[[], object]]]:
    """A network whose direct clients have asked; `with_route` they know the MTU beforehand, as in the control."""
    with Network() as net, net.with_route() if with_route else contextlib.nullcontext():

        def again() -> None:
            net.forget()
            direct(net, USERS)

        direct(net)
        yield net, again


@contextlib.contextmanager
def losing() -> Iterator[tuple[Network, Callable[[], list[float]]]]:
    """The look-alike: nothing is too large, because a route says 1480 beforehand, and on the way each question is lost
    once. Somebody has asked, and gives at each call how long each answer took, in ms."""
    load_modules("iptable_filter", "xt_length", "xt_statistic")
    with Network() as net, net.with_route():
        net.balancer.on("iptables-legacy-restore", stdin=LOSING)
        again = partial(asked, net)
        again()
        yield net, again


def asked(net: Network) -> list[float]:
    """Questions on one connection, each of one full segment; how long each answer took, in ms."""
    took_ms = []
    with contextlib.closing(Direct(net, "lost")) as connection:
        for _ in range(QUESTIONS):
            start = time.monotonic()
            connection.ask()
            took_ms.append((time.monotonic() - start) * 1e3)
    return took_ms


def waited_ms() -> list[float]:
    """How long one waits in the look-alike, in ms."""
    with losing() as (_, again):
        return again()


def taken() -> looks.LookResults:
    """Every look, with the stall and without, and where a segment is lost."""
    return on_call.taken(looks.read(LOOKS), partial(scene, False), partial(scene, True), losing)
