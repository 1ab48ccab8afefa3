"""Did the push fail to come, and by the mechanism that the chapter describes?

First the mechanism, in every round: flags of each page, calls of tcp_push(), bytes that lie in the send queue and the
timer that is armed for them. Then a ratio of medians to the fixed kernel in the same run.
"""

import math
from pathlib import Path

from labs.cases.splice_push.workload import Fetched
from labs.claims import Claim
from labs.measure.bounds import bounds
from labs.measure.rounds import Rounds

ROUNDS, NEEDED = 3, 2  # of each kernel; how many of them have to have been measured
BOUNDS = bounds(Path(__file__).parent)
RATIO, HELD_UP_MS = BOUNDS["stay_ratio"], BOUNDS["held_up_ms"]
LOST = ("asked too much", "over loopback", "through the proxy")
SEEN_PAGE_BY_PAGE = ("asked too much", "over loopback")
UNHARMED = ("exact length", "send()")
CORKED, PIPE = "header with MORE", "pv"
TIMED = (*SEEN_PAGE_BY_PAGE, CORKED)  # of the others the kernel's own word is waited for, however late it comes


def judge(broken: dict[str, Rounds[Fetched]], fixed: dict[str, Rounds[Fetched]]) -> list[Claim]:
    """All claims on the rounds of each way, the mechanism first."""
    claims = [claim for name in LOST for claim in broken[name].in_each(lost)]
    for name in SEEN_PAGE_BY_PAGE:
        claims += broken[name].in_each(lambda one: [last_page(one, "NOTLAST", 0)])
        claims += fixed[name].in_each(lambda one: [last_page(one, "-", 1, "fixed, ")])
    claims += [*broken[CORKED].in_each(probed), *broken[PIPE].in_each(piped)]
    for rounds in fixed.values():
        claims += rounds.in_each(whole)
    for name in UNHARMED:
        pushes = {one.pushes for one in fixed[name].measured}
        claims += broken[name].in_each(lambda one: [unharmed(one, pushes)])
    return [*claims, *(longer(broken[name], fixed[name]) for name in TIMED)]


def longer(broken: Rounds[Fetched], fixed: Rounds[Fetched]) -> Claim:
    """How many times as long the object is in the sender's kernel."""
    was, now = fixed.median(stay_ms), broken.median(stay_ms)
    return Claim(
        now / was >= RATIO,
        f"{fixed.every[0].way.name}: {stayed(now)} in the sender's kernel, fixed {stayed(was)}; expected {RATIO} times "
        "as long at least",
    )


def stay_ms(one: Fetched) -> float:
    """What the medians are taken of."""
    return one.stayed_ms


def took_ms(one: Fetched) -> float:
    """The time by which a round is chosen to be shown."""
    return one.took_ms


def stayed(stay_ms: float) -> str:
    """How long an object was in the sender's kernel, in words."""
    return "without end" if math.isinf(stay_ms) else f"{stay_ms:.1f} ms"


def lost(one: Fetched) -> list[Claim]:
    """All of the object lies in the sender's kernel, and nothing will come for it."""
    name, queued = one.way.name, sum(held.queued_bytes for held in one.held)
    timers = sorted({held.timer for held in one.held})
    return [
        Claim(
            one.missing_bytes == queued == one.way.size,
            f"{name}: {one.missing_bytes} of {one.way.size} bytes missing, {queued} lie in the send queue",
        ),
        Claim(timers == ["none"], f"{name}: the timer that is armed for them: {', '.join(timers) or 'no queue'}"),
    ]


def last_page(one: Fetched, flags: str, pushes: int, state: str = "") -> Claim:
    """Whether anything is pushed depends on the flags of the last page."""
    found = [page.words for page in one.pages[-1:]]
    return Claim(
        found == [flags] and one.pushes == pushes,
        f"{state}{one.way.name}: the last page goes with {' '.join(found) or 'nothing'}; pushes: {one.pushes}",
    )


def whole(one: Fetched) -> list[Claim]:
    """The kernel as it is loses nothing."""
    return [Claim(one.missing_bytes == 0, f"fixed, {one.way.name}: {one.missing_bytes} bytes missing")]


def unharmed(one: Fetched, pushes: set[int]) -> Claim:
    """Broken as well as fixed all comes, and is pushed as often."""
    return Claim(
        one.missing_bytes == 0 and {one.pushes} == pushes,
        f"{one.way.name}: {one.missing_bytes} bytes missing, {one.pushes} pushes; fixed: "
        + ", ".join(map(str, sorted(pushes))),
    )


def probed(one: Fetched) -> list[Claim]:
    """Claims that nobody pushes, and what is left is yet delivered: by the timer."""
    probes, pushes = len(one.of("tcp_write_wakeup")), one.pushes
    return [
        Claim(
            one.missing_bytes == 0 and pushes == 0 and probes == 1,
            f"{CORKED}: {one.missing_bytes} bytes missing, {pushes} pushes, {probes} probe timer",
        )
    ]


def piped(one: Fetched) -> list[Claim]:
    """Claim what holds with pv as the server, which has no code of ours in it."""
    return [
        Claim(
            one.missing_bytes == one.way.size and one.splices > 0 and one.pushes == 0,
            f"pv: {one.missing_bytes} of {one.way.size} bytes missing, {one.splices} splice, {one.pushes} pushes",
        )
    ]
