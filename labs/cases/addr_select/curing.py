"""Does a packet cost the same again, however many addresses the node owns, and is nothing else broken?

What the scripts of exercises 1 and 2 are held to. Two networks, each with the report's 512 addresses:
an untouched one, which has to show the effect, and one on which the answer has acted.
"""

from __future__ import annotations

import re

from labs.cases.addr_select.costs import BOUNDS, measured
from labs.cases.addr_select.names import EVAL, NODE, PEER, REPORTED, UPLINK, service
from labs.cases.addr_select.network import Network
from labs.cases.addr_select.workload import Sender, by_turns, counting
from labs.errors import CannotTry
from labs.judge.exercise import Exercise
from labs.judge.verdict import Verdict
from labs.take.script import acting, expecting_answers, others_left_alone, two, undisturbed
from labs.take.settings import first_change, settings

RATIO = BOUNDS["reported_send_ratio"]
FEW_QUESTIONS = 100  # of 11268
SERVICE = service(77)
SETTING = "use_oif_addrs_only"


def judge_fix(exercise: Exercise, answer: str, verdict: Verdict) -> None:
    """Exercises 1 and 2: a script that touches the node only."""
    undisturbed(verdict, lambda: attempt(exercise, answer, verdict))


def attempt(exercise: Exercise, answer: str, verdict: Verdict) -> None:
    """The answer on networks of its own."""
    means = {"1": by_the_setting_alone, "2": without_the_setting}[exercise.folder.name]
    with two(as_reported) as (untouched, fixed):
        before = settings(fixed.node)
        with (
            others_left_alone(exercise, verdict, fixed),
            acting(exercise, answer, verdict, fixed),
            expecting_answers(verdict),
        ):
            at_first = settings(fixed.node)
            compare(verdict, untouched, fixed)
            nothing_else_broke(verdict, fixed)
            means(verdict, before, at_first, settings(fixed.node))


def as_reported() -> Network:
    """The network with the report's number of addresses, all learnt by the router."""
    net = Network()
    try:
        net.announce(REPORTED)
        net.learnt()
    except BaseException:
        net.close()
        raise
    return net


def questions(sender: Sender) -> int:
    """How many the kernel asks for a packet."""
    with counting() as calls:
        return sender.calls(calls)[EVAL]


def looks_through_all(questions: int) -> None:
    """The untouched node has to show what the answer is to end."""
    if questions < REPORTED:
        raise CannotTry(
            "the untouched node does not look through its addresses, so nothing can be compared",
            "./lab run addr-select",
        )


def compare(verdict: Verdict, untouched: Network, fixed: Network) -> None:
    """Mechanism, source and time of a packet from an unconnected socket."""
    with Sender(untouched) as was, Sender(fixed) as now:
        asked_before = questions(was)
        looks_through_all(asked_before)
        turns, asked = measured(by_turns(was, now)), questions(now)
    sources = {pair.other.source for pair in turns.measured}
    ratio = turns.median(lambda pair: pair.one.send_us / pair.other.send_us)
    verdict.measured.update(
        questions=asked,
        questions_untouched=asked_before,
        send_us=round(turns.median(lambda pair: pair.other.send_us)),
        untouched_us=round(turns.median(lambda pair: pair.one.send_us)),
        source=", ".join(sorted(sources)),
    )
    verdict.expect(
        asked <= FEW_QUESTIONS,
        f"{asked} questions are asked for a packet, {asked_before} before",
        f"{asked} questions are still asked for a packet, expected {FEW_QUESTIONS} at most",
    )
    verdict.expect(
        ratio >= RATIO,
        f"a send is {ratio:.0f} times as fast as before",
        f"a send is {ratio:.1f} times as fast as before, expected {RATIO} at least",
    )
    verdict.expect(
        sources == {NODE},
        f"packets come from {NODE}, as before",
        f"packets come from {', '.join(sorted(sources))}, expected {NODE}: nobody would send the answers there",
    )


def by_the_setting_alone(verdict: Verdict, before: list[str], *after: list[str]) -> None:
    """Exercise 1 is about the report's way, and leaves everything else as it is."""
    changes = [
        first_change(*([line for line in lines if SETTING not in line] for lines in (before, now))) for now in after
    ]
    change = next(filter(None, changes), None)
    verdict.expect(
        not change,
        f"{SETTING} is all that was changed",
        f"more than {SETTING} was changed, and this exercise is about that one setting: {change}",
    )


def without_the_setting(verdict: Verdict, _: list[str], *after: list[str]) -> None:
    """Exercise 2 is about another way than the report's: at first as at the end it has to be off."""
    was_set = [line for now in after for line in now if re.fullmatch(rf"\S*/{UPLINK}/{SETTING} = [^0]\S*", line)]
    verdict.expect(
        not was_set, f"{SETTING} is off, as it was", f"{SETTING} was set, and this exercise is about another way"
    )


def nothing_else_broke(verdict: Verdict, net: Network) -> None:
    """The services are announced, and answer in their own name."""
    owned = net.node.on("ip", "-6", "-oneline", "address", "show", "scope", "global").count("2001:db8:5:")
    verdict.expect(
        owned == REPORTED,
        f"the node owns its {owned} service addresses",
        f"the node owns {owned} service addresses, expected all {REPORTED}",
    )
    learnt = net.learnt_now()
    verdict.expect(
        learnt == REPORTED,
        f"the router knows a way to {learnt} of them",
        f"the router knows a way to {learnt} service addresses, expected {REPORTED}",
    )
    said = net.peer.on("sh", "-c", f"ping -n -c 2 -i 0.1 -W 2 {SERVICE} || true")
    sources = set(re.findall(r"bytes from ([0-9a-f:]+): icmp_seq", said))
    verdict.expect(
        sources == {SERVICE},
        f"{SERVICE} answers a ping from the peer, in its own name",
        f"a ping from {PEER} to {SERVICE} is answered by {', '.join(sources) or 'nobody'}",
    )
