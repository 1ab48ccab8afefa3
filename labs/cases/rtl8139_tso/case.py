"""Case 2: a web server's card cuts segments that its kernel never asked for. Who notices?

    net = case.Network()          # the report's hosts; net.close() or `with` ends them
    case.slow(net)                # the steps of the investigation: slow, where, asked, opened, agreed,
    case.where(net)               # unlocked, locked, other_card, the_card
    case.sent_again(net)          # what is sent again, and how large
    case.traced(net)              # what the kernel asked for, beside what came
    case.download(net)            # one download, as it is

`run()` fetches a file from the server as it is, with what was tried on it, and from its neighbours
without the fault; `trace()` does the last but one.
"""

from __future__ import annotations

import os
from dataclasses import dataclass
from typing import TYPE_CHECKING

from labs.cases.rtl8139_tso.judge import HELD_UP_MS, NEEDED, ROUNDS, faster, judge, rate, too_slow_to_tell
from labs.cases.rtl8139_tso.network import Network
from labs.cases.rtl8139_tso.observed import Download, Downloads
from labs.cases.rtl8139_tso.remedies import STATES, under
from labs.cases.rtl8139_tso.steps import (
    agreed,
    asked,
    locked,
    opened,
    other_card,
    sent_again,
    slow,
    the_card,
    unlocked,
    where,
)
from labs.cases.rtl8139_tso.workload import download
from labs.claims import Claim, Claims
from labs.measure.rounds import Rounds, rounds_to_json

if TYPE_CHECKING:
    from core.draw.topology_svg import Described
    from labs.cases.rtl8139_tso.tracing import Traced

__all__ = [
    "Download",
    "Downloads",
    "Network",
    "Outcome",
    "STATES",
    "agreed",
    "asked",
    "download",
    "locked",
    "opened",
    "other_card",
    "run",
    "sent_again",
    "slow",
    "the_card",
    "trace",
    "traced",
    "under",
    "unlocked",
    "where",
]

RUN = ("as_it_is", "opened", "mtu", "mtu_lock", "tso_off", "mended", "beside")
COLUMNS = ("KB/s", "MSS", "largest", "above", "no DF", "again", "dropped", "cut")


@dataclass(frozen=True)
class Outcome(Claims):
    """Downloads in each of the states, by key. `seen` has of each the one with the median rate."""

    rounds: dict[str, Rounds[Download]]
    kernel: str
    topology: Described

    @property
    def claims(self) -> list[Claim]:
        return [] if self.missing else judge(self.rounds)

    @property
    def missing(self) -> str:
        stops = [f"{each.every[0].called}: {each.missing}" for each in self.rounds.values() if each.missing]
        return "; ".join(stops) or too_slow_to_tell(self.rounds)

    @property
    def seen(self) -> dict[str, Download]:
        return {key: each.typical(rate) for key, each in self.rounds.items()}

    @property
    def headline(self) -> tuple[str, float]:
        return "the rate with TSO off, times the broken one", faster(self.rounds["as_it_is"], self.rounds["tso_off"])

    @property
    def table(self) -> Downloads:
        return Downloads(self.seen.values(), *COLUMNS)

    def to_json(self) -> dict:
        """Plain values; "rounds" has them all, "states" those that are shown."""
        return {
            "case": "rtl8139-tso",
            "kernel": self.kernel,
            **self.claimed(),
            "states": {key: seen.to_json() for key, seen in self.seen.items()},
            "rounds": rounds_to_json(self.rounds),
            "topology": self.topology,
        }

    def text(self) -> str:
        """Text for the terminal, at most 80 columns."""
        return "\n".join(
            [
                f"rtl8139-tso on Linux {self.kernel}",
                "",
                "A client behind a narrow link fetches a file, for a second at most.",
                f"So {ROUNDS} times in each state; shown is the one that has the median rate.",
                "",
                self.table.text(),
                "",
                "largest: TCP payload on the wire; above: segments larger than the MSS;",
                "again: sent again; dropped, cut: packets that the router drops or cuts",
                "",
                *self.outcome_lines(),
            ]
        )

    def __repr__(self) -> str:
        return self.text()

    def figure(self):
        """The rates: a plot, and its text alternative."""
        from labs.cases.rtl8139_tso import pictures

        return pictures.rates(self.seen)


def run(tso: int = 1) -> Outcome:
    """Rounds of the broken download, of what was tried against it, and of the controls, by turns, all in one network.
    Without `tso` the card has nothing to cut, and the outcome is that the case was not reproduced.
    """
    taken: dict[str, list[Download]] = {key: [] for key in RUN}
    with Network(bool(tso)) as net:
        for _ in range(ROUNDS):
            for key in RUN:
                taken[key].append(under(net, key))
        rounds = {key: Rounds(each, HELD_UP_MS, NEEDED) for key, each in taken.items()}
        return Outcome(rounds, os.uname().release, net.describe())


# The tracers are imported when first asked for: `run` needs none, and they cost it 0.3 s.


def trace() -> Traced:
    """Downloads under the tracer, with and without a locked MTU."""
    with Network() as net:
        return traced(net)


def traced(net: Network) -> Traced:
    """Trace the downloads in a network at hand."""
    from labs.cases.rtl8139_tso import tracing

    return tracing.traced(net)
