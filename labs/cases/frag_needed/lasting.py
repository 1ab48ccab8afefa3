"""Does a cure outlive the exception? What an answer to exercise 4 is held to.

The connections are open and have met the small MTU before the answer acts, and what they learnt
expires in EXPIRES_S seconds. Each time it has, somebody looks the route up, which is what makes an
expired exception go for good (find_exception() in net/ipv4/route.c).
"""

from __future__ import annotations

import time
from collections.abc import Sequence

from labs.cases.frag_needed.cured import SMALLEST_FULL_SEGMENT_BYTES, stalls
from labs.cases.frag_needed.judge import BOUNDS, HELD_UP_MS
from labs.cases.frag_needed.names import VIP
from labs.cases.frag_needed.network import Network
from labs.cases.frag_needed.observed import Exchange, Observed
from labs.cases.frag_needed.workload import Direct, Watch
from labs.judge.exercise import Exercise
from labs.judge.judging import held_still
from labs.judge.verdict import Verdict
from labs.take.script import acting, expecting_answers, others_left_alone, undisturbed

EXPIRES_S = 3  # long enough for an answer to act in
ROUNDS = 2
RATIO = BOUNDS["lasting_ratio"]
SYSCTL = "net/ipv4/route/mtu_expires"


def judge_lasting(exercise: Exercise, answer: str, verdict: Verdict) -> None:
    """Exercise 4: on connections that stay open, the stall never comes back."""
    undisturbed(verdict, lambda: attempt(exercise, answer, verdict))


def attempt(exercise: Exercise, answer: str, verdict: Verdict) -> None:
    """The answer on a network of its own."""
    with Network() as net:
        net.client.sysctl({SYSCTL: str(EXPIRES_S)})
        watch = Watch(net)
        with others_left_alone(exercise, verdict, net), expecting_answers(verdict), watch:
            watch.open(Direct, "A", "B")
            learning = [watch.ask("A", "A learns"), watch.ask("B", "B learns")]
            with acting(exercise, answer, verdict, net):
                expires = [expires_s(net)]
                for number in range(1, ROUNDS + 1):
                    outlive(watch, number)
                    expires.append(expires_s(net))
            verdict.expect(
                set(expires) == {str(EXPIRES_S)},
                "exceptions expire as before",
                f"mtu_expires was changed (to {', then '.join(expires)}): that puts the stall off, and this "
                "exercise leaves it as it is",
            )
        if watch.observed:
            since = watch.observed.exchanges[len(learning) :]
            stalls(watch.observed, "B learns")
            held_still(HELD_UP_MS, learning[1], *least_held_up_of_each_place(since))
            weigh(verdict, watch.observed, learning[1].waited_ms, since)


def expires_s(net: Network) -> str:
    """After how many seconds an exception expires, as the client has it now."""
    return net.client.on("sysctl", "-n", SYSCTL).strip()


def outlive(watch: Watch, number: int) -> None:
    """Both connections before an expiry, and after it."""
    for name in "AB":
        watch.ask(name, f"{name} before expiry {number}")
    time.sleep(EXPIRES_S + 0.5)  # the thing under test is a time
    watch.net.client.on(f"ip route get {VIP}")
    for name in "AB":
        watch.ask(name, f"{name} after expiry {number}")


def least_held_up_of_each_place(since: Sequence[Exchange]) -> list[Exchange]:
    """Of each place in a round (A before the expiry, …) the exchange in which the machine stood still the least."""
    places = len(since) // ROUNDS
    return [min(since[place::places], key=lambda exchange: exchange.held_up_ms) for place in range(places)]


def weigh(verdict: Verdict, seen: Observed, stalled_ms: float, since: Sequence[Exchange]) -> None:
    """Symptom, mechanism and size, of each exchange since the answer acted; a time counts if the machine held still."""
    measured = [exchange for exchange in since if exchange.held_up_ms <= HELD_UP_MS]
    longest = max(measured, key=lambda exchange: exchange.waited_ms)
    verdict.measured.update(longest_ms=round(longest.waited_ms, 1), stalled_ms=round(stalled_ms, 1))
    verdict.expect(
        longest.waited_ms * RATIO <= stalled_ms,
        f"the longest wait is {longest.waited_ms:.0f} ms, B stalled for {stalled_ms:.0f} ms before",
        f"{longest.name}: waited {longest.waited_ms:.0f} ms, expected {RATIO} times less than the "
        f"{stalled_ms:.0f} ms of the stall",
    )
    asked = {
        exchange.name: len(seen.icmp_to_self(exchange.name) + seen.icmp_from_balancer(exchange.name))
        for exchange in since
    }
    where = [f"{name} ({count})" for name, count in asked.items() if count]
    verdict.expect(
        not where,
        "nobody asks for smaller packets any more",
        f"ICMPs still ask for smaller packets: {', '.join(where)}",
    )
    smallest = min(max(packet.payload_bytes for packet in seen.sent(exchange.name)) for exchange in since)
    verdict.expect(
        smallest >= SMALLEST_FULL_SEGMENT_BYTES,
        f"a full segment carries {smallest} bytes",
        f"a full segment carries {smallest} bytes, expected {SMALLEST_FULL_SEGMENT_BYTES} at least",
    )
