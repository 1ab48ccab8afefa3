"""What happens with an answer to exercises 1 to 3? judge.py judges it.

An untouched network, the control, stands beside the one on which the answer acts, before any connection is opened. In a
guest that was saved, the control was measured before. Where the answer's host is not the client's own, another client
asks, too.
"""

import contextlib
import re
import socket
import struct
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor

from core.cases import Exercise
from core.judge.evidence import Evidence
from labs.cases.frag_needed.cure.another import HostsAndAnother, as_client
from labs.cases.frag_needed.cure.evidence import (
    BULK_ROUNDS,
    LARGE,
    SMALL,
    Another,
    Balanced,
    Bulk,
    Connections,
    Cure,
    ForAnother,
    Ways,
)
from labs.cases.frag_needed.names import ANOTHER, ECHO_PORT, SIDECAR_PORT, VIP
from labs.cases.frag_needed.network import SERVED_BYTES, Network
from labs.cases.frag_needed.observed import Observed
from labs.cases.frag_needed.workload import LARGE_BYTES, SMALL_BYTES, Direct, ThroughSidecar, Watch, direct, sidecar
from labs.net.counters import counters, moved
from labs.take import standing
from labs.take.script import Taking, control, two

# How often a host was told that a destination is unreachable, and how often it said so; and packets that came to it.
TOLD, TELLS, CAME = "IcmpInDestUnreachs", "IcmpOutDestUnreachs", "IpInReceives"
BULK_BYTES = 400_000  # to the echo service; through the sidecar a request of the largest file


def take(exercise: Exercise, answer: str, for_another: ForAnother = ForAnother.NOTHING) -> Evidence:
    """The answer on networks of its own."""
    taking, seen = Taking(exercise, answer), Cure()
    with networks() as (untouched, mended):
        if for_another is not ForAnother.NOTHING:
            mended.extend(HostsAndAnother())
        with taking.answer_applied(mended) as finished:
            if finished:
                mended.offloads_off(*exercise.allowed)  # or a capture shows packets that the wire carries cut
                before = observe(seen, untouched, mended)
                in_bulk(seen, untouched, mended, seen.another if for_another is ForAnother.AS_FAST else None)
                count(seen, before, mended)
    return taking.evidence(seen)


class Untouched:
    """The control, measured when it is asked for."""

    def __init__(self, net: Network) -> None:
        self.net = net

    def ways(self) -> Ways:
        """A and B, past the sidecar and through it."""
        with control():
            past = direct(self.net)
            self.net.forget()  # what the first stall has taught the client would spare it the second
            return Ways(past, sidecar(self.net))

    def bulk_s(self) -> float:
        """Seconds of a bulk transfer past the sidecar."""
        with control():
            return bulk_s(self.net)

    def sidecar_bulk_s(self) -> float:
        """Seconds of one through it."""
        with control():
            return sidecar_bulk_s(self.net)


class MeasuredBefore(Untouched):
    """The control, measured at once for whoever asks later. That is as good only where the guest's time is counted in
    instructions: anywhere else the machine may be slower by then, and the control would not show it."""

    def __init__(self, net: Network) -> None:
        now = Untouched(net)
        self.seen = now.ways()
        self.bulk = [now.bulk_s() for _ in range(BULK_ROUNDS)]
        self.sidecar_bulk = [now.sidecar_bulk_s() for _ in range(BULK_ROUNDS)]

    def ways(self) -> Ways:
        return self.seen

    def bulk_s(self) -> float:
        return self.bulk.pop(0)

    def sidecar_bulk_s(self) -> float:
        return self.sidecar_bulk.pop(0)


@contextlib.contextmanager
def networks() -> Iterator[tuple[Untouched, Network]]:
    """The control, and a network for the answer."""
    if before := standing.measured(MeasuredBefore):
        with standing.taken(Network) as net:
            yield before, net
    else:
        with two(Network) as (untouched, net):
            yield Untouched(untouched), net


def observe(seen: Cure, untouched: Untouched, mended: Network) -> dict[str, dict[str, int]]:
    """Each part as it comes, for the next one may get no answer. The hosts' counters before the first, by name."""
    seen.untouched = untouched.ways()
    before = {name: counters(node) for name, node in mended.by_name.items()}
    seen.mended.direct = after_the_answer(mended, Direct)
    seen.mended.sidecar = after_the_answer(mended, ThroughSidecar)
    came = count(seen, before, mended)["balancer"].get(CAME, 0)
    seen.connections = Connections(connections_balanced(mended), connections_redirected(mended), came)
    if ANOTHER in mended.by_name:
        seen.another = Another(mended[ANOTHER].IP())
        with named(seen.another):
            ask_as_another(seen.another, mended)
        count(seen, before, mended)
    return before


