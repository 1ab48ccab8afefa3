"""Does the reader know what a locked MTU does? What the predictions of exercise 3 are held to, one a line."""

from __future__ import annotations

import itertools
import re
from dataclasses import dataclass, field

from labs.cases.rtl8139_tso.cured import shows_the_fault
from labs.cases.rtl8139_tso.judge import HELD_UP_MS
from labs.cases.rtl8139_tso.observed import Download
from labs.judge.evidence import Evidence
from labs.judge.judging import answered, held_still, whole_in
from labs.judge.verdict import Judged, Verdict

ROUTES = ("mtu", "mtu_lock", "mtu_lock_1500")


@dataclass
class Predicted:
    """The server as it is, which has to show the fault, and by route what came of it."""

    broken: Download | None = None
    routes: dict[str, Download] = field(default_factory=dict)

    @property
    def whole(self) -> bool:
        """Whether all of it is there."""
        return self.broken is not None and self.routes.keys() == {*ROUTES}


def _df(seen: Download) -> tuple[str, str]:
    clear = seen.without_df
    word = {0: "set", len(seen.data): "clear"}.get(clear, "mixed")
    return word, f"{len(seen.data) - clear} of {len(seen.data)} packets have it"


def _some(seen: Download, counter: str) -> tuple[str, str]:
    count = seen.router(counter)
    return "some" if count else "none", f"Ip{counter} rose by {count}"


# For each thing to predict: how it is measured, as the word expected and the figures behind it.
MEASURED = {
    "df": _df,
    "largest": lambda seen: (str(seen.largest_bytes), f"among {len(seen.data)} segments"),
    "dropped": lambda seen: _some(seen, "FragFails"),
    "cut": lambda seen: _some(seen, "FragOKs"),
}
NAMES = [f"{route}.{thing}" for route in ROUTES for thing in MEASURED]


def predictions(answer: str) -> dict[str, str]:
    """By name what an answer says."""
    return dict(re.findall(r"^[ \t]*([\w.]+)[ \t]*=[ \t]*([\w-]*)", answer, re.MULTILINE))


def complete(answer: str) -> bool:
    """Whether there is something to measure for."""
    said = predictions(answer)
    return all(said.get(name) for name in NAMES)


def judge_predictions(evidence: Evidence, verdict: Verdict) -> None:
    """Exercise 3: every prediction is there, and holds."""
    said = predictions(evidence.answer)
    absent = [name for name in NAMES if not said.get(name)]
    unknown = [name for name in said if name not in NAMES]
    verdict.expect(not unknown, "every line is one of the table's", f"no such line: {', '.join(unknown)}")
    if not verdict.expect(not absent, "every line is filled in", f"not filled in: {', '.join(absent)}"):
        raise Judged
    seen: Predicted = whole_in(evidence)
    if seen.broken:
        held_still(HELD_UP_MS, seen.broken, *seen.routes.values())
        shows_the_fault(seen.broken)
    for route, thing in itertools.product(filter(seen.routes.get, ROUTES), MEASURED):
        name, (was, figures) = f"{route}.{thing}", MEASURED[thing](seen.routes[route])
        verdict.measured[name] = was
        verdict.expect(
            said[name] == was,
            f"{name} = {was}: {figures}",
            f"{name}: predicted {said[name]}, measured {was}: {figures}",
        )
    answered(verdict, evidence.unanswered)
