"""Is the stall cured, and is nothing else broken? What the evidence of an answer to exercises 1 to 3 is held to.

Two networks were seen: an untouched one, which has to show the stall (else nothing could be judged), and the mended
one, on which the answer was applied before any connection was opened. Judged is every exchange there, past the sidecar
and through it, beside the first one of B in the untouched network: a stall teaches the client, and the next ones are
fast. Balancer and server are not one client's alone, so in exercises 2 and 3 another one has asked as well.
"""

import math
import statistics
from collections.abc import Iterable, Iterator, Sequence

from core.draw.ladder import Ladder
from core.judge.check import named
from core.judge.evidence import Evidence
from core.judge.verdict import Verdict
from core.serialization import Damaged
from core.wire.packet import Packet
from labs.cases.frag_needed.cure.evidence import (
    ASKED,
    BULK_ROUNDS,
    LARGE,
    SMALL,
    STALLING,
    Another,
    Balanced,
    Bulk,
    Connections,
    Cure,
    ForAnother,
    Ways,
)
from labs.cases.frag_needed.judge import BOUNDS, HELD_UP_MS, asked_smaller, b_ms, neither, quick, slowest_of
from labs.cases.frag_needed.names import ANOTHER, CLIENT, HOSTS, SERVER, TUNNEL_MTU, VIP
from labs.cases.frag_needed.observed import Observed
from labs.errors import FAULT, CannotTry
from labs.judge.judging import (
    LACKS_A_PART,
    abstain,
    answered,
    complete_observation,
    judge_script,
    nothing_left_running,
    others_left_alone,
    require_no_stall,
    there,
)

# Of what the path allows, a full segment has to carry this share where the task names no number of bytes. Less is no
# cure for an MTU that is 20 bytes too large, but room for another header or two, as an MSS or an MTU of 1400 leaves it,
# is a margin that people take.
LEAST_SHARE = 0.8
IN_IDS = {"direct": "direct", "through the sidecar": "sidecar"}  # ways, in ids of checks
CONNECTIONS, THROUGH_SIDECAR = 4, 2  # that are made in a judgement: A and B, directly and through the sidecar
RATIO = BOUNDS["cured_ratio"]
BULK_RATIO, BULK_S = BOUNDS["bulk_ratio"], BOUNDS["bulk_s"]


def b_after_the_answer(seen: Cure) -> Ladder | None:
    """B's first exchange past the sidecar, in the mended network."""
    if not seen.mended.has(*ASKED):
        return None
    return there(seen.mended.direct).ladder("B", "B's first exchange after the answer, as it was judged")


def judge(
    evidence: Evidence, verdict: Verdict, least_bytes: int | None = None, for_another: ForAnother = ForAnother.NOTHING
) -> None:
    """A script that touches only the allowed hosts, cures the stall, and has done its work when it ends. Where a
    request got no answer, what was seen before it is judged, too. `least_bytes` are those that a full segment of the
    client's has to carry, where the task says how many."""
    judge_script(verdict, evidence)
    seen: Cure = complete_observation(evidence)
    another = of_another(evidence, seen.another, for_another)
    if seen.untouched.has(*STALLING):
        require_no_stall(HELD_UP_MS, *(each["B"] for each in seen.untouched.each().values()))
        for each in seen.untouched.each().values():
            stalls(each)
        if seen.mended.has(*ASKED) and None not in (seen.fragments, seen.told):
            least = share(there(seen.untouched.direct).packets)
            compare(verdict, seen)
            full_segments(verdict, seen.mended.each(), CLIENT, least_bytes or least, least)
        if seen.mended.has(*ASKED) and seen.connections:
            still_connected(verdict, seen.mended, seen.connections)
            if seen.connections.packets is not None:
                all_of_it(verdict, seen.mended.each().values(), seen.connections.packets)
        for id, way, bulk in (("bulk", "", seen.bulk), ("bulk-sidecar", " through the sidecar", seen.sidecar_bulk)):
            if len(bulk) == BULK_ROUNDS:
                as_fast_in_bulk(verdict, id, bulk, way)
        if another and for_another is ForAnother.AS_FAST:
            as_fast_for_another(verdict, seen.untouched, another)
    nothing_left_running(verdict, evidence)
    answered(verdict, evidence.unanswered)
    others_left_alone(verdict, evidence, HOSTS if for_another is ForAnother.NOTHING else (*HOSTS, ANOTHER))
    if seen.untouched.has(*STALLING):
        abstain(verdict, slow_exchanges(seen, another if for_another is ForAnother.AS_FAST else None))
    transfers = (seen.bulk, seen.sidecar_bulk, *([another.bulk, another.tls_bulk] if another else []))
    abstain(verdict, (said(each) for said in (slow, uneven) for each in transfers))


