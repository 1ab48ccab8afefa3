"""Case 1: two requests meet a tunnel's smaller MTU. Why does the second wait 200 ms?

    net = case.Network()          # the story's hosts; net.close() or `with` ends them
    seen = case.direct(net)       # A, B and B again; also case.sidecar(net)
    seen.ladder("B")
    case.traced(net)              # in a new network: the same, with the kernel's stacks
    case.again(net)               # why is a second run fast?
    case.expiry(net)              # and what if the learnt MTU expires?

`run()` does the first two beside a control, in which a route tells the client of 1480 bytes
beforehand; `trace()` does the third.
"""

from __future__ import annotations

import os
from dataclasses import dataclass
from typing import TYPE_CHECKING

from labs.cases.frag_needed.judge import HELD_UP_MS, NEEDED, ROUNDS, b_ms, judge, slower
from labs.cases.frag_needed.network import Network
from labs.cases.frag_needed.observed import Observed
from labs.cases.frag_needed.workload import Instruments, direct, sidecar
from labs.claims import Claim, Claims
from labs.measure.rounds import Rounds, rounds_to_json

if TYPE_CHECKING:
    from core.draw.topology_svg import Described
    from labs.cases.frag_needed.experiments import Expiry, Table
    from labs.cases.frag_needed.tracing import Traced

__all__ = ["Network", "Observed", "Outcome", "again", "direct", "expiry", "run", "sidecar", "trace", "traced"]


@dataclass(frozen=True)
class Outcome(Claims):
    """A whole run: the rounds of the broken and of the control workload, each `direct` and through the `sidecar`.

    `shown` and `shown_control` are the rounds in which B's wait is the median, for each way.
    """

    broken: dict[str, Rounds[Observed]]
    control: dict[str, Rounds[Observed]]
    kernel: str
    addresses: Described

    @property
    def claims(self) -> list[Claim]:
        return [] if self.missing else judge(self.broken, self.control)

    @property
    def missing(self) -> str:
        sides = [(way, rounds) for side in (self.broken, self.control) for way, rounds in side.items()]
        return "; ".join(f"{way}: {rounds.missing}" for way, rounds in sides if rounds.missing)

    @property
    def shown(self) -> dict[str, Observed]:
        return {way: rounds.typical(b_ms) for way, rounds in self.broken.items()}

    @property
    def shown_control(self) -> dict[str, Observed]:
        return {way: rounds.typical(b_ms) for way, rounds in self.control.items()}

    @property
    def headline(self) -> tuple[str, float]:
        return "B's wait past the sidecar, times the control's", slower(self.broken["direct"], self.control["direct"])

    def to_json(self) -> dict:
        """Plain values; "rounds" has them all, the rest is of those that are shown."""
        seen = self.shown["direct"]
        return {
            "case": "frag-needed",
            "kernel": self.kernel,
            **self.claimed(),
            **{way: observed.to_json() for way, observed in self.shown.items()},
            "control": {way: observed.to_json() for way, observed in self.shown_control.items()},
            "rounds": rounds_to_json(self.broken) | {"control": rounds_to_json(self.control)},
            "icmp_to_self": sum(len(observed.icmp_to_self()) for observed in self.shown.values()),
            "topology": self.addresses,
            "captures": {
                f"direct_{name.lower()}": [packet.to_json() for packet in seen.shown(name)] for name in ("A", "B")
            },
        }

    def text(self) -> str:
        """Text for the terminal, at most 80 columns."""
        lines = [
            f"frag-needed on Linux {self.kernel}",
            "",
            "Connections A and B are open. A sends a full segment, then B, then B again.",
            f"Shown is, of {ROUNDS} rounds, the one in which B's wait is the median.",
            "",
            f"{'waited, ms':<28}{'A':>10}{'B':>10}{'B again':>10}{'ICMP to self':>16}",
        ]
        for label, all_seen in (("", self.shown), (", route MTU 1480", self.shown_control)):
            for way, seen in all_seen.items():
                waits = "".join(f"{exchange.waited_ms:10.1f}" for exchange in seen.exchanges)
                lines.append(f"{way + label:<28}{waits}{len(seen.icmp_to_self()):>16}")
        lines += ["", self.shown["direct"].ladder("B").text(), ""]
        lines += self.outcome_lines()
        return "\n".join(lines)

    def __repr__(self) -> str:
        return self.text()

    def figure(self):
        """How long each exchange waited, broken beside control: a plot, and its text alternative."""
        from labs.cases.frag_needed import pictures

        return pictures.waits(self.shown, self.shown_control)


def run(tunnel: int = 1) -> Outcome:
    """Rounds of the broken workload and its control by turns, all in one network. Without the `tunnel` nothing is
    broken, and the outcome is that the case was not reproduced.

    What a round has taught the client is forgotten before the next: see `Network.forget`, and
    `experiments.again`, which shows that it is.
    """
    broken, control = [], []
    with Network(bool(tunnel)) as net, Instruments(net) as instruments:
        for _ in range(ROUNDS):
            broken.append(both(net, instruments))
            with net.with_route():
                control.append(both(net, instruments))
        return Outcome(by_way(broken), by_way(control), os.uname().release, net.describe())


def by_way(rounds: list[dict[str, Observed]]) -> dict[str, Rounds[Observed]]:
    """The rounds of each way."""
    return {way: Rounds([seen[way] for seen in rounds], HELD_UP_MS, NEEDED) for way in rounds[0]}


# The tracers are imported when first asked for: `run` needs none, and they cost it 0.3 s.


def trace() -> Traced:
    """The direct client's exchanges under the tracers, each stack beside the story's."""
    with Network() as net:
        return traced(net)


def traced(net: Network) -> Traced:
    """Trace the pair in a network at hand, which must not have learnt the tunnel's MTU yet."""
    from labs.cases.frag_needed import tracing

    return tracing.traced(net)


def again(net: Network) -> Table:
    """Run the same pair four times in one network; see `experiments.again`."""
    from labs.cases.frag_needed import experiments

    return experiments.again(net)


def expiry(net: Network, expires_s: int = 2) -> Expiry:
    """Two connections that outlive the learnt MTU twice; see `experiments.expiry`."""
    from labs.cases.frag_needed import experiments

    return experiments.expiry(net, expires_s)


def both(net: Network, instruments: Instruments) -> dict[str, Observed]:
    """The direct client's exchanges, then those through the sidecar, each as if nothing had been before."""
    seen = {}
    for way, workload in (("direct", direct), ("sidecar", sidecar)):
        seen[way] = workload(net, instruments=instruments)
        net.forget()
    return seen
