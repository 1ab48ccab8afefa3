"""Does a packet cost the same again, however many addresses the node owns, and is nothing else broken?

What the evidence of an answer to exercises 1 and 2 is held to. Two networks were seen, each with the report's 512
addresses: an untouched one, which has to show the effect, and one on which the answer has acted.
"""

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

from core.judge.evidence import Evidence, Settings
from core.judge.verdict import Verdict
from core.serialization import Damaged
from labs.cases.addr_select.costs import BOUNDS, Pair, measured
from labs.cases.addr_select.names import HOSTS, NODE, REPORTED, service
from labs.errors import FAULT, CannotTry
from labs.judge.judging import abstain, answered, complete_observation, excusing_ms, judge_script, others_left_alone

RATIO = BOUNDS["reported_send_ratio"]
PATIENCE_S = 1.0  # that a service has to answer in
EXCUSING_MS = excusing_ms(PATIENCE_S)
FEW_QUESTIONS = 100  # of 11268
SERVICE = service(77)
TRIED = (service(1), SERVICE, service(REPORTED))  # as their clients use them, and one more that is drawn
SETTING = "use_oif_addrs_only"
# What the kernel takes away by itself, as `ip` says it of a route and of an address. (An address that is deprecated
# already, `preferred_lft 0sec`, stays so.)
EXPIRES = re.compile(r"\bexpires -?\d+sec\b|\bvalid_lft \d+sec\b|\bpreferred_lft [1-9]\d*sec\b")


@dataclass
class Use:
    """Whence a service answered the peer, and whence it sent by itself; empty if nothing came. `held_up_ms` is, by the
    way, for how long the machine stood still meanwhile."""

    service: str
    ping: str
    tcp: str
    udp: str
    sends: str
    held_up_ms: dict[str, float] = field(default_factory=dict)

    def untold(self, way: str) -> str:
        """Say that nothing came because a stop of the machine may have delayed it; empty if that is not so."""
        held_up_ms = self.held_up_ms.get(way, 0.0)
        if getattr(self, way) or held_up_ms <= EXCUSING_MS:
            return ""
        return f"the machine stood still for {held_up_ms:.0f} ms, and {self.service} did not {WAYS[way]} in time"


@dataclass
class Elsewhere:
    """Which address answered the ping of a client that is not the peer, empty if none did, and for how long the machine
    stood still meanwhile."""

    answered_by: str
    held_up_ms: float = 0.0

    @property
    def untold(self) -> str:
        """Say that nothing came because a stop of the machine may have delayed it; empty if that is not so."""
        if self.answered_by or self.held_up_ms <= EXCUSING_MS:
            return ""
        return f"the machine stood still for {self.held_up_ms:.0f} ms, and a client elsewhere was not answered in time"


@dataclass
class Services:
    """How many service addresses the node owned at the end, to how many the router knew a way, how the peer used
    some, and a client elsewhere SERVICE, which what was kept earlier does not say."""

    owned: int
    learnt: int
    used: list[Use]
    elsewhere: Elsewhere | None = None


@dataclass
class NodeSettings:
    """The node's settings, right after the answer acted and at the end, beside those before: what has changed of them,
    but for SETTING, the lines by which SETTING was on at an interface, then or while something was measured, and those
    new ones that the kernel will take away when their time is over."""

    changed: list[Settings]
    setting_on: list[str]
    passing: list[str] = field(default_factory=list)


@dataclass
class Cure:
    """What is seen of an answer, in this order: the questions that the kernel asks for a packet, untouched and after
    the answer, and what a send costs by turns; the `sources` are those of other packets, by what they are, which what
    was kept earlier does not say."""

    asked_before: int | None = None
    asked: int | None = None
    turns: list[Pair] = field(default_factory=list)
    services: Services | None = None
    node: NodeSettings | None = None
    sources: dict[str, str] = field(default_factory=dict)

    @property
    def whole(self) -> bool:
        """Whether every part of what was to be seen is there."""
        counted = None not in (self.asked_before, self.asked)
        return bool(counted and self.turns and self.services and self.node and len(self.node.changed) == 2)


