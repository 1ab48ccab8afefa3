"""Does a reader's program tell which rule decided? What an answer to exercise 6 is held to.

Six choices are made among few addresses; in each another rule decides, and in one the first address
stays the best to the end. The truth is read from our own trace of the questions.
"""

from __future__ import annotations

import socket
import threading

from labs.cases.addr_select.experiments import DISCARD
from labs.cases.addr_select.names import NODE, UPLINK, service
from labs.cases.addr_select.network import Silent
from labs.cases.addr_select.scores import addresses_of, choice, rules
from labs.cases.addr_select.tracing import choice_tracer
from labs.cases.addr_select.workload import Sender
from labs.errors import CannotTry
from labs.judge.exercise import Exercise
from labs.judge.verdict import Verdict
from labs.take.reader_program import attached, compare, written
from labs.take.script import expecting_answers
from labs.trace.tracer import Event, Tracer

# What an answer may define, in the order of its `enum probe`.
PROBES = {
    "on_choice": ["ipv6_dev_get_saddr"],
    "on_rule": ["ipv6_get_saddr_eval"],
    "after_rule": ["ipv6_get_saddr_eval"],
    "after_choice": ["ipv6_dev_get_saddr"],
}
FIELDS = [("ipv6_saddr_score", "ifa")]
OTHER = service(0x99)  # on the uplink, and farther from the peer than the node's own address
# The node's own network and the peer's.
SAME_LABEL = "".join(f"addrlabel add prefix 2001:db8:{group}::/48 label 99\n" for group in (1, 2))


def judge_deciding(exercise: Exercise, answer: str, verdict: Verdict) -> None:
    """Exercise 6: each choice is reported once, with the number of the rule that decided."""
    with written(answer, PROBES, FIELDS) as theirs, Silent() as net:
        ours = choice_tracer()
        with expecting_answers(verdict), attached(theirs, verdict), ours:
            for tracer in (theirs, ours):
                tracer.watch("the sender", threading.get_native_id())
            names = choices(net)
    hold(verdict, theirs, ours, names)


def choices(net: Silent) -> dict[int, str]:
    """Makes the choices; all addresses that were there, by the numbers of `choice.bpf.c`."""
    net.announce(2)
    with Sender(net) as sender:
        sender.send()  # 5: the outgoing interface's
        change(net, f"address add {OTHER}/128 dev {UPLINK} nodad")  # a newer address is asked first
        sender.send()  # 8: closer to the peer
        net.node.on("ip", "-batch", "-", stdin=SAME_LABEL)
        sender.send()  # 6: the destination's label
        to_itself(net)  # 1: the destination itself
        net.only_outgoing(True)
        change(net, f"address change {OTHER}/128 dev {UPLINK} preferred_lft 0")
        sender.send()  # 3: not deprecated
        change(
            net,
            f"address change {OTHER}/128 dev {UPLINK} preferred_lft forever",
            f"address change {NODE}/64 dev {UPLINK} preferred_lft 0",
        )
        sender.send()  # none: no later one is better than the first
    return addresses_of(net.node.pid)


def change(net: Silent, *lines: str) -> None:
    net.node.on("ip", "-6", "-batch", "-", stdin="\n".join(lines) + "\n")


def to_itself(net: Silent) -> None:
    """A packet to the node's own first service address, which is the last that the kernel comes to."""
    with net.node.inside(), socket.socket(socket.AF_INET6, socket.SOCK_DGRAM) as itself:
        itself.sendto(b"?", (service(1), DISCARD))


def hold(verdict: Verdict, theirs: Tracer, ours: Tracer, names: dict[int, str]) -> None:
    """What was reported against what our own trace says, in the order of time."""
    numbers = {rule: number for number, rule in enumerate(rules())}
    truth = [choice(events, names).chosen for events in split(ours.events)]
    decided = [numbers[one.decided] for one in truth]
    if len(set(decided)) < 6:
        raise CannotTry(f"expected six rules to decide, found {sorted(set(decided))}", "the same call again")
    told = [event.value for event in theirs.events]

    def fault(number: int) -> str:
        one = truth[number]
        return f"choice {number + 1}: told {told[number]}, was {decided[number]} ({one.decided}, {one.address})"

    compare(
        verdict,
        decided,
        told,
        "reports, one for each choice",
        f"{len(decided)} choices were made",
        "every report names the rule",
        fault,
    )


def split(events: list[Event]) -> list[list[Event]]:
    """The events of each choice: it begins when nothing is best yet."""
    found = []
    for event in events:
        if event.function == "ipv6_get_saddr_eval" and not event.value:
            found.append([])
        if event.function == "ipv6_get_saddr_eval":
            found[-1].append(event)
    return found