def of_another(evidence: Evidence, seen: Another | None, asked: ForAnother) -> Another | None:
    """What another client has seen, if the exercise has one, and if it got all its answers."""
    if asked is ForAnother.NOTHING:
        return None
    if seen and seen.whole(BULK_ROUNDS if asked is ForAnother.AS_FAST else 0):
        return seen
    if not evidence.unanswered:
        raise Damaged(LACKS_A_PART)
    return None


def stalls(untouched: Observed, name: str = "B") -> None:
    """The untouched network has to show, in this exchange, what the answer is to cure."""
    if not untouched.icmp_to_self(name):
        reason = "the untouched network shows no stall, so nothing can be compared"
        raise CannotTry(reason, "./lab run frag-needed", FAULT)


def compare(verdict: Verdict, seen: Cure) -> None:
    """Symptom and mechanism, by the direct client and through the sidecar, each beside its own untouched B."""
    before, after = seen.untouched.each(), seen.mended.each()
    require_no_stall(HELD_UP_MS, *(exchange for each in after.values() for exchange in each.exchanges))
    verdict.measured.update(b_ms=round(b_ms(after["direct"]), 1), untouched_b_ms=round(b_ms(before["direct"]), 1))
    for way, each in after.items():
        stalled = b_ms(before[way])
        for exchange in each.exchanges:
            if exchange.name == LARGE:  # as much as that takes its time; the bulk transfer is what it is judged by
                continue
            name, waited = exchange.name, exchange.waited_ms
            if neither(exchange, stalled, RATIO):
                continue
            verdict.expect(
                f"no-stall-{IN_IDS[way]}-{named(name)}",
                quick(exchange, stalled, RATIO),
                f"{way}: {name} waits {waited:.0f} ms where the untouched B waits {stalled:.0f} ms",
                f"{way}: {name} still waits {waited:.0f} ms; the untouched B waits {stalled:.0f} ms",
                expected=f"{RATIO:g} times less",
            )
        icmps = asked_smaller(each)
        verdict.expect(
            f"no-frag-needed-{IN_IDS[way]}",
            icmps == 0,
            f"{way}: nobody asks for smaller packets",
            f"{way}: {icmps} ICMPs still ask for smaller packets",
            expected="none",
        )
    verdict.expect(
        "no-frag-needed-between",
        not seen.told and not seen.refused,
        "in all, nobody tells the client that a destination is unreachable for its packets",
        f"the client was told {seen.told or seen.refused} times that a destination is unreachable for its packets",
        expected="never",
    )
    verdict.measured["fragments"] = seen.fragments
    verdict.expect(
        "no-fragments",
        seen.fragments == 0,
        "no packet was fragmented",
        f"{seen.fragments} fragments were made: the packets are still too large, which is hidden now",
    )


def slow_exchanges(seen: Cure, another: Another | None) -> Iterator[str]:
    """Why it cannot be told of an exchange whether it stalled, for each of which that is so."""
    stalled_ms = {way: b_ms(each) for way, each in seen.untouched.each().items()}
    every = [seen.mended.each()] if seen.mended.has(*ASKED) else []
    if another:
        every.append(another.each())
    for ways in every:
        for before_ms, each in zip(stalled_ms.values(), ways.values(), strict=True):
            yield from (neither(one, before_ms, RATIO) for one in each.exchanges if one.name != LARGE)


