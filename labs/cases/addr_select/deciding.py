"""What does a reader's program report of the rules that decide? decided.py holds an answer to exercise 6 to it.

Six choices are made among few addresses; in each another rule decides, and in one the first address
stays the best to the end. The truth is read from our own trace of the questions.
"""

from __future__ import annotations

import contextlib
import socket
import threading

from labs.cases.addr_select.decided import Choice, Choices
from labs.cases.addr_select.experiments import DISCARD
from labs.cases.addr_select.names import NODE, UPLINK, service
from labs.cases.addr_select.network import Silent
from labs.cases.addr_select.scores import addresses_of, choice, rules
from labs.cases.addr_select.tracing import choice_tracer
from labs.cases.addr_select.workload import Sender
from labs.errors import CouldNotTell
from labs.judge.evidence import Evidence
from labs.judge.exercise import Exercise
from labs.judge.report import Program
from labs.take.reader_program import Refused, attached, told, written
from labs.take.script import Taking
from labs.trace.tracer import Event

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


def take_deciding(exercise: Exercise, answer: str) -> Evidence:
    """The answer beside a tracer of ours, on a network of its own."""
    taking, seen, ours = Taking(exercise, answer), Choices(Program()), choice_tracer()
    with contextlib.suppress(Refused), written(answer, PROBES, FIELDS) as theirs, Silent() as net:
        with taking.expecting_answers(), attached(theirs, seen.program), ours:
            for tracer in (theirs, ours):
                tracer.watch("the sender", threading.get_native_id())
            names = choices(net)
        if taking.unanswered:  # a tracing program breaks no network
            raise CouldNotTell(f"what was to be traced did not happen: {taking.unanswered}")
        seen.program.told = told(theirs, of_connections=False)
        seen.made = made(ours.events, names)
    return taking.evidence(seen)


def made(events: list[Event], names: dict[int, str]) -> list[Choice]:
    """The choices that are in the trace."""
    numbers = {rule: number for number, rule in enumerate(rules())}
    chosen = [choice(one, names).chosen for one in split(events)]
    return [Choice(numbers[one.decided], str(one.decided), one.address) for one in chosen]


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


def split(events: list[Event]) -> list[list[Event]]:
    """The events of each choice: it begins when nothing is best yet."""
    found = []
    for event in events:
        if event.function == "ipv6_get_saddr_eval" and not event.value:
            found.append([])
        if event.function == "ipv6_get_saddr_eval":
            found[-1].append(event)
    return found
