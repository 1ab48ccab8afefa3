"""Is the stall cured, and is nothing else broken? What the evidence of an answer to exercises 1 to 3 is held to.

Two networks were seen: an untouched one, which has to show the stall (else nothing could be judged), and the mended
one, on which the answer was applied before any connection was opened. Judged is every exchange there, past the sidecar
and through it, beside the first one of B in the untouched network: a stall teaches the client, and the next ones are
fast.
"""

from __future__ import annotations

import math
import statistics
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from core.draw.ladder import Ladder
from core.judge.evidence import Evidence
from core.judge.verdict import Verdict
from core.wire.packet import Packet
from labs.cases.frag_needed.judge import BOUNDS, HELD_UP_MS, asked_smaller, b_ms
from labs.cases.frag_needed.names import CLIENT, HOSTS, SERVER, TUNNEL_MTU, VIP
from labs.cases.frag_needed.observed import Observed
from labs.errors import CannotTry
from labs.judge.judging import answered, held_still, others_left_alone, ran, script_in, there, whole_in

# Of what a full segment has to carry: bytes, where the task names a number, elsewhere a share of what the path allows.
# Less is no cure for an MTU that is 20 bytes too large, but room for another header or two, as an MSS or an MTU of 1400
# leaves it, is a margin that people take.
LEAST_BYTES = {"frag-needed/1": 1400}
LEAST_SHARE = 0.8
CONNECTIONS, THROUGH_SIDECAR = 4, 2  # that are made in a judgement: A and B, directly and through the sidecar
STALLING = ("A", "B")  # as the untouched network is asked
SMALL, LARGE = "A small", "B large"
ASKED = ("A", "B", "B again", SMALL, LARGE)  # in the mended one, in this order
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
        return {"direct": there(self.direct), "through the sidecar": there(self.sidecar)}

    def has(self, *names: str) -> bool:
        """Whether both are there, with exchanges of these names."""
        return all(seen and {*names} <= {e.name for e in seen.exchanges} for seen in (self.direct, self.sidecar))


@dataclass(frozen=True)
class Balanced:
    """A connection as IPVS has it: from where to which service it came, and to which server it went. Each is an address
    and a port, as in 10.0.0.2:443."""

    src: str
    service: str
    server: str


@dataclass
class Connections:
    """Those that the mended network's balancer knew, and how many the sidecar saw."""

    balanced: list[Balanced]
    redirected: int


@dataclass
class Bulk:
    """Seconds that the same transfer took in either network, one right after the other."""

    untouched_s: float
    mended_s: float


@dataclass
class Cure:
    """What is seen of an answer, in this order. `fragments` is how many the hosts of the mended network made, `told`
    how often its client was told that a destination is unreachable, since it was to forget what it has learnt."""

    untouched: Ways = field(default_factory=Ways)
    mended: Ways = field(default_factory=Ways)
    fragments: int | None = None
    told: int | None = None
    connections: Connections | None = None
    bulk: list[Bulk] = field(default_factory=list)
    sidecar_bulk: list[Bulk] = field(default_factory=list)

    @property
    def whole(self) -> bool:
        """Whether all of it is there."""
        seen = self.untouched.has(*STALLING) and self.mended.has(*ASKED) and self.connections is not None
        return (
            seen and None not in (self.fragments, self.told) and len(self.bulk) == len(self.sidecar_bulk) == BULK_ROUNDS
        )


def b_after_the_answer(seen: Cure) -> Ladder | None:
    """B's first exchange past the sidecar, in the mended network."""
    if not seen.mended.has(*ASKED):
        return None
    return seen.mended.each()["direct"].ladder("B", "B's first exchange after the answer, as it was judged")


def judge_cure(evidence: Evidence, verdict: Verdict) -> None:
    """Exercises 1 to 3: a script that touches only the allowed hosts and cures the stall. Where a request got no
    answer, what was seen before it is judged, too."""
    ran(verdict, script_in(evidence))
    seen: Cure = whole_in(evidence)
    if seen.untouched.has(*STALLING):
        held_still(HELD_UP_MS, *seen.untouched.each().values())
        for each in seen.untouched.each().values():
            stalls(each)
        if seen.mended.has(*ASKED) and None not in (seen.fragments, seen.told):
            compare(verdict, seen)
            full_segments(verdict, evidence.exercise, seen)
        if seen.mended.has(*ASKED) and seen.connections:
            still_connected(verdict, seen.mended, seen.connections)
        for way, bulk in (("", seen.bulk), (" through the sidecar", seen.sidecar_bulk)):
            if len(bulk) == BULK_ROUNDS:
                as_fast_in_bulk(verdict, bulk, way)
    answered(verdict, evidence.unanswered)
    others_left_alone(verdict, evidence, HOSTS)


def stalls(untouched: Observed, name: str = "B") -> None:
    """The untouched network has to show, in this exchange, what the answer is to cure."""
    if not untouched.icmp_to_self(name):
        raise CannotTry("the untouched network shows no stall, so nothing can be compared", "./lab run frag-needed")


