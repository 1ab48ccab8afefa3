"""What happens with an answer to exercises 1 and 2? cured.py judges it.

Two networks, each with the report's 512 addresses: an untouched one, and one on which the answer acts.
"""

from __future__ import annotations

import re

from labs.cases.addr_select.cured import SERVICE, SETTING, Cure, Node, Services
from labs.cases.addr_select.names import EVAL, REPORTED, UPLINK
from labs.cases.addr_select.network import Network
from labs.cases.addr_select.workload import Sender, by_turns, counting
from labs.judge.evidence import Evidence
from labs.judge.exercise import Exercise
from labs.take.script import Taking, two
from labs.take.settings import compared, settings


def take_cure(exercise: Exercise, answer: str) -> Evidence:
    """The answer on networks of its own."""
    taking, seen = Taking(exercise, answer), Cure()
    with two(as_reported) as (untouched, fixed):
        before = settings(fixed.node)
        with taking.acted(fixed) as ran:
            if ran:
                at_first = settings(fixed.node)
                cost(seen, untouched, fixed)
                seen.services = services(fixed)
                seen.node = node(before, at_first, settings(fixed.node))
    return taking.evidence(seen)


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


def cost(seen: Cure, untouched: Network, fixed: Network) -> None:
    """Of a packet from an unconnected socket, in either network."""
    with Sender(untouched) as was, Sender(fixed) as now:
        seen.asked_before = questions(was)
        seen.turns = by_turns(was, now)
        seen.asked = questions(now)


def questions(sender: Sender) -> int:
    """How many the kernel asks for a packet."""
    with counting() as calls:
        return sender.calls(calls)[EVAL]


def services(net: Network) -> Services:
    """What is left of them."""
    owned = net.node.on("ip", "-6", "-oneline", "address", "show", "scope", "global").count("2001:db8:5:")
    learnt = net.learnt_now()
    said = net.peer.on("sh", "-c", f"ping -n -c 2 -i 0.1 -W 2 {SERVICE} || true")
    return Services(owned, learnt, sorted(set(re.findall(r"bytes from ([0-9a-f:]+): icmp_seq", said))))


def node(before: list[str], *after: list[str]) -> Node:
    """What has become of the node's settings, by their lines."""
    others, *now = ([line for line in lines if SETTING not in line] for lines in (before, *after))
    on = re.compile(rf"\S*/{UPLINK}/{SETTING} = [^0]\S*")
    setting_on = [line for lines in after for line in lines if on.fullmatch(line)]
    return Node([compared("node", others, lines) for lines in now], setting_on)
