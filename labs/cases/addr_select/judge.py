"""Did each packet ask every address of the host, and did the setting end that?

First the mechanism: calls a packet, counted. Then, where there are enough addresses to see it in time, ratios between
the node as it was and the node with the setting: of a turn, and of turns the median.
"""

from labs.cases.addr_select.costs import BOUNDS
from labs.cases.addr_select.names import EVAL, LABEL, NODE, REPORTED, SELECT
from labs.cases.addr_select.sweep import RATIO_AT, Sweep
from labs.claims import Claim

# The least correlation of cost and addresses: a cost that does not grow with them has none. It is not nearer to 1, for
# beyond a few thousand addresses the processor's cache is too small for them, and one point that a busy machine doubles
# leaves 0.92. That the growth is a straight line is shown by the counted calls.
STRAIGHT = 0.9
FLAT = BOUNDS["flat_ratio"]
# By number of addresses, how many times as long a send and a ping take at least.
SLOWER = {
    REPORTED: (BOUNDS["reported_send_ratio"], BOUNDS["reported_ping_ratio"]),
    RATIO_AT: (BOUNDS["many_send_ratio"], BOUNDS["many_ping_ratio"]),
}


def judge(seen: Sweep) -> list[Claim]:
    """All claims, the mechanism first."""
    claims = [*mechanism(seen), sources(seen), *sockets(seen)]
    most = max(seen.broken)
    if most >= REPORTED:
        claims += in_time(seen, most)
    return claims


def mechanism(seen: Sweep) -> list[Claim]:
    """One label lookup and a fixed number of questions for each address; none with the setting."""
    # A single address of lo meets only the outgoing interface's, and rule 5 is before the labels.
    labels = {point.calls[LABEL] - (count if count > 1 else 0) for count, point in seen.broken.items()}
    per_address = evals_per_address(seen)
    fixed = {tuple(point.calls.items()) for point in seen.fixed.values()}
    said = ", ".join(f"{name}() {number}" for name, number in next(iter(fixed)))
    return [
        Claim(
            labels == {1},
            f"each packet has {LABEL}() called N + {', '.join(map(str, sorted(labels)))} times for N addresses (N > 1)",
        ),
        Claim(
            len(per_address) == 1 and min(per_address) > 0,
            f"each address adds {', '.join(f'{calls:g}' for calls in sorted(per_address))} calls of "
            f"{EVAL}() to each packet",
        ),
        Claim(len(fixed) == 1, f"with use_oif_addrs_only a packet makes the same calls at any N: {said}"),
    ]


def evals_per_address(seen: Sweep) -> set[float]:
    """Calls of ipv6_get_saddr_eval() that an address adds to a packet, from each point against the
    control of the same number of addresses, whose calls do not depend on it."""
    extra = {count: point.calls[EVAL] for count, point in seen.broken.items()}
    first = min(extra)
    if len(extra) == 1:
        return {extra[first] - seen.fixed[first].calls[EVAL]}
    return {(calls - extra[first]) / (count - first) for count, calls in extra.items() if count > first}


def sources(seen: Sweep) -> Claim:
    """The source is the same, whoever was asked."""
    turns = [turn for rounds in seen.turns.values() for turn in rounds.measured]
    chosen = {point.cost.source for turn in turns for point in (turn.broken, turn.fixed)}
    return Claim(chosen == {NODE}, f"every packet came from {', '.join(sorted(chosen))}")


def sockets(seen: Sweep) -> list[Claim]:
    """Only a socket without a source address of its own has the kernel choose one for each packet."""
    asks = {kind: calls[SELECT] for kind, calls in seen.socket_calls.items()}
    said = ", ".join(f"{kind} {calls}" for kind, calls in asks.items())
    return [
        Claim(
            [kind for kind, calls in asks.items() if calls] == ["unconnected"],
            f"calls of {SELECT}() for one packet: {said}",
        )
    ]


def in_time(seen: Sweep, most: int) -> list[Claim]:
    """Claim that the time grows as the questions do, by two instruments, as ratios."""
    line, straightness = seen.line(seen.broken), seen.ratios(most).correlation
    claims = [
        Claim(
            straightness >= STRAIGHT,
            f"the cost of a send is a straight line: {line.slope_ns:.0f} ns for each address; in sends with the "
            f"setting, correlation {straightness:.4f}, expected {STRAIGHT}",
        )
    ]
    for count, (send_at_least, ping_at_least) in SLOWER.items():
        if count in seen.broken:
            send, ping = seen.ratio(count), seen.ping_ratio(count)
            claims += [
                Claim(
                    send >= send_at_least,
                    f"at {count} addresses a send takes {send:.1f} times as long as "
                    f"with the setting, expected {send_at_least} at least",
                ),
                Claim(
                    ping >= ping_at_least,
                    f"at {count} addresses a ping takes {ping:.1f} times as long, expected {ping_at_least} at least",
                ),
            ]
    flat = max(seen.ipv4), min(seen.ipv4)
    grown = seen.ipv4_ratio(flat[0]) / seen.ipv4_ratio(flat[1])
    claims.append(
        Claim(
            grown <= FLAT,
            f"IPv4 with {flat[0]} addresses takes {grown:.1f} times as long as with {flat[1]}, "
            f"in IPv6 sends with the setting, expected {FLAT} at most",
        )
    )
    return claims
