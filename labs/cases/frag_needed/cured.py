"""Is the stall cured, and is nothing else broken? What the evidence of an answer to exercises 1 to 3 is held to.

Two networks were seen: an untouched one, which has to show the stall (else nothing could be judged), and the mended
one, on which the answer was applied before any connection was opened. Judged is the first exchange of each connection:
a stall teaches the client, and the next ones would be fast.
"""

from __future__ import annotations

import statistics
from dataclasses import dataclass, field

from labs.cases.frag_needed.judge import BOUNDS, HELD_UP_MS, asked_smaller, b_ms
from labs.cases.frag_needed.names import HOSTS
from labs.cases.frag_needed.observed import Observed
from labs.draw.ladder import Ladder
from labs.errors import CannotTry
from labs.judge.evidence import Evidence
from labs.judge.judging import answered, held_still, others_left_alone, ran, whole_in
from labs.judge.verdict import Verdict

SMALLEST_FULL_SEGMENT_BYTES = 1400  # less is no cure for an MTU that is 20 bytes too large
CONNECTIONS, THROUGH_SIDECAR = 4, 2  # that are made in a judgement: A and B, directly and through the sidecar
WAITING = ("A", "B")  # whose first exchange is judged
BULK_ROUNDS = 3
RATIO = BOUNDS["cured_ratio"]
BULK_RATIO = BOUNDS["bulk_ratio"]


@dataclass
class Ways:
    """One network's exchanges, past the sidecar and through it."""

    direct: Observed | None = None
    sidecar: Observed | None = None

    def each(self) -> dict[str, Observed]:
        """By the words for the way what was seen of it."""
        return {"direct": self.direct, "through the sidecar": self.sidecar}

    @property
    def whole(self) -> bool:
        """Whether both are there, with the exchanges that are judged."""
        return all(seen and {*WAITING} <= {e.name for e in seen.exchanges} for seen in (self.direct, self.sidecar))


@dataclass
class Connections:
    """How many the mended network's balancer and its sidecar saw."""

    balanced: int
    redirected: int


@dataclass
class Bulk:
    """Seconds that the same transfer took in either network, one right after the other."""

    untouched_s: float
    mended_s: float


@dataclass
class Cure:
    """What is seen of an answer, in this order. `fragments` is how many the hosts of the mended network made."""

    untouched: Ways = field(default_factory=Ways)
    mended: Ways = field(default_factory=Ways)
    fragments: int | None = None
    connections: Connections | None = None
    bulk: list[Bulk] = field(default_factory=list)

    @property
    def whole(self) -> bool:
        """Whether all of it is there."""
        seen = self.untouched.whole and self.mended.whole and self.connections is not None
        return seen and self.fragments is not None and len(self.bulk) == BULK_ROUNDS


def b_after_the_answer(seen: Cure) -> Ladder | None:
    """B's first exchange past the sidecar, in the mended network."""
    if not seen.mended.whole:
        return None
    return seen.mended.direct.ladder("B", "B's first exchange after the answer, as it was judged")


def judge_cure(evidence: Evidence, verdict: Verdict) -> None:
    """Exercises 1 to 3: a script that touches only the allowed hosts and cures the stall. Where a request got no
    answer, what was seen before it is judged, too."""
    ran(verdict, evidence.script)
    seen: Cure = whole_in(evidence)
    if seen.untouched.whole:
        held_still(HELD_UP_MS, *seen.untouched.each().values())
        for each in seen.untouched.each().values():
            stalls(each)
        if seen.mended.whole and seen.fragments is not None:
            compare(verdict, seen)
        if seen.connections:
            still_connected(verdict, seen.connections)
        if len(seen.bulk) == BULK_ROUNDS:
            as_fast_in_bulk(verdict, seen.bulk)
    answered(verdict, evidence.unanswered)
    others_left_alone(verdict, evidence, HOSTS)


def stalls(untouched: Observed, name: str = "B") -> None:
    """The untouched network has to show, in this exchange, what the answer is to cure."""
    if not untouched.icmp_to_self(name):
        raise CannotTry("the untouched network shows no stall, so nothing can be compared", "./lab run frag-needed")


def compare(verdict: Verdict, seen: Cure) -> None:
    """Symptom and mechanism, by the direct client and through the sidecar, each beside its own untouched B."""
    before, after = seen.untouched.each(), seen.mended.each()
    held_still(HELD_UP_MS, *(each[name] for each in after.values() for name in WAITING))
    verdict.measured.update(b_ms=round(b_ms(after["direct"]), 1), untouched_b_ms=round(b_ms(before["direct"]), 1))
    for way, each in after.items():
        stalled = b_ms(before[way])
        for name in WAITING:
            waited = each[name].waited_ms
            verdict.expect(
                waited * RATIO <= stalled,
                f"{way}: {name} waits {waited:.0f} ms where the untouched B waits {stalled:.0f} ms",
                f"{way}: {name} still waits {waited:.0f} ms; the untouched B waits {stalled:.0f} ms, expected "
                f"{RATIO:g} times less",
            )
        icmps = asked_smaller(each)
        verdict.expect(
            icmps == 0,
            f"{way}: nobody asks for smaller packets",
            f"{way}: {icmps} ICMPs still ask for smaller packets, expected none",
        )
    verdict.measured["fragments"] = seen.fragments
    verdict.expect(
        seen.fragments == 0,
        "no packet was fragmented",
        f"{seen.fragments} fragments were made: the packets are still too large, which is hidden now",
    )
    largest = max((packet.payload_bytes for packet in after["direct"].sent("A")), default=0)
    verdict.measured["largest_segment_bytes"] = largest
    verdict.expect(
        largest >= SMALLEST_FULL_SEGMENT_BYTES,
        f"a full segment still carries {largest} bytes",
        f"a full segment carries {largest} bytes, expected {SMALLEST_FULL_SEGMENT_BYTES} at least",
    )


def still_connected(verdict: Verdict, seen: Connections) -> None:
    """Still through balancer and sidecar."""
    verdict.measured["through_balancer"] = seen.balanced
    verdict.expect(
        seen.balanced >= CONNECTIONS,
        f"the balancer saw {seen.balanced} connections",
        f"the balancer saw {seen.balanced} connections, expected the {CONNECTIONS} that were made",
    )
    verdict.expect(
        seen.redirected >= THROUGH_SIDECAR,
        f"the sidecar took {seen.redirected} connections",
        f"the sidecar took {seen.redirected} TLS connections, expected the {THROUGH_SIDECAR} that were made",
    )


def as_fast_in_bulk(verdict: Verdict, seen: list[Bulk]) -> None:
    """A small segment would be a cure that every transfer pays for."""
    ratio = statistics.median(each.mended_s / each.untouched_s for each in seen)
    verdict.measured["bulk_ratio"] = round(ratio, 2)
    verdict.expect(
        ratio <= BULK_RATIO,
        f"bulk takes {ratio:.1f} times as long as untouched",
        f"bulk takes {ratio:.1f} times as long as untouched, expected {BULK_RATIO} at most",
    )
