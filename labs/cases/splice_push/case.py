"""Case 3: a server splices an answer to a socket and asks for more than there is. Where is its end?

    net = case.Network()            # the report's machines; net.close() or `with` ends them
    with case.broken():             # the kernel without the fix of 2013, for the length of the block
        seen = case.fetched(net)    # every way of asking: what came, what is missing, who pushed
    case.fetched(net)               # the same on the kernel as it is
    case.freed(net)                 # what frees a tail that nobody pushed?
    case.reduction(net)             # the report's reduction: what moves the fault, and what does not

`run()` does the first two, `trace()` shows each page's flags and the timer's stack.
"""

from __future__ import annotations

import contextlib
import math
import os
from collections.abc import Iterable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import TYPE_CHECKING

from labs.cases.splice_push.judge import CORKED, HELD_UP_MS, NEEDED, ROUNDS, TIMED, judge, stay_ms, took_ms
from labs.cases.splice_push.network import Network
from labs.cases.splice_push.regression import REGRESSION
from labs.cases.splice_push.workload import WAYS, Fetched, Seen, Way, fetch, with_events
from labs.claims import Claim, Claims
from labs.measure.clock import StallDetector
from labs.measure.rounds import Rounds, rounds_to_json
from labs.trace import module

if TYPE_CHECKING:
    from core.draw.topology_svg import Described
    from labs.cases.splice_push.experiments import Table
    from labs.cases.splice_push.tracing import Traced
    from labs.trace.tracer import Event, Tracer

__all__ = [
    "REGRESSION",
    "WAYS",
    "Network",
    "Outcome",
    "Way",
    "broken",
    "fetched",
    "freed",
    "reduction",
    "report",
    "run",
    "trace",
    "traced",
]


def broken():
    """A context: the running kernel with 3.7's condition in pipe_to_sendpage(), by livepatch."""
    return module.livepatched(REGRESSION)


@dataclass(frozen=True)
class Outcome(Claims):
    """Rounds of every way of asking, on the kernel as it is (`fixed`) and with 3.7's condition (`broken`).

    `shown` and `shown_fixed` have of each way the round that took the median time.
    """

    broken: dict[str, Rounds[Fetched]]
    fixed: dict[str, Rounds[Fetched]]
    built_s: float
    kernel: str
    addresses: Described

    @property
    def claims(self) -> list[Claim]:
        return [] if self.missing else judge(self.broken, self.fixed)

    @property
    def missing(self) -> str:
        sides = {"broken": self.broken, "fixed": self.fixed}
        return "; ".join(
            f"{state}, {name}: {rounds.missing}"
            for state, side in sides.items()
            for name, rounds in side.items()
            if rounds.missing
        )

    @property
    def shown(self) -> Seen:
        return Seen({name: rounds.typical(took_ms) for name, rounds in self.broken.items()})

    @property
    def shown_fixed(self) -> Seen:
        return Seen({name: rounds.typical(took_ms) for name, rounds in self.fixed.items()})

    @property
    def headline(self) -> tuple[str, float]:
        broken, fixed = (side[CORKED].median(stay_ms) for side in (self.broken, self.fixed))
        return f"the stay of {CORKED!r} in the sender's kernel, times the fixed one's", broken / fixed

    def to_json(self) -> dict:
        """Plain values; "rounds" has them all, the rest is of those that are shown."""
        return {
            "case": "splice-push",
            "kernel": self.kernel,
            **self.claimed(),
            "broken": {key(name): one.to_json() for name, one in self.shown.items()},
            "fixed": {key(name): one.to_json() for name, one in self.shown_fixed.items()},
            "rounds": {"broken": rounds_to_json(self.broken, key), "fixed": rounds_to_json(self.fixed, key)},
            "livepatch_built_s": round(self.built_s, 1),
            "topology": self.addresses,
        }

    def text(self) -> str:
        """Text for the terminal, at most 80 columns."""
        lines = [
            f"splice-push on Linux {self.kernel}; broken: 3.7's condition, by livepatch",
            f"Shown is, of {ROUNDS} rounds, the one that took the median time.",
            "",
            f"{'':<18}{'whole answer, ms':>17}{'missing, B':>15}{'pushes':>15}{'segments':>15}",
            f"{'':<18}{'fixed':>9}{'broken':>8}" + f"{'fixed':>7}{'broken':>8}" * 3,
        ]
        for name, now in self.shown.items():
            was = self.shown_fixed[name]
            lines.append(
                f"{name:<18}{was.took:>9}{now.took:>8}{was.missing_bytes:>7}{now.missing_bytes:>8}"
                f"{was.pushes:>7}{now.pushes:>8}{was.segments:>7}{now.segments:>8}"
            )
        return "\n".join([*lines, "", *self.outcome_lines()])

    def __repr__(self) -> str:
        return self.text()

    def figure(self):
        """How long each answer took, and what never came: a plot, and its text alternative."""
        from labs.cases.splice_push import pictures

        return pictures.ways(self.shown, self.shown_fixed)


