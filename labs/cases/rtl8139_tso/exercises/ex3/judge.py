"""Does the reader know what a locked MTU does? What the predictions of exercise 3 are held to, one a line.

A line is read as a person reads it: in capitals or not, in quotes or not, with blanks, a unit or a remark; a number may
be reckoned (`1500 - 52`, `1500 - 20 IP - 32 TCP = 1448`), with a minus as it is typed or as it is set. But it says one
thing, and no two lines say different things of one name.
"""

import itertools
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from core.judge.check import named
from core.judge.evidence import Evidence
from core.judge.expression import NoExpression, parsed, value
from core.judge.verdict import Verdict, VerdictFinal
from labs.cases.rtl8139_tso.fault import shows_the_fault
from labs.cases.rtl8139_tso.judge import HELD_UP_MS
from labs.cases.rtl8139_tso.observed import Download
from labs.judge.judging import Judge, answered, complete_observation, require_no_stall

ROUTES = ("mtu", "mtu_lock", "mtu_lock_1500")


@dataclass
class Predicted:
    """The server as it is, which has to show the fault, and by route what came of it."""

    broken: Download | None = None
    routes: dict[str, Download] = field(default_factory=dict)

    @property
    def whole(self) -> bool:
        """Whether every part of what was to be seen is there."""
        return self.broken is not None and self.routes.keys() == {*ROUTES}


def _df(seen: Download) -> tuple[str, str]:
    clear = seen.without_df
    word = {0: "set", len(seen.data): "clear"}.get(clear, "mixed")
    return word, f"{len(seen.data) - clear} of {len(seen.data)} packets have DF"


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
COMMENT = re.compile(r"#.*")
ROUND = str.maketrans("[]{}", "()()")
BRACKETS = re.compile(r"\((?:[^()]|\([^()]*\))*\)?")
WORDS = ("set", "clear", "some", "none")  # to choose from
# Before a number a dash is a minus, but for one behind such a word.
BEHIND_A_WORD = "|".join(rf"(?<=\b{word})" for word in WORDS)
ASIDE = re.compile(rf";|//|(?:\s(?=\S+\s+(?![\d(\s]))|(?i:{BEHIND_A_WORD})\s+)[-\u2212\u2013\u2014]+\s+")
MINUS = str.maketrans("\u2010\u2011\u2012\u2013\u2212", "-----")  # hyphens, dashes as wide as a figure, and the sign
OF_TCP = r"(?:tcp\s+)?(?:payload|data)"
UNITS = rf"\s*(?:{OF_TCP}\s+)?(?:bytes?|octets?|b)\b(?:\s+(?:of\s+)?{OF_TCP})?"
UNIT = re.compile(rf"{UNITS}$")
ARITHMETIC = re.compile(r"[\d_.\s+*/()-]+")  # and no `or`, which leaves the choice to us
LABELLED, LABEL = re.compile(r"[+-]\s*[\d(]"), re.compile(r"(?<=\d)\s+(?!(?:or|and|not|minus|plus)\b)[a-z]\w*")  # 20 ip
# `- IP 20`, `(the IPv4 header 20`, `MTU 1500`: what is before its number and not behind it.
LABEL_BEFORE = re.compile(
    r"(?:^|(?<=[-+(=\u2212\u2013]))(?:\s*\b(?:the|mtu|ip|ipv4|tcp|ts|timestamps?|options?|headers?)\b)+\s*(?=[\d(])",
    re.IGNORECASE,
)
BYTES = re.compile(r"(?<=\d)(?:bytes?|b)\b")  # 52B
QUOTES = "\"'`\u201c\u201d\u201e\u2018\u2019\u201a\u00ab\u00bb"
ONE_WORD = re.compile(r"\s*\(\s*(\w+)\s*\)\s*")
# And no more words, as in `perhaps as mtu_lock is set`, unless a comma is between.
HEDGES = r"(?:(?:or|else|maybe|perhaps|possibly|probably|if not,?|it is|it's) )+"
OR_ELSE = re.compile(rf"{HEDGES}({'|'.join(WORDS)}|\d+)(?:\s*[,.(].*)?")
GOES_ON = rf"(?:{UNITS})?\s*[-+\u2212\u2013*/]"  # behind a number with which an equation is carried on
THOUSANDS = re.compile(r"(?<=\d),(?=\d{3}(?!\d))")


