"""Did the push fail to come, and by the mechanism that the chapter describes?

First the mechanism: flags of each page, calls of tcp_push(), bytes that lie in the send queue and the
timer that is armed for them. Then a ratio to the fixed kernel in the same run.
"""

from __future__ import annotations

import math

from labs.cases.splice_push.workload import Fetched
from labs.check import Check

RATIO = 4  # of stays in the sender's kernel: 200 ms and more, to one or two (to 20 on a busy machine)
LOST = ("asked too much", "over loopback", "through the proxy")
UNHARMED = ("exact length", "send()")
CORKED, PIPE = "header with MORE", "pv"


def judge(broken: dict[str, Fetched], fixed: dict[str, Fetched]) -> list[Check]:
    """All claims, the mechanism first."""
    checks = [check for name in LOST for check in lost(name, broken[name])]
    checks += [last_page(name, broken[name], fixed[name]) for name in ("asked too much", "over loopback")]
    checks += [probed(broken[CORKED]), piped(broken[PIPE])]
    for name, one in fixed.items():
        checks.append(Check(one.missing_bytes == 0, f"fixed, {name}: {one.missing_bytes} bytes missing"))
    for name in UNHARMED:
        one = broken[name]
        checks.append(
            Check(
                one.missing_bytes == 0 and one.pushes == fixed[name].pushes,
                f"{name}: {one.missing_bytes} bytes missing, {one.pushes} pushes; fixed: {fixed[name].pushes}",
            )
        )
    for name in ("asked too much", "over loopback", CORKED):
        ratio = broken[name].stayed_ms / fixed[name].stayed_ms
        checks.append(
            Check(
                ratio >= RATIO,
                f"{name}: {stayed(broken[name])} in the sender's kernel, fixed "
                f"{stayed(fixed[name])}; expected {RATIO} times as long at least",
            )
        )
    return checks


def stayed(one: Fetched) -> str:
    """How long the object was in the sender's kernel, in words."""
    return "without end" if math.isinf(one.stayed_ms) else f"{one.stayed_ms:.1f} ms"


def lost(name: str, one: Fetched) -> list[Check]:
    """All of the object lies in the sender's kernel, and nothing will come for it."""
    queued = sum(held.queued_bytes for held in one.held)
    timers = sorted({held.timer for held in one.held})
    return [
        Check(
            one.missing_bytes == queued == one.way.size,
            f"{name}: {one.missing_bytes} of {one.way.size} bytes missing, {queued} lie in the send queue",
        ),
        Check(timers == ["none"], f"{name}: the timer that is armed for them: {', '.join(timers) or 'no queue'}"),
    ]


def last_page(name: str, broken: Fetched, fixed: Fetched) -> Check:
    """Whether anything is pushed depends on the flags of the last page."""
    flags = [page.words for page in broken.pages[-1:]] + [page.words for page in fixed.pages[-1:]]
    return Check(
        flags == ["NOTLAST", "-"] and (broken.pushes, fixed.pushes) == (0, 1),
        f"{name}: the last page goes with {' and, fixed, with '.join(flags)}; "
        f"pushes: {broken.pushes} and {fixed.pushes}",
    )


def probed(one: Fetched) -> Check:
    """Nobody pushes, and yet it is delivered: by the timer."""
    probes, pushes = len(one.of("tcp_write_wakeup")), one.pushes
    return Check(
        one.missing_bytes == 0 and pushes == 0 and probes == 1,
        f"{CORKED}: {one.missing_bytes} bytes missing, {pushes} pushes, {probes} probe timer",
    )


def piped(one: Fetched) -> Check:
    """The same with pv as the server, which has no code of ours in it."""
    return Check(
        one.missing_bytes == one.way.size and one.splices > 0 and one.pushes == 0,
        f"pv: {one.missing_bytes} of {one.way.size} bytes missing, {one.splices} splice, {one.pushes} pushes",
    )