def key(name: str) -> str:
    """A name as a key that prose can quote: "send()" is send, "asked too much" asked_too_much."""
    return name.replace("()", "").replace(" ", "_")


def run(condition: int = 1) -> Outcome:
    """Rounds of every way of asking, first on the kernel as it is, then with the regression. Without the `condition`
    nothing is lost, and the outcome is that the case was not reproduced."""
    with StallDetector() as clock, prepared() as (net, tracer, patch):
        fixed = requested(net, tracer, clock, "fixed")
        with module.livepatched(patch) if condition else contextlib.nullcontext():
            bad = requested(net, tracer, clock, "broken")
        addresses = net.describe()
    return Outcome(
        by_way(bad, tracer.events), by_way(fixed, tracer.events), patch.built_s, os.uname().release, addresses
    )


def requested(net: Network, tracer: Tracer, clock: StallDetector, state: str) -> list[dict[str, tuple[str, Fetched]]]:
    """Rounds of every way, on the kernel in this state."""
    return [fetch(net, tracer=tracer, state=f"{state} {number}", clock=clock) for number in range(1, ROUNDS + 1)]


def by_way(rounds: list[dict[str, tuple[str, Fetched]]], events: list[Event]) -> dict[str, Rounds[Fetched]]:
    """The rounds of each way, with what the sender's kernel did."""
    seen = [with_events(fetched, events) for fetched in rounds]
    bound_ms = {name: HELD_UP_MS if name in TIMED else math.inf for name in seen[0]}
    return {name: Rounds([one[name] for one in seen], bound_ms[name], NEEDED) for name in seen[0]}


@contextlib.contextmanager
def prepared():
    """Network, attached tracer and built livepatch, made at the same time; ended with the block."""
    from labs.cases.splice_push.tracing import push_tracer

    module.tidy()
    with contextlib.ExitStack() as stack:
        pool = stack.enter_context(ThreadPoolExecutor(2))
        building, making = pool.submit(module.build, REGRESSION), pool.submit(Network)
        stack.callback(lambda: making.exception() or making.result().close())
        tracer = stack.enter_context(push_tracer())
        yield making.result(), tracer, building.result()


def trace() -> Traced:
    """Each page's flags, who pushed, what was written and not sent, and the timer that comes at last."""
    with Network() as net:
        return traced(net)


def traced(net: Network) -> Traced:
    """Trace the requests in a network at hand."""
    from labs.cases.splice_push import tracing

    return tracing.traced(net, REGRESSION)


def reduction(net: Network) -> Table:
    """The report's reduction; see `experiments.reduction`."""
    from labs.cases.splice_push import experiments

    return experiments.reduction(net, REGRESSION)


def freed(net: Network) -> Table:
    """What frees the tail that nobody pushed; see `experiments.freed`."""
    from labs.cases.splice_push import experiments

    return experiments.freed(net, REGRESSION)


def report(net: Network) -> Table:
    """The report's own trace; see `replay.report`."""
    from labs.cases.splice_push import replay

    return replay.report(net, REGRESSION)


def fetched(net: Network, ways: Iterable[Way | str] = WAYS) -> Seen:
    """Requests, by Way or by name, under the tracer, on the kernel as it stands."""
    from labs.cases.splice_push.tracing import push_tracer

    known = {way.name: way for way in WAYS}
    with push_tracer() as tracer:
        seen = fetch(net, [known[way] if isinstance(way, str) else way for way in ways], tracer)
    return with_events(seen, tracer.events)
