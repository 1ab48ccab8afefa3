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

from labs.cases.frag_needed.judge import ROUNDS, TUNNEL_MTU, asked_smaller, fast, judge
from labs.cases.frag_needed.network import VIP, Network
from labs.cases.frag_needed.observed import Observed
from labs.cases.frag_needed.workload import direct, sidecar
from labs.check import Check, Claims

if TYPE_CHECKING:
    from labs.cases.frag_needed.experiments import Table
    from labs.cases.frag_needed.tracing import Traced

__all__ = ["Network", "Observed", "Outcome", "again", "direct", "expiry", "run", "sidecar", "trace", "traced"]


@dataclass(frozen=True)
class Outcome(Claims):
    """A whole run: the broken and the control workloads, each `direct` and through the `sidecar`."""

    broken: dict[str, Observed]
    control: dict[str, Observed]
    kernel: str
    addresses: dict

    @property
    def checks(self) -> list[Check]:
        return judge(self.broken, self.control)

    def to_json(self) -> dict:
        """Plain values."""
        seen = self.broken["direct"]
        return {
            "case": "frag-needed",
            "kernel": self.kernel,
            **self.claimed(),
            **{way: observed.to_json() for way, observed in self.broken.items()},
            "control": {way: observed.to_json() for way, observed in self.control.items()},
            "icmp_to_self": sum(len(observed.icmp_to_self()) for observed in self.broken.values()),
            "topology": self.addresses,
            "captures": {
                f"direct_{name.lower()}": [packet.to_json() for packet in seen.shown(name)] for name in ("A", "B")
            },
        }

    def text(self) -> str:
        """For the terminal, at most 80 columns."""
        lines = [
            f"frag-needed on Linux {self.kernel}",
            "",
            "Connections A and B are open. A sends a full segment, then B, then B again.",
            "",
            f"{'waited, ms':<28}{'A':>10}{'B':>10}{'B again':>10}{'ICMP to self':>16}",
        ]
        for label, all_seen in (("", self.broken), (", route MTU 1480", self.control)):
            for way, seen in all_seen.items():
                waits = "".join(f"{exchange.waited_ms:10.1f}" for exchange in seen.exchanges)
                lines.append(f"{way + label:<28}{waits}{len(seen.icmp_to_self()):>16}")
        lines += ["", self.broken["direct"].ladder("B").text(), ""]
        lines += self.verdict()
        return "\n".join(lines)

    def __repr__(self) -> str:
        return self.text()

    def figure(self):
        """How long each exchange waited, broken beside control: a plot, and its text alternative."""
        from labs.cases.frag_needed import pictures

        return pictures.waits(self.broken, self.control)


def run() -> Outcome:
    """The broken workload and its control, one after the other in one network.

    What the first has taught the client is forgotten in between: see `Network.forget`, and
    `experiments.again`, which shows that it is.
    """
    with Network() as net:
        broken = both(net)
        net.forget()
        net.client.on(f"ip route add {VIP} dev client-eth0 mtu {TUNNEL_MTU}")
        return Outcome(broken, control(net, broken), os.uname().release, net.describe())


def control(net: Network, broken: dict[str, Observed]) -> dict[str, Observed]:
    """Both ways without the fault; measured again if only the machine's own pauses can have made it slow."""
    for _ in range(ROUNDS):
        seen = both(net)
        if any(map(asked_smaller, seen.values())) or all(fast(seen[way], broken[way]) for way in seen):
            break
    return seen


# The tracers are imported when first asked for: `run` needs none, and they cost it 0.3 s.


def trace() -> Traced:
    """The direct client's exchanges under the tracers, each stack beside the story's."""
    with Network() as net:
        return traced(net)


def traced(net: Network) -> Traced:
    """The same in a network at hand, which must not have learnt the tunnel's MTU yet."""
    from labs.cases.frag_needed import tracing

    return tracing.traced(net)


def again(net: Network) -> Table:
    """The same pair four times in one network; see `experiments.again`."""
    from labs.cases.frag_needed import experiments

    return experiments.again(net)


def expiry(net: Network, expires_s: int = 2) -> Table:
    """Two connections that outlive the learnt MTU twice; see `experiments.expiry`."""
    from labs.cases.frag_needed import experiments

    return experiments.expiry(net, expires_s)


def both(net: Network) -> dict[str, Observed]:
    """The direct client's exchanges, then those through the sidecar, as if nothing had been before."""
    seen = {"direct": direct(net)}
    net.forget()
    return seen | {"sidecar": sidecar(net)}