def full_segments(
    verdict: Verdict, ways: dict[str, Observed], client: str, least: int, least_of_server: int, whose: str = ""
) -> None:
    """The largest segment of each exchange that has enough for one: of this client's, and of the server's."""
    out = [(way, name) for way in ways for name in ASKED if name != SMALL]
    back = [(way, name) for way, name in out if way.startswith("direct") or name == LARGE]  # else a short answer
    theirs = [(f"{way}, {name}", ways[way].largest(name, client, VIP)) for way, name in out]
    other = "-other" if whose else ""
    carries(verdict, f"full-segments{other}", theirs, least, f"a full segment{whose}")
    servers = [(f"{way}, {name}", ways[way].largest(name, VIP, client)) for way, name in back]
    of_server = f"a full segment of the server's{whose and ' to another client'}"
    carries(verdict, f"full-segments-of-server{other}", servers, least_of_server, of_server)


def share(packets: Sequence[Packet]) -> int:
    """How many bytes a full segment has to carry, by an untouched client's packets: the largest that the tunnel let
    through is all that the path allows."""
    fitting = (packet for packet in packets if packet.proto == "tcp" and packet.length_bytes <= TUNNEL_MTU)
    return math.ceil(max(packet.payload_bytes for packet in fitting if packet.src == CLIENT) * LEAST_SHARE)


def carries(
    verdict: Verdict, id: str, found: Iterable[tuple[str, int]], least: int, what: str = "a full segment"
) -> None:
    """The largest segment of each of some exchanges, by where it was seen: each is still worth the name."""
    where, smallest = min(found, key=lambda each: each[1])
    verdict.measured.setdefault("largest_segment_bytes", smallest)
    verdict.expect(
        id,
        smallest >= least,
        f"{what} still carries {smallest} bytes",
        f"{where}: {what} carries {smallest} bytes",
        expected=f"{least} at least",
    )


def still_connected(verdict: Verdict, seen: Ways, connections: Connections) -> None:
    """Check that connections still go through balancer and sidecar: each that left the client is one that IPVS has sent
    to the server. What else IPVS has in its table proves nothing."""
    made, balanced = balanced_of(CLIENT, seen.each().values(), connections.balanced)
    verdict.measured["through_balancer"] = len(balanced)
    verdict.expect(
        "through-balancer",
        len(made) == len(balanced) >= CONNECTIONS,
        f"the balancer saw {len(balanced)} connections, and IPVS sent each to {SERVER}",
        f"the balancer saw {len(balanced)} connections that IPVS sent to {SERVER}",
        expected=f"the {max(len(made), CONNECTIONS)} that were made",
    )
    verdict.expect(
        "through-sidecar",
        connections.redirected >= THROUGH_SIDECAR,
        f"the sidecar took {connections.redirected} connections",
        f"the sidecar took {connections.redirected} TLS connections",
        expected=f"the {THROUGH_SIDECAR} that were made",
    )


def all_of_it(verdict: Verdict, seen: Iterable[Observed], came: int) -> None:
    """Check that not only the beginning of each connection goes to the balancer."""
    sent = sum(map(arrived, seen))
    verdict.expect(
        "packets-through-balancer",
        came >= sent,
        f"all {sent} packets to the service came to the balancer",
        f"{came} packets came to the balancer",
        expected=f"the {sent} that the client sent to the service, or more",
    )


def arrived(seen: Observed) -> int:
    """How many packets the client sent to the service, each connection's up to its last one with data: that was
    answered, so all have arrived. Interfaces may stand on one another, and a capture sees a packet at each of them."""
    sent: dict[tuple[int | None, int | None], dict[str, list[Packet]]] = {}
    for packet in seen.packets:
        if packet.proto == "tcp" and packet.interface != "lo" and (packet.src, packet.dst) == (CLIENT, VIP):
            at = sent.setdefault((packet.sport, packet.dport), {})
            at.setdefault(packet.interface, []).append(packet)
    return sum(max(map(up_to_data, at.values())) for at in sent.values())


def up_to_data(packets: Sequence[Packet]) -> int:
    """How many of them there are up to the last one with data."""
    return max((number for number, packet in enumerate(packets, 1) if packet.payload_bytes), default=0)


def balanced_of(client: str, ways: Iterable[Observed], known: list[Balanced]) -> tuple[set[tuple[str, str]], list[str]]:
    """The connections that left this client, whence and to which service; and those that IPVS sent to the server."""
    sent = {each.src: each.service for each in known if each.server.startswith(f"{SERVER}:")}
    made = {(f"{client}:{sport}", f"{VIP}:{dport}") for each in ways for sport, dport in opened(each, client)}
    return made, [src for src, service in made if sent.get(src) == service]


