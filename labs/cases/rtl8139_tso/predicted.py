"""Does the reader know what a locked MTU does? What the predictions of exercise 3 are held to, one a line.

A line is read as a person reads it: in capitals or not, in quotes or not, with blanks, a unit or a remark; a number may
be reckoned (`1500 - 52`). But it says one thing, and no two lines say different things of one name.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from core.judge.evidence import Evidence
from core.judge.expression import NoExpression, parsed, value
from core.judge.verdict import Judged, Verdict
from labs.cases.rtl8139_tso.cured import shows_the_fault
from labs.cases.rtl8139_tso.judge import HELD_UP_MS
from labs.cases.rtl8139_tso.observed import Download
from labs.judge.judging import answered, held_still, whole_in

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
MEASURED: Mapping[str, Callable[[Download], tuple[str, str]]] = {
    "df": _df,
    "largest": lambda seen: (str(seen.largest_bytes), f"among {len(seen.data)} segments"),
    "dropped": lambda seen: _some(seen, "FragFails"),
    "cut": lambda seen: _some(seen, "FragOKs"),
}
NAMES = [f"{route}.{thing}" for route in ROUTES for thing in MEASURED]


# A line of a prediction, what of it is a remark, and how a number may be written.
LINE = re.compile(r"^[^\S\n]*([\w.]+)[^\S\n]*([=:])(.*)$", re.MULTILINE)
COMMENT = re.compile(r"\s*(?:#|;|//).*")
ASIDE = re.compile(r"\s*(?:\(|\s[-\u2013\u2014]+\s).*")
UNIT = re.compile(r"\s*(?:bytes?|b)$")
ARITHMETIC = re.compile(r"[\d_.\s+*/()-]+")  # and no `or`, which leaves the choice to us
THOUSANDS = re.compile(r"(?<=\d),(?=\d{3}(?!\d))")


def predictions(answer: str) -> dict[str, list[str]]:
    """By name what the lines of an answer say that say anything: one thing each, unless they disagree. Without an `=`,
    a line is one only if its name is known."""
    said: dict[str, list[str]] = {}
    for name, sign, rest in LINE.findall(answer):
        name, word = name.lower(), meant(rest)
        if name not in NAMES and sign == ":":
            continue
        found = said.setdefault(name, [])
        if word and word not in found:
            found.append(word)
    return said


def meant(text: str) -> str:
    """What stands behind a name: a word in small letters, or a number, reckoned if need be."""
    text = COMMENT.sub("", text)
    for read in (text, ASIDE.sub("", text)):  # `1500 - (20 + 32)` is all number, `some (of them)` is not
        word = read.strip().rstrip(".,").strip("\"'`").strip().lower()
        if re.search(r"\d", word) and (number := _number(THOUSANDS.sub("", UNIT.sub("", word)))):
            return number
    return word


def _number(text: str) -> str:
    """What arithmetic comes to; empty if it is none."""
    if not ARITHMETIC.fullmatch(text):
        return ""
    try:
        found = value(parsed(f"bytes = {text}", "bytes", ()), {})
    except NoExpression:
        return ""
    if isinstance(found, bool) or not isinstance(found, (int, float)):
        return ""
    return str(int(found) if isinstance(found, float) and found.is_integer() else found)


def complete(answer: str) -> bool:
    """Whether there is something to measure for."""
    said = predictions(answer)
    return all(len(said.get(name, ())) == 1 for name in NAMES)


def judge_predictions(evidence: Evidence, verdict: Verdict) -> None:
    """Exercise 3: every prediction is there, and holds."""
    said = predictions(evidence.answer)
    absent = [name for name in NAMES if not said.get(name)]
    unknown = [name for name in said if name not in NAMES]
    verdict.expect(not unknown, "every line is one of the table's", f"no such line: {', '.join(unknown)}")
    if not verdict.expect(not absent, "every line is filled in", f"not filled in: {', '.join(absent)}"):
        raise Judged
    twice = [f"{name} ({' and '.join(said[name])})" for name in NAMES if len(said[name]) > 1]
    if not verdict.expect(not twice, "each once", f"two lines say different things of one name: {', '.join(twice)}"):
        raise Judged
    seen: Predicted = whole_in(evidence)
    if seen.broken:
        held_still(HELD_UP_MS, seen.broken, *seen.routes.values())
        shows_the_fault(seen.broken)
    for route, thing in itertools.product(filter(seen.routes.get, ROUTES), MEASURED):
        name, (was, figures) = f"{route}.{thing}", MEASURED[thing](seen.routes[route])
        verdict.measured[name] = was
        (word,) = said[name]
        verdict.expect(
            word == was, f"{name} = {was}: {figures}", f"{name}: predicted {word}, measured {was}: {figures}"
        )
    answered(verdict, evidence.unanswered)
