"""Is the stall cured, and is nothing else broken? What the answers to the exercises are held to.

Each judgement builds two topologies: an untouched one, which has to show the stall (else nothing
could be judged), and one to which the answer is applied before any connection is opened. Judged is the
first exchange of each connection: a stall teaches the client, and the next ones would be fast.
"""

from __future__ import annotations

import re
import statistics
import time
from concurrent.futures import ThreadPoolExecutor

from labs.cases.frag_needed.judge import BOUNDS, HELD_UP_MS, RATIO, asked_smaller, b_ms
from labs.cases.frag_needed.names import ECHO_PORT, VIP
from labs.cases.frag_needed.network import Network
from labs.cases.frag_needed.observed import Observed
from labs.cases.frag_needed.workload import Direct, direct, sidecar
from labs.errors import CannotTry
from labs.judge.exercise import Exercise
from labs.judge.verdict import Verdict
from labs.net.counters import counters, moved
from labs.take.script import acting, expecting_answers, held_still, others_left_alone, two, undisturbed

SMALLEST_FULL_SEGMENT_BYTES = 1400  # less is no cure for an MTU that is 20 bytes too large
CONNECTIONS, THROUGH_SIDECAR = 4, 2  # that are made in a judgement: A and B, directly and through the sidecar
WAITING = ("A", "B")  # whose first exchange is judged
BULK_BYTES, BULK_ROUNDS = 400_000, 3
BULK_RATIO = BOUNDS["bulk_ratio"]


def judge_fix(exercise: Exercise, answer: str, verdict: Verdict) -> None:
    """Exercises 1 to 3: a script that touches only the allowed hosts and cures the stall."""
    undisturbed(verdict, lambda: attempt(exercise, answer, verdict))


def attempt(exercise: Exercise, answer: str, verdict: Verdict) -> None:
    """The answer on networks of its own."""
    with two(Network) as (untouched, mended):
        with (
            others_left_alone(exercise, verdict, mended),
            acting(exercise, answer, verdict, mended),
            expecting_answers(verdict),
        ):
            baseline = {"direct": direct(untouched)}
            untouched.forget()  # what the first stall has taught the client would spare it the second
            baseline["through the sidecar"] = sidecar(untouched)
            held_still(HELD_UP_MS, *baseline.values())
            for each in baseline.values():
                stalls(each)
            compare(verdict, baseline, mended)
            nothing_else_broke(verdict, untouched, mended)


def stalls(baseline: Observed, name: str = "B") -> None:
    """The untouched network has to show, in this exchange, what the answer is to cure."""
    if not baseline.icmp_to_self(name):
        raise CannotTry("the untouched network shows no stall, so nothing can be compared", "./lab run frag-needed")


def compare(verdict: Verdict, baseline: dict[str, Observed], mended: Network) -> None:
    """Symptom and mechanism, by the direct client and through the sidecar, each beside its own untouched B."""
    before = {name: counters(node) for name, node in mended.hosts.items()}
    seen = {"direct": direct(mended), "through the sidecar": sidecar(mended)}
    held_still(HELD_UP_MS, *(each[name] for each in seen.values() for name in WAITING))
    after = {name: moved(before[name], counters(node)) for name, node in mended.hosts.items()}
    verdict.measured.update(b_ms=round(b_ms(seen["direct"]), 1), untouched_b_ms=round(b_ms(baseline["direct"]), 1))
    for way, each in seen.items():
        stalled = b_ms(baseline[way])
        for name in WAITING:
            waited = each[name].waited_ms
            verdict.expect(
                waited * RATIO <= stalled,
                f"{way}: {name} waits {waited:.0f} ms where the untouched B waits {stalled:.0f} ms",
                f"{way}: {name} still waits {waited:.0f} ms; the untouched B waits {stalled:.0f} ms, expected {RATIO} "
                "times less",
            )
        icmps = asked_smaller(each)
        verdict.expect(
            icmps == 0,
            f"{way}: nobody asks for smaller packets",
            f"{way}: {icmps} ICMPs still ask for smaller packets, expected none",
        )
    pieces = sum(moves.get("IpFragCreates", 0) for moves in after.values())
    verdict.measured["fragments"] = pieces
    verdict.expect(
        pieces == 0,
        "no packet was fragmented",
        f"{pieces} fragments were made: the packets are still too large, which is hidden now",
    )
    largest = max((packet.payload_bytes for packet in seen["direct"].sent("A")), default=0)
    verdict.measured["largest_segment_bytes"] = largest
    verdict.expect(
        largest >= SMALLEST_FULL_SEGMENT_BYTES,
        f"a full segment still carries {largest} bytes",
        f"a full segment carries {largest} bytes, expected {SMALLEST_FULL_SEGMENT_BYTES} at least",
    )


def nothing_else_broke(verdict: Verdict, untouched: Network, mended: Network) -> None:
    """Still through balancer and sidecar, and as fast in bulk."""
    through = connections_balanced(mended)
    verdict.measured["through_balancer"] = through
    verdict.expect(
        through >= CONNECTIONS,
        f"the balancer saw {through} connections",
        f"the balancer saw {through} connections, expected the {CONNECTIONS} that were made",
    )
    taken = connections_redirected(mended)
    verdict.expect(
        taken >= THROUGH_SIDECAR,
        f"the sidecar took {taken} connections",
        f"the sidecar took {taken} TLS connections, expected the {THROUGH_SIDECAR} that were made",
    )
    ratio = statistics.median(bulk_s(mended) / bulk_s(untouched) for _ in range(BULK_ROUNDS))
    verdict.measured["bulk_ratio"] = round(ratio, 2)
    verdict.expect(
        ratio <= BULK_RATIO,
        f"bulk takes {ratio:.1f} times as long as untouched",
        f"bulk takes {ratio:.1f} times as long as untouched, expected {BULK_RATIO} at most",
    )


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
