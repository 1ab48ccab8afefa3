"""Is the stall cured, and is nothing else broken? What the answers to the exercises are held to.

Each judgement builds two topologies: an untouched one, which has to show the stall (else nothing
could be judged), and one to which the answer is applied before any connection is opened.
"""

from __future__ import annotations

import re
import time
from concurrent.futures import ThreadPoolExecutor

from labs.cases.frag_needed.judge import RATIO, ROUNDS, asked_smaller, fast
from labs.cases.frag_needed.network import ECHO_PORT, VIP, Network
from labs.cases.frag_needed.observed import Observed
from labs.cases.frag_needed.workload import Direct, direct, sidecar
from labs.errors import CannotTry
from labs.judge.exercise import Exercise
from labs.judge.judging import acting, expecting_answers, others_left_alone, two
from labs.judge.verdict import Verdict
from labs.net.counters import counters, moved

SMALLEST_FULL_SEGMENT_BYTES = 1400  # less is no cure for an MTU that is 20 bytes too large
BULK_BYTES = 400_000
BULK_RATIO = 4


def judge_fix(exercise: Exercise, answer: str, verdict: Verdict) -> None:
    """Exercises 1 to 3: a script that touches only the allowed hosts and cures the stall."""
    with two(Network) as (untouched, mended):
        with (
            others_left_alone(exercise, verdict, mended),
            acting(exercise, answer, verdict, mended),
            expecting_answers(verdict),
        ):
            baseline = direct(untouched)
            stalls(baseline)
            compare(verdict, baseline, mended)
            nothing_else_broke(verdict, untouched, mended)


def stalls(baseline: Observed) -> None:
    """The untouched network has to show what the answer is to cure."""
    if not baseline.icmp_to_self("B"):
        raise CannotTry("the untouched network shows no stall, so nothing can be compared", "./lab run frag-needed")


def compare(verdict: Verdict, baseline: Observed, mended: Network) -> None:
    """Symptom and mechanism, by the direct client and through the sidecar."""
    before = {name: counters(node) for name, node in mended.hosts.items()}
    seen = {"direct": undisturbed(mended, baseline), "through the sidecar": [sidecar(mended)]}
    after = {name: moved(before[name], counters(node)) for name, node in mended.hosts.items()}
    waited, stalled = min(each["B"].waited_ms for each in seen["direct"]), baseline["B"].waited_ms
    verdict.measured.update(b_ms=round(waited, 1), untouched_b_ms=round(stalled, 1))
    verdict.expect(
        waited * RATIO <= stalled,
        f"B waits {waited:.0f} ms where the untouched B waits {stalled:.0f} ms",
        f"B still waits {waited:.0f} ms; the untouched B waits {stalled:.0f} ms, expected {RATIO} times less",
    )
    for way, rounds in seen.items():
        icmps = sum(map(asked_smaller, rounds))
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
    largest = max((packet.payload_bytes for packet in seen["direct"][0].sent("A")), default=0)
    verdict.measured["largest_segment_bytes"] = largest
    verdict.expect(
        largest >= SMALLEST_FULL_SEGMENT_BYTES,
        f"a full segment still carries {largest} bytes",
        f"a full segment carries {largest} bytes, expected {SMALLEST_FULL_SEGMENT_BYTES} at least",
    )


def undisturbed(mended: Network, baseline: Observed) -> list[Observed]:
    """Rounds of the direct workload, until one is fast: what the machine holds up is fast in the next. A
    stall with ICMPs would be, too, for what they teach the client; so it is the last round."""
    rounds = [direct(mended)]
    while not (fast(rounds[-1], baseline) or asked_smaller(rounds[-1])) and len(rounds) < ROUNDS:
        rounds.append(direct(mended))
    return rounds


def nothing_else_broke(verdict: Verdict, untouched: Network, mended: Network) -> None:
    """Still through balancer and sidecar, and as fast in bulk."""
    through = connections_balanced(mended)
    verdict.measured["through_balancer"] = through
    verdict.expect(
        through >= 4,
        f"the balancer saw {through} connections",
        f"the balancer saw {through} connections, expected the 4 that were made",
    )
    taken = connections_redirected(mended)
    verdict.expect(
        taken >= 2,
        f"the sidecar took {taken} connections",
        f"the sidecar took {taken} TLS connections, expected the 2 that were made",
    )
    ratio = min(bulk_s(mended) / bulk_s(untouched) for _ in range(ROUNDS))
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