def judge(by_its_means: Callable[[Verdict, NodeSettings], None], evidence: Evidence, verdict: Verdict) -> None:
    """A script that touches the node only. `by_its_means` asks whether it goes the way that the exercise is about."""
    judge_script(verdict, evidence)
    seen: Cure = complete_observation(evidence)
    if seen.asked_before is not None:
        looks_through_all(seen.asked_before)
    if seen.turns:
        measured(seen.turns)
    if seen.asked is not None:
        compare(verdict, seen, seen.asked)
    if seen.services:
        still_served(verdict, seen.services)
    if seen.node:
        by_its_means(verdict, seen.node)
    answered(verdict, evidence.unanswered)
    others_left_alone(verdict, evidence, HOSTS)
    abstain(verdict, untold(seen.services) if seen.services else ())


def untold(seen: Services) -> Iterator[str]:
    """Of each way in which a service was used, why nothing came, where that was the machine's."""
    yield from (use.untold(way) for use in seen.used for way in WAYS)
    if seen.elsewhere:
        yield seen.elsewhere.untold


def looks_through_all(questions: int) -> None:
    """The untouched node has to show what the answer is to end."""
    if questions < REPORTED:
        raise CannotTry(
            "the untouched node does not look through its addresses, so nothing can be compared",
            "./lab run addr-select",
            FAULT,
        )


def compare(verdict: Verdict, seen: Cure, asked: int) -> None:
    """Mechanism, source and time of a packet from an unconnected socket."""
    turns = measured(seen.turns)
    sources = {pair.other.source for pair in turns.measured}
    others = {source: called for called, source in seen.sources.items() if source != NODE}
    ratio = turns.median(lambda pair: pair.one.send_us / pair.other.send_us)
    verdict.measured.update(
        questions=asked,
        questions_untouched=seen.asked_before,
        send_us=round(turns.median(lambda pair: pair.other.send_us)),
        untouched_us=round(turns.median(lambda pair: pair.one.send_us)),
        source=", ".join(sorted(sources)),
    )
    verdict.expect(
        "few-questions",
        asked <= FEW_QUESTIONS,
        f"{asked} questions are asked for a packet, {seen.asked_before} before",
        f"{asked} questions are still asked for a packet",
        expected=f"{FEW_QUESTIONS} at most",
    )
    verdict.expect(
        "faster",
        ratio >= RATIO,
        f"a send is {ratio:.0f} times as fast as before",
        f"a send is {ratio:.1f} times as fast as before",
        expected=f"{RATIO} at least",
    )
    verdict.expect(
        "own-source",
        sources == {NODE} and not others,
        f"packets come from {NODE}, as before",
        f"packets come from {', '.join(sorted(sources))}"
        + "".join(f", {called} from {source or 'nowhere'}" for source, called in sorted(others.items())),
        expected=f"{NODE}: nobody would send the answers there",
    )


def still_served(verdict: Verdict, seen: Services) -> None:
    """The services are announced, and answer in their own name."""
    verdict.expect(
        "services-owned",
        seen.owned == REPORTED,
        f"the node owns its {seen.owned} service addresses",
        f"the node owns {seen.owned} service addresses",
        expected=f"all {REPORTED}",
    )
    verdict.expect(
        "services-announced",
        seen.learnt == REPORTED,
        f"the router knows a way to {seen.learnt} service addresses",
        f"the router knows a way to {seen.learnt} service addresses",
        expected=f"{REPORTED}",
    )
    if {*TRIED} - {use.service for use in seen.used}:
        raise Damaged(f"expected {', '.join(TRIED)} to have been used")
    for way, does in WAYS.items():
        told = [use for use in seen.used if not use.untold(way)]
        others = [
            f"{use.service} by {getattr(use, way) or 'nothing'}" for use in told if getattr(use, way) != use.service
        ]
        verdict.expect(
            f"services-by-{way}",
            not others,
            f"{len(told)} services {does}, each in its own name",
            f"services do not {does} in their own names: {', '.join(others)}",
        )
    if seen.elsewhere and not seen.elsewhere.untold:
        verdict.expect(
            "others-too",
            seen.elsewhere.answered_by == SERVICE,
            "a client elsewhere is answered, too",
            f"a client elsewhere, not the peer, is answered by {seen.elsewhere.answered_by or 'nobody'}",
        )


WAYS = {"ping": "answer pings", "tcp": "answer by TCP", "udp": "answer by UDP", "sends": "send unasked"}