def compare(verdict: Verdict, seen: Cure) -> None:
    """Symptom and mechanism, by the direct client and through the sidecar, each beside its own untouched B."""
    before, after = seen.untouched.each(), seen.mended.each()
    held_still(HELD_UP_MS, *(exchange for each in after.values() for exchange in each.exchanges))
    verdict.measured.update(b_ms=round(b_ms(after["direct"]), 1), untouched_b_ms=round(b_ms(before["direct"]), 1))
    for way, each in after.items():
        stalled = b_ms(before[way])
        for exchange in each.exchanges:
            if exchange.name == LARGE:  # as much as that takes its time; the bulk transfer is what it is judged by
                continue
            name, waited = exchange.name, exchange.waited_ms
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
    verdict.expect(
        seen.told == 0,
        "nor did anybody between the exchanges",
        f"the client was told {seen.told} times that a destination is unreachable for its packets, expected never",
    )
    verdict.measured["fragments"] = seen.fragments
    verdict.expect(
        seen.fragments == 0,
        "no packet was fragmented",
        f"{seen.fragments} fragments were made: the packets are still too large, which is hidden now",
    )


def full_segments(verdict: Verdict, exercise: str, seen: Cure) -> None:
    """The largest segment of each exchange that has enough for one: of the client's, and of the server's."""
    ways, least = seen.mended.each(), share(seen.untouched.each()["direct"].packets)
    out = [(way, name) for way in ways for name in ASKED if name != SMALL]
    back = [(way, name) for way, name in out if way == "direct" or name == LARGE]  # else there is a short answer
    theirs = [(f"{way}, {name}", ways[way].largest(name, CLIENT, VIP)) for way, name in out]
    carries(verdict, theirs, LEAST_BYTES.get(exercise, least))
    servers = [(f"{way}, {name}", ways[way].largest(name, VIP, CLIENT)) for way, name in back]
    carries(verdict, servers, least, "a full segment of the server's")


def share(packets: Sequence[Packet]) -> int:
    """How many bytes a full segment has to carry, by an untouched client's packets: the largest that the tunnel let
    through is all that the path allows."""
    fitting = (packet for packet in packets if packet.proto == "tcp" and packet.length_bytes <= TUNNEL_MTU)
    return math.ceil(max(packet.payload_bytes for packet in fitting if packet.src == CLIENT) * LEAST_SHARE)


def carries(verdict: Verdict, found: Iterable[tuple[str, int]], least: int, what: str = "a full segment") -> None:
    """The largest segment of each of some exchanges, by where it was seen: each is still worth the name."""
    where, smallest = min(found, key=lambda each: each[1])
    verdict.measured.setdefault("largest_segment_bytes", smallest)
    verdict.expect(
        smallest >= least,
        f"{what} still carries {smallest} bytes",
        f"{where}: {what} carries {smallest} bytes, expected {least} at least",
    )


def still_connected(verdict: Verdict, seen: Ways, connections: Connections) -> None:
    """Still through balancer and sidecar: each connection that left the client is one that IPVS has sent to the server.
    What else IPVS has in its table proves nothing."""
    known = {each.src: each for each in connections.balanced if each.server.startswith(f"{SERVER}:")}
    made = {(f"{CLIENT}:{sport}", f"{VIP}:{dport}") for each in seen.each().values() for sport, dport in opened(each)}
    balanced = [src for src, service in made if src in known and known[src].service == service]
    verdict.measured["through_balancer"] = len(balanced)
    verdict.expect(
        len(made) == len(balanced) >= CONNECTIONS,
        f"the balancer saw {len(balanced)} connections, and IPVS sent each to {SERVER}",
        f"the balancer saw {len(balanced)} connections that IPVS sent to {SERVER}, expected the "
        f"{max(len(made), CONNECTIONS)} that were made",
    )
    verdict.expect(
        connections.redirected >= THROUGH_SIDECAR,
        f"the sidecar took {connections.redirected} connections",
        f"the sidecar took {connections.redirected} TLS connections, expected the {THROUGH_SIDECAR} that were made",
    )


def opened(seen: Observed) -> set[tuple[int | None, int | None]]:
    """The ports at either end of each connection of the client's to the service."""
    theirs = (packet for packet in seen.packets if packet.proto == "tcp" and packet.interface != "lo")
    return {(packet.sport, packet.dport) for packet in theirs if (packet.src, packet.dst) == (CLIENT, VIP)}


def as_fast_in_bulk(verdict: Verdict, seen: list[Bulk], way: str) -> None:
    """A small segment would be a cure that every transfer pays for."""
    ratio = statistics.median(each.mended_s / each.untouched_s for each in seen)
    verdict.measured[f"bulk_ratio{way.replace(' ', '_')}"] = round(ratio, 2)
    verdict.expect(
        ratio <= BULK_RATIO,
        f"bulk{way} takes {ratio:.1f} times as long as untouched",
        f"bulk{way} takes {ratio:.1f} times as long as untouched, expected {BULK_RATIO} at most",
    )
