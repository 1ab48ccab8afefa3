"""What does a person on call see of an answer that does not come? The looks of looks.toml, a control, and a
look-alike."""

import contextlib
import socket
import time
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

from labs import looks, on_call
from labs.cases.splice_push.network import Network
from labs.cases.splice_push.workload import PATIENCE_S, WAYS, Fetch, Way, fetch
from labs.trace import module

LOOKS = Path(__file__).with_name("looks.toml")
ONE = WAYS[0]
WAITS_S = 600  # longer than all looks together
SOON_S = 0.2
SMALL = Way("header and body apart", "way=send&header=apart", size=300)
ANSWERED_S = 20  # what an answer gets, on a busy machine
REQUESTS = 10


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


@contextlib.contextmanager
def small_writes() -> Iterator[tuple[Network, Callable[[], float]]]:
    """The look-alike, on the kernel as it is: a client keeps its connection, and the server writes each answer's header
    and body apart. What is given asks once more, and gives how long the answer took, in ms."""
    with Network() as net:
        with net[SMALL.client].inside():
            connection = socket.create_connection((SMALL.address, SMALL.port), ANSWERED_S)
        with connection:
            yield net, partial(asked, connection)


def asked(connection: socket.socket) -> float:
    """One request and its whole answer; how long it took, in ms. On a connection's first the receiver does not yet
    delay its ACKs: it has to have answered data by data (tcp_event_data_sent() in net/ipv4/tcp_output.c)."""
    start, answer = time.monotonic(), b""
    connection.sendall(f"GET {SMALL.target} HTTP/1.1\r\nHost: server\r\n\r\n".encode())
    while len(answer.partition(b"\r\n\r\n")[2]) < SMALL.size:
        read = connection.recv(65536)
        if not read:
            raise ConnectionError(f"expected an answer of {SMALL.size} bytes, found the connection's end")
        answer += read
    return (time.monotonic() - start) * 1e3


def waited_ms() -> list[float]:
    """How long one waits in the look-alike, request by request, in ms."""
    with small_writes() as (_, again):
        return [again() for _ in range(REQUESTS)]


def taken(regression: Path) -> looks.LookResults:
    """Every look, with the regression and on the kernel as it is, and with small writes."""
    return on_call.taken(
        looks.read(LOOKS),
        lambda: scene(module.livepatched(regression)),
        partial(scene, contextlib.nullcontext()),
        small_writes,
    )