def count(seen: Cure, before: dict[str, dict[str, int]], net: Network) -> dict[str, dict[str, int]]:
    """Note how many fragments all hosts have made so far, and how often a client was told: in bulk, too, because TCP
    may begin to probe for a larger MTU only there (tcp_mtu_probe() in net/ipv4/tcp_output.c). Returns by how much each
    host's counters have moved."""
    moved_at = {name: moved(before[name], counters(node)) for name, node in net.by_name.items()}
    seen.fragments = sum(each.get("IpFragCreates", 0) for each in moved_at.values())
    seen.told = moved_at["client"].get(TOLD, 0)
    if ANOTHER not in net.by_name:
        seen.refused = moved_at["balancer"].get(TELLS, 0)
    if seen.another:
        seen.another.told = moved_at[ANOTHER].get(TOLD, 0)
    return moved_at


def ask_as_another(seen: Another, net: Network) -> None:
    """The other client's exchanges; those by TLS go straight to the service, for it has no sidecar."""
    client = net[ANOTHER]
    seen.direct = after_the_answer(as_client(net, client), Direct)
    seen.tls = after_the_answer(as_client(net, client), ThroughSidecar)
    seen.balanced = [each for each in connections_balanced(net) if each.src.startswith(f"{seen.address}:")]


def in_bulk(seen: Cure, untouched: Untouched, mended: Network, other: Another | None) -> None:
    """Make both transfers in either network by turns, and once more by the `other` client, if it is to be as fast."""
    for _ in range(BULK_ROUNDS):
        for rounds, seconds, untouched_s in (
            (seen.bulk, bulk_s, untouched.bulk_s),
            (seen.sidecar_bulk, sidecar_bulk_s, untouched.sidecar_bulk_s),
        ):
            mended_s = seconds(mended)
            rounds.append(Bulk(untouched_s(), mended_s))
            if other:
                its = other.bulk if rounds is seen.bulk else other.tls_bulk
                with named(other):
                    its.append(Bulk(rounds[-1].untouched_s, seconds(as_client(mended, mended[ANOTHER]))))


@contextlib.contextmanager
def named(another: Another):
    """Say of a missing answer in the block that the other client had asked."""
    try:
        yield
    except OSError as error:
        raise ConnectionError(f"another client ({another.address}): {error}") from error


def after_the_answer(net: Network, kind: type) -> Observed:
    """A asks, then B, then B again, all for one full segment; then A with a few bytes, and B with many. Whatever the
    client has learnt before this is emptied: a memory expires, and so it is no cure."""
    net.client.on("ip route flush cache")
    with Watch(net) as watch:
        watch.open(kind, "A", "B")
        for name in "ABB":
            watch.ask(name)
        watch.ask("A", SMALL, SMALL_BYTES)
        watch.ask("B", LARGE, LARGE_BYTES)
    return watch.seen


def connections_balanced(net: Network) -> list[Balanced]:
    """Connections that IPVS knows of; it keeps closed ones for a minute. (The sums in
    /proc/net/ip_vs_stats are brought up to date only every two seconds.)"""
    with net.balancer.inside(), open("/proc/thread-self/net/ip_vs_conn") as table:
        rows = [line.split() for line in table if line.startswith("TCP")]
    return [Balanced(*map(_end, row[1:7:2], row[2:7:2])) for row in rows]


def _end(address: str, port: str) -> str:
    """An address and a port, which the table has in hexadecimal: "10.0.0.2:443"."""
    return f"{socket.inet_ntoa(struct.pack('!I', int(address, 16)))}:{int(port, 16)}"


def connections_redirected(net: Network) -> int:
    """Connections that the client's nat table sent to the sidecar: a rule there counts each once. What goes to another
    port goes to somebody else."""
    saved = net.client.on("iptables-legacy-save", "-c", "-t", "nat")
    counts = re.findall(rf"\[(\d+):\d+\].*-j REDIRECT --to-ports {SIDECAR_PORT}(?!\S)", saved)
    return sum(map(int, counts))


def sidecar_bulk_s(net: Network) -> float:
    """Seconds to ask for the largest file in a request that is as long, and to have it."""
    with contextlib.closing(ThroughSidecar(net, "bulk", in_bulk=True)) as connection:
        started = time.monotonic()
        connection.ask(max(SERVED_BYTES))
        return time.monotonic() - started


def bulk_s(net: Network) -> float:
    """Seconds to send BULK_BYTES to the echo service and to have them all back."""
    connection = Direct(net, "bulk")
    try:
        sender = ThreadPoolExecutor(1)
        started = time.monotonic()
        sending = sender.submit(connection.socket.sendall, b"?" * BULK_BYTES)
        left = BULK_BYTES
        while left:
            got = len(connection.socket.recv(65536))
            if not got:
                raise ConnectionError(f"{VIP}:{ECHO_PORT} ended with {left} bytes to come")
            left -= got
        sending.result()
        return time.monotonic() - started
    finally:
        connection.close()
        sender.shutdown()
