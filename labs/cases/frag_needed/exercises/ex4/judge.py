"""Does a cure outlive the exception? What the evidence of an answer to exercise 4 is held to.

The connections were open and had met the small MTU before the answer acted, and what they learnt expired after
EXPIRES_S seconds, ROUNDS times. Each time somebody looked the route up, which is what makes an expired exception go for
good (find_exception() in net/ipv4/route.c).

That nobody is told again is judged of the whole time since B has learnt it, and not of the exchanges alone: who is told
in between learns as much. So is mtu_expires, which may be set and put back: whoever writes to it is seen, and an
exception that was made meanwhile says for how long it is kept.

An answer has to act while the exception is valid. Who acted after it may be a script that waits or a machine that is
slow, which has the script take longer, too: no time tells them apart. So what a first round that came too late was told
says nothing of the answer. Such an exchange does not count, and PASS is not given without it.
"""

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from core.draw.ladder import Ladder
from core.judge.evidence import Evidence
from core.judge.verdict import Verdict
from core.wire.packet import Packet
from labs.cases.frag_needed.cure.judge import all_of_it, carries, share, stalls
from labs.cases.frag_needed.judge import BOUNDS, HELD_UP_MS, neither, quick, slowest_of
from labs.cases.frag_needed.names import CLIENT, HOSTS, VIP
from labs.cases.frag_needed.observed import Exchange, Observed
from labs.judge.judging import (
    Judge,
    abstain,
    answered,
    complete_observation,
    judge_script,
    nothing_left_running,
    others_left_alone,
    require_no_stall,
    script_in,
    there,
)

EXPIRES_S = 6  # long enough for an answer to act in
ROUNDS = 2
RATIO = BOUNDS["lasting_ratio"]
LEARNING = ("A learns", "B learns")  # before the answer acts
ROUND = [(name, when) for when in ("before", "after") for name in "AB"]
SINCE = [f"{name} {when} expiry {number}" for number in range(1, ROUNDS + 1) for name, when in ROUND]


@dataclass
class Lasting:
    """The exchanges, and after how many seconds an exception `expires`, as the client said before the first round and
    after each; what it said whenever somebody had `written` to that, from before the answer acted to the end; what `ip
    route get` said in between; how many fragments the hosts have made since the answer acted, and how many packets
    `came` to the balancer, which what was kept earlier does not say."""

    observed: Observed | None = None
    expires: list[str] = field(default_factory=list)
    written: list[str] = field(default_factory=list)
    routes: list[str] = field(default_factory=list)
    fragments: int | None = None
    came: int | None = None

    @property
    def whole(self) -> bool:
        """Whether every part of what was to be seen is there."""
        names = [exchange.name for exchange in self.observed.exchanges] if self.observed else []
        looked = len(self.expires) == 1 + ROUNDS and len(self.routes) == 1 + 2 * ROUNDS
        return names == [*LEARNING, *SINCE] and looked and self.fragments is not None

    @property
    def longest_s(self) -> int:
        """The most seconds for which an exception was still to be kept, when somebody looked."""
        return max(
            (int(found) for route in self.routes for found in re.findall(r"\bexpires (\d{1,9})sec", route)), default=0
        )


def b_after_an_expiry(seen: Lasting) -> Ladder | None:
    """B's first exchange after the first expiry."""
    if not seen.whole:
        return None
    return there(seen.observed).ladder(SINCE[3], "B's first exchange after an expiry, as it was judged")


def judge(evidence: Evidence, verdict: Verdict) -> None:
    """Exercise 4: on connections that stay open, the stall never comes back."""
    judge_script(verdict, evidence)
    seen: Lasting = complete_observation(evidence)
    if seen.whole:
        expires_as_before(verdict, seen)
        observed = there(seen.observed)
        stalled, since = observed[LEARNING[1]], observed.exchanges[len(LEARNING) :]
        stalls(observed, LEARNING[1])
        require_no_stall(HELD_UP_MS, stalled, *least_held_up_of_each_place(since))
        late = too_late(observed, since)
        slow = weigh(verdict, observed, stalled.waited_ms, since, late)
        verdict.expect(
            "no-fragments",
            seen.fragments == 0,
            "no packet was fragmented",
            f"{seen.fragments} fragments were made: the packets are still too large, which is hidden now",
        )
        learning = [packet for name in LEARNING for packet in observed.during(name)]
        full = [(exchange.name, observed.largest(exchange.name, CLIENT, VIP)) for exchange in since]
        carries(verdict, "full-segments", full, share(learning))
        if seen.came is not None:
            asked = [packet for packet in observed.packets if packet.time_s >= since[0].at_s]
            all_of_it(verdict, [replace(observed, packets=asked)], seen.came)
    nothing_left_running(verdict, evidence)
    answered(verdict, evidence.unanswered)
    others_left_alone(verdict, evidence, HOSTS)
    if not seen.whole:
        return
    untold = [slow]
    if late:
        came_s = late[0].at_s - learnt_s(observed)
        why = (
            f"the script or the machine was too late: what B learnt is valid for {EXPIRES_S} s, and {late[0].name} "
            f"came {came_s:.1f} s after it; the script ran for {script_in(evidence).took_s:.1f} s of them"
        )
        untold.insert(0, why)
    abstain(verdict, untold)