def opened(seen: Observed, client: str) -> set[tuple[int | None, int | None]]:
    """The ports at either end of each connection of a client's to the service."""
    theirs = (packet for packet in seen.packets if packet.proto == "tcp" and packet.interface != "lo")
    return {(packet.sport, packet.dport) for packet in theirs if (packet.src, packet.dst) == (client, VIP)}


def as_fast_for_another(verdict: Verdict, untouched: Ways, another: Another) -> None:
    """All that the first client is held to, for another one, in fewer words."""
    who, ways = f"another client ({another.address})", another.each()
    least = share(there(untouched.direct).packets)
    require_no_stall(HELD_UP_MS, *(exchange for each in ways.values() for exchange in each.exchanges))
    for (way, each), before, id in zip(ways.items(), untouched.each().values(), ("direct", "tls"), strict=True):
        stalled = b_ms(before)
        slowest = slowest_of([one for one in each.exchanges if one.name != LARGE], stalled, RATIO)
        if neither(slowest, stalled, RATIO):
            continue
        verdict.expect(
            f"no-stall-other-{id}",
            quick(slowest, stalled, RATIO),
            f"{way}: no exchange waits longer than {slowest.waited_ms:.0f} ms",
            f"{way}: {slowest.name} still waits {slowest.waited_ms:.0f} ms; the untouched B waits {stalled:.0f} ms",
            expected=f"{RATIO:g} times less",
        )
    verdict.expect(
        "no-frag-needed-other",
        another.told == 0,
        f"nobody asks {who} for smaller packets",
        f"{who} was told {another.told} times that a destination is unreachable for its packets",
        expected="never",
    )
    full_segments(verdict, ways, another.address, least, least, " of another client's")
    made, balanced = balanced_of(another.address, ways.values(), another.balanced)
    sent = f"IPVS sent {len(balanced)} connections of {who} to {SERVER}"
    verdict.expect(
        "through-balancer-other",
        len(made) == len(balanced) >= CONNECTIONS,
        sent,
        sent,
        expected=f"the {max(len(made), CONNECTIONS)} that were made",
    )
    as_fast_in_bulk(verdict, "bulk-other", another.bulk, " of another client")
    as_fast_in_bulk(verdict, "bulk-other-tls", another.tls_bulk, " of another client by TLS")


def as_fast_in_bulk(verdict: Verdict, id: str, seen: list[Bulk], way: str) -> None:
    """A small segment would be a cure that every transfer pays for. No check where `uneven` says why."""
    ratio = statistics.median(_ratios(seen))
    verdict.measured[f"bulk_ratio{way.replace(' ', '_')}"] = round(ratio, 2)
    if uneven(seen):
        return
    takes = f"a bulk transfer{way} takes {ratio:.1f} times as long as in the untouched network"
    verdict.expect(id, ratio <= BULK_RATIO, takes, takes, expected=f"{BULK_RATIO} at most")


def _ratios(seen: list[Bulk]) -> list[float]:
    return [each.mended_s / each.untouched_s for each in seen]


def uneven(seen: list[Bulk]) -> str:
    """Say that the middle transfer is too slow, and another is not, which a busy machine does; empty if that is not so.
    A shaper may do it, too, if the first one is quick: a token bucket lets so much pass at once."""
    ratios = _ratios(seen)
    if not seen or statistics.median(ratios) <= BULK_RATIO or ratios[0] <= BULK_RATIO or min(ratios) > BULK_RATIO:
        return ""
    listed = ", ".join(f"{ratio:.1f}" for ratio in ratios)
    return f"bulk transfers take {listed} times as long as in the untouched network: some do, and some do not"


def slow(seen: list[Bulk]) -> str:
    """Say that transfers, whose ratio is right, take so long that throttled ones might; empty if they do not."""
    takes_s = statistics.median(each.mended_s for each in seen) if seen else 0.0
    if takes_s <= BULK_S:
        return ""
    return (
        f"the machine is slow: a bulk transfer that takes {takes_s:.1f} s may be throttled, whatever its ratio, "
        f"expected {BULK_S} s at most"
    )
