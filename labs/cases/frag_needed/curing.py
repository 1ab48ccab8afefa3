"""What happens with an answer to exercises 1 to 3? cured.py judges it.

An untouched network stands beside the one on which the answer acts, before any connection is opened.
"""

from __future__ import annotations

import re
import time
from concurrent.futures import ThreadPoolExecutor

from labs.cases.frag_needed.cured import BULK_ROUNDS, Bulk, Connections, Cure
from labs.cases.frag_needed.names import ECHO_PORT, VIP
from labs.cases.frag_needed.network import Network
from labs.cases.frag_needed.workload import Direct, direct, sidecar
from labs.judge.evidence import Evidence
from labs.judge.exercise import Exercise
from labs.measure.spent import CONTROL, spent
from labs.net.counters import counters, moved
from labs.take.script import Taking, two

BULK_BYTES = 400_000


def take_cure(exercise: Exercise, answer: str) -> Evidence:
    """The answer on networks of its own."""
    taking, seen = Taking(exercise, answer), Cure()
    with two(Network) as (untouched, mended), taking.acted(mended) as ran:
        if ran:
            observe(seen, untouched, mended)
    return taking.evidence(seen)


def observe(seen: Cure, untouched: Network, mended: Network) -> None:
    """Each part as it comes, for the next one may get no answer."""
    with spent(CONTROL):
        seen.untouched.direct = direct(untouched)
        untouched.forget()  # what the first stall has taught the client would spare it the second
        seen.untouched.sidecar = sidecar(untouched)
    before = {name: counters(node) for name, node in mended.by_name.items()}
    seen.mended.direct = direct(mended)
    seen.mended.sidecar = sidecar(mended)
    seen.fragments = sum(
        moved(before[name], counters(node)).get("IpFragCreates", 0) for name, node in mended.by_name.items()
    )
    seen.connections = Connections(connections_balanced(mended), connections_redirected(mended))
    for _ in range(BULK_ROUNDS):
        mended_s = bulk_s(mended)
        seen.bulk.append(Bulk(bulk_s(untouched), mended_s))


def connections_balanced(net: Network) -> int:
    """Connections that IPVS knows of; it keeps closed ones for a minute. (The sums in
    /proc/net/ip_vs_stats are brought up to date only every two seconds.)"""
    with net.balancer.inside(), open("/proc/thread-self/net/ip_vs_conn") as table:
        return sum(line.startswith("TCP") for line in table)


def connections_redirected(net: Network) -> int:
    """Connections that the client's nat table sent to the sidecar: a rule there counts each once."""
    saved = net.client.on("iptables-legacy-save", "-c", "-t", "nat")
    counts = re.findall(r"\[(\d+):\d+\].*-j REDIRECT", saved)
    return sum(map(int, counts))


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