def expires_as_before(verdict: Verdict, seen: Lasting) -> None:
    """Check that nobody has changed, not even for a moment, after how many seconds an exception expires."""
    values = [*seen.written, *seen.expires]
    verdict.expect(
        "expiry-unchanged",
        set(values) == {str(EXPIRES_S)},
        "exceptions expire as before",
        f"mtu_expires was changed (to {', then '.join(values[:9])}): that puts the stall off, and this exercise leaves "
        "it as it is",
    )
    verdict.expect(
        "exceptions-expire",
        seen.longest_s <= EXPIRES_S,
        f"what the client has learnt is kept for {EXPIRES_S} s at most",
        f"what the client has learnt was to be kept for {seen.longest_s} s",
        expected=f"{EXPIRES_S} at most",
    )


def least_held_up_of_each_place(since: Sequence[Exchange]) -> list[Exchange]:
    """The exchange in which the machine stood still the least, at each place in a round (A before the expiry, …)."""
    places = len(since) // ROUNDS
    return [min(since[place::places], key=lambda exchange: exchange.held_up_ms) for place in range(places)]


def too_late(seen: Observed, since: Sequence[Exchange]) -> list[Exchange]:
    """The exchanges that were planned before the first expiry, were asked after it, and in which the client was
    told."""
    valid_until_s = learnt_s(seen) + EXPIRES_S
    told = {when(packet, since) for packet in told_since(seen)}
    before = [exchange for exchange in since[: len(LEARNING)] if exchange.name in told]
    return [exchange for exchange in before if exchange.at_s > valid_until_s]


def weigh(
    verdict: Verdict, seen: Observed, stalled_ms: float, since: Sequence[Exchange], late: Sequence[Exchange]
) -> str:
    """Symptom and mechanism, of each exchange since the answer acted that was not `late`; a time counts if the machine
    held still. Returns why nobody can tell whether the longest wait is a stall, or nothing."""
    measured = [exchange for exchange in since if exchange.held_up_ms <= HELD_UP_MS and exchange not in late]
    longest = slowest_of(measured, stalled_ms, RATIO)
    verdict.measured.update(longest_ms=round(longest.waited_ms, 1), stalled_ms=round(stalled_ms, 1))
    untold = neither(longest, stalled_ms, RATIO)
    verdict.expect(
        "no-stall",
        bool(untold) or quick(longest, stalled_ms, RATIO),
        f"the longest wait is {longest.waited_ms:.0f} ms, B stalled for {stalled_ms:.0f} ms before",
        f"{longest.name}: waited {longest.waited_ms:.0f} ms",
        expected=f"{RATIO} times less than the {stalled_ms:.0f} ms of the stall",
    )
    told = told_since(seen)
    asked = Counter(when(packet, since) for packet in told)
    sizes = sorted({packet.next_hop_mtu for packet in told if packet.next_hop_mtu})
    where = [f"{name} ({count})" for name, count in asked.items() if name not in {exchange.name for exchange in late}]
    verdict.expect(
        "no-frag-needed",
        not where,
        "nobody asks for smaller packets any more",
        f"ICMPs still ask for smaller packets ({' and '.join(map(str, sizes))} bytes): {', '.join(where)}",
    )
    return untold


def told_since(seen: Observed) -> list[Packet]:
    """All that told the client of a smaller MTU after both connections had learnt it, from wherever it came."""
    learnt = learnt_s(seen)
    return [each for each in seen.packets if each.is_frag_needed and not each.outgoing and each.time_s > learnt]


def learnt_s(seen: Observed) -> float:
    """When both connections had learnt it, in seconds since the first question."""
    last = seen[LEARNING[-1]]
    return last.at_s + last.waited_ms / 1e3


def when(packet: Packet, since: Sequence[Exchange]) -> str:
    """The exchange in which it came; or after which, if it was in none."""
    name = "before the first"
    for exchange in since:
        if exchange.at_s <= packet.time_s:
            within = packet.time_s <= exchange.at_s + exchange.waited_ms / 1e3
            name = exchange.name if within else f"after {exchange.name}"
    return name


JUDGE = Judge(Lasting, judge, b_after_an_expiry)
