"""Case 4: a node owns hundreds of IPv6 addresses. Why does every packet that it sends wait?

    case.run(addresses=512)       # cost of a packet against the number of addresses, and the control
    net = case.Network()          # the report's hosts; net.close() or `with` ends them
    net.announce(512)             # the node owns 512 service addresses, and the router learns them

`run()` measures up to 8192 addresses, with and without the setting that helped; `trace()` shows the
way into the kernel, where the time goes, and one choice among candidates, rule by rule.
"""

from __future__ import annotations

import os
from collections.abc import Collection
from dataclasses import dataclass
from typing import TYPE_CHECKING

from labs.cases.addr_select.judge import evals_per_address, judge
from labs.cases.addr_select.names import REPORTED
from labs.cases.addr_select.network import Network, Silent
from labs.cases.addr_select.sweep import RATIO_AT, Sweep, sweep
from labs.claims import Claim, Claims
from labs.measure.rounds import rounds_to_json

if TYPE_CHECKING:
    from labs.cases.addr_select.tracing import Traced

__all__ = ["Network", "Outcome", "Silent", "run", "trace"]

MOST = 8192


@dataclass(frozen=True)
class Outcome(Claims):
    """A whole run: what a packet cost at each number of addresses."""

    seen: Sweep
    kernel: str

    @property
    def claims(self) -> list[Claim]:
        return [] if self.missing else judge(self.seen)

    @property
    def missing(self) -> str:
        return "; ".join(
            f"{count} addresses: {turns.missing}" for count, turns in self.seen.turns.items() if turns.missing
        )

    @property
    def headline(self) -> tuple[str, float]:
        most = max(self.seen.broken)
        return f"a send with {most} addresses, times one with the setting", self.seen.ratio(most)

    def to_json(self) -> dict:
        """Plain values; "rounds" has all turns, "addresses" the best time of those that count."""
        seen, reported = self.seen, [count for count in (REPORTED, RATIO_AT) if count in self.seen.broken]
        return {
            "case": "addr-select",
            "kernel": self.kernel,
            **self.claimed(),
            "addresses": {
                str(count): point.to_json()
                | {"fixed": seen.fixed[count].to_json()}
                | ({"ipv4": seen.ipv4[count].to_json()} if count in seen.ipv4 else {})
                for count, point in seen.broken.items()
            },
            "rounds": rounds_to_json(seen.turns),
            **seen.line(seen.broken).to_json(),
            "fixed": seen.line(seen.fixed).to_json(),
            "correlation_of_ratios": round(seen.ratios(max(seen.broken)).correlation, 5),
            "evals_per_address": max(evals_per_address(seen)),
            "ratio": {str(count): round(seen.ratio(count), 1) for count in reported},
            "ping_ratio": {str(count): round(seen.ping_ratio(count), 1) for count in reported},
            "packets_per_second": {
                str(count): {way: round(rate) for way, rate in rates.items()} for count, rates in seen.rates.items()
            },
            "sockets": {
                kind: cost.to_json() | {"calls": seen.socket_calls[kind]} for kind, cost in seen.sockets.items()
            },
            "sockets_at": seen.sockets_at,
            "learnt_by_the_router": seen.learnt,
            "setup_s": round(seen.setup_s, 2),
            "topology": seen.topology,
        }

    def text(self) -> str:
        """Text for the terminal, at most 80 columns."""
        seen = self.seen
        lines = [
            f"addr-select on Linux {self.kernel}",
            "",
            "The node owns N service addresses and sends to a peer one hop away.",
            "",
            f"{'':>6}  {'one UDP send, us':^26} {'ping, ms':^26} {'label lookups':^17}",
            f"{'N':>6}  {'as is':>8}{'setting':>9}{'IPv4':>9} {'as is':>9}{'setting':>9}{'IPv4':>8} "
            f"{'as is':>9}{'setting':>8}",
        ]
        for count, point in seen.broken.items():
            fixed, ipv4 = seen.fixed[count], seen.ipv4.get(count)
            lines.append(
                f"{count:>6}  {point.cost.send_us:8.0f}{fixed.cost.send_us:9.0f}"
                f"{f'{ipv4.cost.send_us:.0f}' if ipv4 else '':>9} {point.ping_ms:9.2f}"
                f"{fixed.ping_ms:9.2f}{f'{ipv4.ping_ms:.2f}' if ipv4 else '':>8} "
                f"{point.calls['ipv6_addr_label']:>9}{fixed.calls['ipv6_addr_label']:>8}"
            )
        lines += ["", *self.sockets(), ""]
        for count, rates in seen.rates.items():
            lines.append(
                f"one core sends {rates['broken']:.0f} packets a second with {count} addresses, "
                f"{rates['fixed']:.0f} with the setting"
            )
        lines += ["", *self.outcome_lines()]
        return "\n".join(lines)

    def sockets(self) -> list[str]:
        """A table of what each kind of socket pays, as lines."""
        seen = self.seen
        lines = [f"{f'socket, N = {seen.sockets_at}':<24}{'send, us':>10}{'choices':>9}{'rules asked':>13}  source"]
        for kind, cost in seen.sockets.items():
            calls = seen.socket_calls[kind]
            lines.append(
                f"{kind:<24}{cost.send_us:10.0f}{calls['ipv6_dev_get_saddr']:>9}"
                f"{calls['ipv6_get_saddr_eval']:>13}  {cost.source}"
            )
        return lines

    def __repr__(self) -> str:
        return self.text()

    def figure(self):
        """Cost of a send against the number of addresses: a plot, and its text alternative."""
        from labs.cases.addr_select import pictures

        return pictures.costs(self.seen)


def trace() -> Traced:
    """The kernel's way to a source address: stack, questions, flame graph."""
    from labs.cases.addr_select import tracing

    return tracing.trace()


def run(addresses: int = MOST, apart: Collection[int] = (), all_interfaces: int = 1) -> Outcome:
    """Measure from one service address to `addresses`, each with the setting and without; see `sweep.sweep`. Without
    `all_interfaces` the node has the setting all the time, and the outcome is that the case was not reproduced."""
    return Outcome(sweep(addresses, apart, bool(all_interfaces)), os.uname().release)