def predictions(answer: str) -> dict[str, list[str]]:
    """What the lines of an answer say that say anything, by name: one thing each, unless they disagree. Without an `=`,
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
    """What stands behind a name: a word in small letters, or a number, reckoned if need be. An aside is none of it,
    unless it is itself one of the words to choose from, or a number where one is asked for: `set; clear` says both."""
    plain = COMMENT.sub("", text).translate(ROUND)
    if (word := ONE_WORD.fullmatch(plain)) and word[1].lower() in WORDS:
        return word[1].lower()
    read = BRACKETS.sub(_unless_a_remark, plain)
    if all(map(_is_number, map(_word, (bare := LABEL_BEFORE.sub(" ", read)).split("=")))):
        read = bare
    first, *asides = ASIDE.split(read)
    sides = [_word(side) for side in _not_carried_on(first.split("="))]
    numbers = [side for side in sides if _is_number(side)]
    said = numbers or [side for side in sides if side in WORDS] or sides[:1]  # `MTU - 52 = 1448` says 1448
    others = [_other(_word(aside)) for aside in asides]
    chosen = [one for one in others if one in WORDS or numbers and _is_number(one)]
    return " or ".join(dict.fromkeys([*said, *chosen])) if said[0] else ""


def _not_carried_on(sides: list[str]) -> list[str]:
    """The sides of an equation without those with which the next begins: `1500 - 40 = 1460 - 12 = 1448`."""
    goes_on = [
        _is_number(word := _word(one))
        and bool(re.match(rf"\s*{word}{GOES_ON}", THOUSANDS.sub("", other), re.IGNORECASE))
        for one, other in itertools.pairwise(sides)
    ]
    return [side for side, dropped in zip(sides, [*goes_on, False]) if not dropped]


def _other(aside: str) -> str:
    """What an aside says instead: it is a word to choose from, or says `or perhaps` one."""
    hedged = OR_ELSE.fullmatch(aside)
    return hedged[1] if hedged else aside.removeprefix("or ")


def _unless_a_remark(brackets: re.Match[str]) -> str:
    """What of a pair of brackets is to be read: there is only arithmetic in it, of numbers with a label or not."""
    bare = _without_labels(LABEL_BEFORE.sub(" ", brackets[0]).translate(MINUS).lower())
    return bare if ARITHMETIC.fullmatch(bare) else ""


def _without_labels(text: str) -> str:
    """`20 ip - 32 tcp` as 20 - 32."""
    while (bare := LABEL.sub("", text)) != text:
        text = bare
    return text


def _word(text: str) -> str:
    """A word in small letters, or the number that it comes to."""
    for read in (text, BRACKETS.sub("", text)):  # `1500 - (20 + 32)` is all number, `1448 (1500 - 52)` is not
        word = " ".join(read.split()).rstrip(".,?!").strip(QUOTES).strip().lower()
        reckoned = BYTES.sub("", word.translate(MINUS))
        if LABELLED.search(reckoned):
            reckoned = _without_labels(reckoned)
        if number := _number(THOUSANDS.sub("", UNIT.sub("", reckoned))):
            return number
    return word


def _is_number(word: str) -> bool:
    return bool(_number(word))


def _number(text: str) -> str:
    """What arithmetic comes to; empty if it is none."""
    if not re.search(r"\d", text) or not ARITHMETIC.fullmatch(text):
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


def judge(evidence: Evidence, verdict: Verdict) -> None:
    """Exercise 3: every prediction is there, and holds."""
    said = predictions(evidence.answer)
    absent = [name for name in NAMES if not said.get(name)]
    unknown = [name for name in said if name not in NAMES]
    unknown_lines = f"no such line: {', '.join(unknown)}"
    verdict.expect("known-lines", not unknown, "every line is one of the table's", unknown_lines)
    not_filled = f"not filled in: {', '.join(absent)}"
    if not verdict.expect("filled-in", not absent, "every line is filled in", not_filled):
        raise VerdictFinal
    twice = [f"{name} ({' and '.join(said[name])})" for name in NAMES if len(said[name]) > 1]
    two_things = f"two lines say different things of one name: {', '.join(twice)}"
    if not verdict.expect("said-once", not twice, "every name is said once", two_things):
        raise VerdictFinal
    seen: Predicted = complete_observation(evidence)
    if seen.broken:
        require_no_stall(HELD_UP_MS, seen.broken, *seen.routes.values())
        shows_the_fault(seen.broken)
    for route, thing in itertools.product(filter(seen.routes.get, ROUTES), MEASURED):
        name, (was, figures) = f"{route}.{thing}", MEASURED[thing](seen.routes[route])
        verdict.measured[name] = was
        (word,) = said[name]
        verdict.expect(
            named(name),
            word == was,
            f"{name} = {was}: {figures}",
            f"{name}: predicted {word}, measured {was}: {figures}",
        )
    answered(verdict, evidence.unanswered)


JUDGE = Judge(Predicted, judge)
