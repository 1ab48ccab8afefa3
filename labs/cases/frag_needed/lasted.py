"""Does a cure outlive the exception? What the evidence of an answer to exercise 4 is held to.

The connections were open and had met the small MTU before the answer acted, and what they learnt expired after
EXPIRES_S seconds, ROUNDS times. Each time somebody looked the route up, which is what makes an expired exception go for
good (find_exception() in net/ipv4/route.c).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from labs.cases.frag_needed.cured import carries, share, stalls
from labs.cases.frag_needed.judge import BOUNDS, HELD_UP_MS
from labs.cases.frag_needed.names import CLIENT, HOSTS, VIP
from labs.cases.frag_needed.observed import Exchange, Observed
from labs.draw.ladder import Ladder
from labs.judge.evidence import Evidence
from labs.judge.judging import answered, held_still, others_left_alone, ran, whole_in
from labs.judge.verdict import Verdict

EXPIRES_S = 3  # long enough for an answer to act in
ROUNDS = 2
RATIO = BOUNDS["lasting_ratio"]
LEARNING = ("A learns", "B learns")  # before the answer acts
ROUND = [(name, when) for when in ("before", "after") for name in "AB"]
SINCE = [f"{name} {when} expiry {number}" for number in range(1, ROUNDS + 1) for name, when in ROUND]


@dataclass
class Lasting:
    """The exchanges, and after how many seconds an exception expired, as the client said before the first round and
    after each."""

    observed: Observed | None = None
    expires: list[str] = field(default_factory=list)

    @property
    def whole(self) -> bool:
        """Whether all of it is there."""
        names = [exchange.name for exchange in self.observed.exchanges] if self.observed else []
        return names == [*LEARNING, *SINCE] and len(self.expires) == 1 + ROUNDS


def b_after_an_expiry(seen: Lasting) -> Ladder | None:
    """B's first exchange after the first expiry."""
    if not seen.whole:
        return None
    return seen.observed.ladder(SINCE[3], "B's first exchange after an expiry, as it was judged")


def judge_lasting(evidence: Evidence, verdict: Verdict) -> None:
    """Exercise 4: on connections that stay open, the stall never comes back."""
    ran(verdict, evidence.script)
    seen: Lasting = whole_in(evidence)
    if seen.whole:
        verdict.expect(
            set(seen.expires) == {str(EXPIRES_S)},
            "exceptions expire as before",
            f"mtu_expires was changed (to {', then '.join(seen.expires)}): that puts the stall off, and this "
            "exercise leaves it as it is",
        )
        stalled, since = seen.observed[LEARNING[1]], seen.observed.exchanges[len(LEARNING) :]
        stalls(seen.observed, LEARNING[1])
        held_still(HELD_UP_MS, stalled, *least_held_up_of_each_place(since))
        weigh(verdict, seen.observed, stalled.waited_ms, since)
        learning = [packet for name in LEARNING for packet in seen.observed.during(name)]
        full = [(exchange.name, seen.observed.largest(exchange.name, CLIENT, VIP)) for exchange in since]
        carries(verdict, full, share(learning))
    answered(verdict, evidence.unanswered)
    others_left_alone(verdict, evidence, HOSTS)


def least_held_up_of_each_place(since: Sequence[Exchange]) -> list[Exchange]:
    """Of each place in a round (A before the expiry, …) the exchange in which the machine stood still the least."""
    places = len(since) // ROUNDS
    return [min(since[place::places], key=lambda exchange: exchange.held_up_ms) for place in range(places)]


def weigh(verdict: Verdict, seen: Observed, stalled_ms: float, since: Sequence[Exchange]) -> None:
    """Symptom and mechanism, of each exchange since the answer acted; a time counts if the machine held still."""
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
