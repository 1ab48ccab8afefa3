"""What does a reader's program report of the rules that decide? judge.py holds an answer to exercise 6 to it.

Six choices are made among few addresses; in each another rule decides, and in one the first address
stays the best to the end. Then two threads choose at the same time, among many, by different rules: two whose ids agree
in all but the last bit, two whose ids agree at their end, two in all but the first bit, and two for the numbers in the
answer by which ids may agree.
The truth is read from our own trace of the questions.
"""

import contextlib
import os
import re
import socket
import threading
import time
from collections.abc import Callable
from pathlib import Path

from core.cases import Exercise
from core.judge.evidence import Evidence
from core.judge.report import Program
from labs.cases.addr_select.exercises.ex6.judge import FAR, MOST_APART, NEAR, ONE_BIT, Choice, Choices, apart
from labs.cases.addr_select.exercises.ex6.thread_ids import any_id, two_threads
from labs.cases.addr_select.experiments import DISCARD
from labs.cases.addr_select.names import NODE, UPLINK, service
from labs.cases.addr_select.network import Silent
from labs.cases.addr_select.scores import addresses_of, choice, rules
from labs.cases.addr_select.tracing import choice_tracer
from labs.cases.addr_select.workload import Sender
from labs.errors import CannotTry, CouldNotTell
from labs.take.reader_program import Refused, attached, reported_events, written
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
CLOSER = "2001:db8:2:1::1"  # on lo, older than the services, and closer to the peer than they
PREEMPT = Path("/sys/kernel/debug/sched/preempt")
MANY = 128  # addresses, each asked four questions
BEFORE, TIMES = 2, 4  # that the first of two threads chooses alone, and each beside the other
PATIENCE_S = 20
# The node's own network and the peer's.
SAME_LABEL = "".join(f"addrlabel add prefix 2001:db8:{group}::/48 label 99\n" for group in (1, 2))


def take(exercise: Exercise, answer: str) -> Evidence:
    """The answer beside a tracer of ours, on a network of its own."""
    taking, seen, ours = Taking(exercise, answer), Choices(Program()), choice_tracer()
    with contextlib.suppress(Refused), written(answer, PROBES, FIELDS) as theirs, Silent() as net:
        with taking.network_errors_noted(), attached(theirs, seen.program), ours:

            def watch(name: str) -> None:
                """The calling thread."""
                seen.threads[name] = threading.get_native_id()
                for tracer in (theirs, ours):
                    tracer.watch(name, seen.threads[name])

            watch("the sender")
            choices(net)
            for pair, distance in pairs(answer).items():
                for tracer in (theirs, ours):
                    tracer.drain()
                at_once(net, watch, pair, distance)
            names = addresses_of(net.node.pid)
        if taking.unanswered:  # a tracing program breaks no network
            raise CouldNotTell(f"what was to be traced did not happen: {taking.unanswered}")
        seen.program.told = reported_events(theirs)
        seen.made = made(ours.events, names)
    return taking.evidence(seen)


def pairs(answer: str) -> dict[tuple[str, str], int]:
    """Pairs of threads that choose at once, the one that is interrupted first, and how far apart their ids are."""
    further = {(f"one of two {each} apart", f"the other {each} apart"): each for each in apart(answer)[:MOST_APART]}
    fixed = {("the one", "its neighbour"): NEAR, ("a third", "its namesake"): FAR, ("a fifth", "its twin"): ONE_BIT}
    return fixed | further


def made(events: list[Event], names: dict[int, str]) -> list[Choice]:
    """The choices that are in the trace."""
    numbers = {rule: number for number, rule in enumerate(rules())}
    found = []
    for thread in dict.fromkeys(event.connection for event in events):
        for one in split([event for event in events if event.connection == thread]):
            chosen = choice(one, names).chosen
            rule = str(chosen.decided)
            found.append(Choice(numbers[rule], rule, chosen.address, thread, one[0].time_s, one[-1].time_s))
    return found


def choices(net: Silent) -> None:
    """Makes six choices, one after the other."""
    change(net, f"address add {CLOSER}/128 dev lo nodad")
    net.announce(2)
    with Sender(net) as sender:
        sender.send()  # 8, among those of lo, and then 5: the outgoing interface's
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


def at_once(net: Silent, watch: Callable[[str], None], pair: tuple[str, str], distance: int) -> None:
    """Has two threads, with ids at this distance, choose at the same time, again and again. Each sends to an address of
    the node's own: the one that the kernel asks first, which nothing overtakes then, and the one that it asks second,
    which rule 1 prefers.

    There is one processor, so one has to be taken off it amid its choice: the other sleeps for a third of the shortest
    choice so far, and goes before whoever runs when it wakes.
    """
    net.only_outgoing(False)
    net.announce(MANY)  # the newest is asked first
    together, took_s = threading.Barrier(2, timeout=PATIENCE_S), []

    def chooses(name: str, to: str, sender: socket.socket) -> None:
        watch(name)
        for number in range(BEFORE + TIMES):
            if number >= BEFORE:
                together.wait()
            began = time.monotonic()
            sender.sendto(b"?", (to, DISCARD))
            took_s.append(time.monotonic() - began)

    def interrupts(name: str, to: str, sender: socket.socket) -> None:
        watch(name)
        os.sched_setscheduler(0, os.SCHED_FIFO, os.sched_param(1))  # this thread
        for _ in range(TIMES):
            together.wait()
            time.sleep(min(took_s) / 3)
            sender.sendto(b"?", (to, DISCARD))

    with contextlib.ExitStack() as stack, net.node.inside():
        senders = [stack.enter_context(socket.socket(socket.AF_INET6, socket.SOCK_DGRAM)) for _ in range(2)]
        stack.enter_context(preemptible())
        stack.enter_context(any_id())
        one, other = stack.enter_context(two_threads(distance))
        choosing = [
            one.submit(chooses, pair[0], service(MANY), senders[0]),
            other.submit(interrupts, pair[1], service(MANY - 1), senders[1]),
        ]
        for each in choosing:
            each.result()


@contextlib.contextmanager
def preemptible():
    """Has the kernel take a thread off its processor amid a system call, too, as it does with preempt=full
    (sched_dynamic_mode() in kernel/sched/core.c)."""
    if not PREEMPT.exists():
        raise CannotTry(
            "the kernel has no /sys/kernel/debug/sched/preempt, so no two threads choose at once", "./lab reset"
        )
    before = re.search(r"\((\w+)\)", PREEMPT.read_text())[1]
    PREEMPT.write_text("full")
    try:
        yield
    finally:
        PREEMPT.write_text(before)


def change(net: Silent, *lines: str) -> None:
    net.node.on("ip", "-6", "-batch", "-", stdin="\n".join(lines) + "\n")


def to_itself(net: Silent) -> None:
    """A packet to the node's own first service address, which the kernel comes to after the others."""
    with net.node.inside(), socket.socket(socket.AF_INET6, socket.SOCK_DGRAM) as itself:
        itself.sendto(b"?", (service(1), DISCARD))


def split(events: list[Event]) -> list[list[Event]]:
    """The events of each choice: it begins when nothing is best yet."""
    found: list[list[Event]] = []
    for event in events:
        if event.function == "ipv6_get_saddr_eval" and not event.value:
            found.append([])
        if event.function == "ipv6_get_saddr_eval":
            found[-1].append(event)
    return found
