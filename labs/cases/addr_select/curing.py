"""Does a packet cost the same again, however many addresses the node owns, and is nothing else broken?

What the scripts of exercises 1 and 2 are held to. Two networks, each with the report's 512 addresses:
an untouched one, which has to show the effect, and one on which the answer has acted.
"""

from __future__ import annotations

import re

from labs.cases.addr_select.network import NODE, PEER, UPLINK, Network, service
from labs.cases.addr_select.sweep import REPORTED
from labs.cases.addr_select.workload import EVAL, Cost, Sender, counting
from labs.errors import CannotTry
from labs.judge.exercise import Exercise
from labs.judge.judging import acting, expecting_answers, others_left_alone, two
from labs.judge.verdict import Verdict

RATIO = 2  # measured: above ten
FEW_QUESTIONS = 100  # of 11268
SERVICE = service(77)
WITHOUT_SETTING = {"2"}  # exercises that have to do without use_oif_addrs_only


def judge_fix(exercise: Exercise, answer: str, verdict: Verdict) -> None:
    """Exercises 1 and 2: a script that touches the node only."""
    with two(as_reported) as (untouched, fixed):
        with (
            others_left_alone(exercise, verdict, fixed),
            acting(exercise, answer, verdict, fixed),
            expecting_answers(verdict),
        ):
            if exercise.folder.name in WITHOUT_SETTING:
                without_setting(verdict, fixed)
            compare(verdict, untouched, fixed)
            nothing_else_broke(verdict, fixed)


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


def asked(net: Network) -> tuple[Cost, int]:
    """Cost of a send, and the questions that the kernel asks for it."""
    with Sender(net) as sender:
        cost = sender.cost()
        with counting() as calls:
            return cost, sender.calls(calls)[EVAL]


def compare(verdict: Verdict, untouched: Network, fixed: Network) -> None:
    """Mechanism, source and time of a packet from an unconnected socket."""
    before, questions_before = asked(untouched)
    if questions_before < REPORTED:
        raise CannotTry(
            "the untouched node does not look through its addresses, so nothing can be compared",
            "./lab run addr-select",
        )
    cost, questions = asked(fixed)
    verdict.measured.update(
        questions=questions,
        questions_untouched=questions_before,
        send_us=round(cost.send_us),
        untouched_us=round(before.send_us),
        source=cost.source,
    )
    verdict.expect(
        questions <= FEW_QUESTIONS,
        f"{questions} questions are asked for a packet, {questions_before} before",
        f"{questions} questions are still asked for a packet, expected {FEW_QUESTIONS} at most",
    )
    ratio = before.send_us / cost.send_us
    verdict.expect(
        ratio >= RATIO,
        f"a send is {ratio:.0f} times as fast as before",
        f"a send is {ratio:.1f} times as fast as before, expected {RATIO} at least",
    )
    verdict.expect(
        cost.source == NODE,
        f"packets come from {NODE}, as before",
        f"packets come from {cost.source}, expected {NODE}: nobody would send the answers there",
    )


def without_setting(verdict: Verdict, net: Network) -> None:
    """Exercise 2 asks for another way than the report's."""
    said = net.node.on("sysctl", "-n", f"net.ipv6.conf.{UPLINK}.use_oif_addrs_only").strip()
    verdict.expect(
        said == "0",
        "use_oif_addrs_only is off, as it was",
        "use_oif_addrs_only was set, and this exercise is about another way",
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
