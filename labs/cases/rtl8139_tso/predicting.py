"""Does the reader know what a locked MTU does? What an answer to exercise 3 is held to.

The answer is a list of predictions, one a line; each is measured.
"""

from __future__ import annotations

import re

from labs.cases.rtl8139_tso.curing import answered, shown_broken
from labs.cases.rtl8139_tso.network import Network
from labs.cases.rtl8139_tso.observed import Download
from labs.cases.rtl8139_tso.remedies import under
from labs.judge.exercise import Exercise
from labs.judge.verdict import Judged, Verdict
from labs.take.script import expecting_answers, undisturbed

ROUTES = ("mtu", "mtu_lock", "mtu_lock_1500")


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


def judge_predictions(exercise: Exercise, answer: str, verdict: Verdict) -> None:
    """Exercise 3: every prediction is there, and holds."""
    undisturbed(verdict, lambda: attempt(answer, verdict))


def attempt(answer: str, verdict: Verdict) -> None:
    """The predictions beside what comes of a network of its own."""
    said = dict(re.findall(r"^[ \t]*([\w.]+)[ \t]*=[ \t]*([\w-]*)", answer, re.MULTILINE))
    absent = [name for name in NAMES if not said.get(name)]
    unknown = [name for name in said if name not in NAMES]
    verdict.expect(not unknown, "every line is one of the table's", f"no such line: {', '.join(unknown)}")
    if not verdict.expect(not absent, "every line is filled in", f"not filled in: {', '.join(absent)}"):
        raise Judged
    with Network() as net, expecting_answers(verdict):
        shown_broken(net)
        for route in ROUTES:
            seen = answered(under(net, route))
            for thing, measure in MEASURED.items():
                name, (was, figures) = f"{route}.{thing}", measure(seen)
                verdict.measured[name] = was
                verdict.expect(
                    said[name] == was,
                    f"{name} = {was}: {figures}",
                    f"{name}: predicted {said[name]}, measured {was}: {figures}",
                )
