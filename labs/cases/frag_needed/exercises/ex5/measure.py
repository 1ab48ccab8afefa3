"""What does a reader's program report of A's way and of B's? judge.py holds an answer to exercise 5 to it.

The truth is taken from the stack: tcp_v4_mtu_reduced() below tcp_release_cb() was deferred. Eleven events are made, in
two rounds. In each, the first connection's message is acted on at once, while the thread that has sent is at work, and
on the processor to which the message comes: "whose thread is current?" is no way to tell. Then comes one that is
deferred although a small segment is in flight, so neither is "nothing in flight"; then, in any order, those like B,
which are deferred with nothing in flight, and one that the client has sent to itself, too, and that is acted on at
once: "who has sent it?" is no way either. In the second round A and B change their parts: what is remembered of a
socket has to be forgotten. That a release does not do it for the program, one connection's message is deferred, and the
next is acted on before anybody has held its socket again.
"""

from __future__ import annotations

import contextlib
import os
import random
import socket
import struct
import threading
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path

from core.cases import Exercise
from core.judge.evidence import Evidence
from core.judge.report import Event, Program
from labs.cases.frag_needed.exercises.ex5.judge import AT_ONCE, DEFERRED, MtuReductions
from labs.cases.frag_needed.exercises.ex5.to_itself import about_next, send, tell
from labs.cases.frag_needed.network import Network
from labs.cases.frag_needed.workload import SMALL_BYTES, Direct
from labs.errors import CannotTry, CouldNotTell
from labs.net.counters import counters
from labs.take.reader_program import Refused, attached, reported_events, written
from labs.take.script import Taking
from labs.trace.tracer import Event as Traced
from labs.trace.tracer import Tracer

# What an answer may define, in the order of its `enum probe`.
PROBES = {"on_v4_err": ["tcp_v4_err"], "on_release_cb": ["tcp_release_cb"], "on_mtu_reduced": ["tcp_v4_mtu_reduced"]}
FIELDS = [("sk_buff", "data"), ("tcp_sock", "packets_out"), ("sock", "sk_tsq_flags"), ("sock", "sk_lock")]
OURS = Path(__file__).with_name("ways.bpf.c")
OWNED, RELEASED = 1 << 31, 1 << 30  # of what our tracer tells beside the segments in flight
IN_FLIGHT_BYTES = 100
AT_WORK_S = 0.5  # at most; the message comes after a few milliseconds
TOLD = "IcmpInDestUnreachs"


def take(exercise: Exercise, answer: str) -> Evidence:
    """The answer beside a tracer of ours, on a network of its own."""
    taking, seen, ours = Taking(exercise, answer), MtuReductions(Program()), Tracer(OURS, PROBES)
    with contextlib.suppress(Refused), written(answer, PROBES, FIELDS) as theirs, Network() as net:
        with taking.network_errors_noted(), attached(theirs, seen.program), ours, Sender(net, theirs, ours) as sender:
            sender.rounds()
        if taking.unanswered:  # a tracing program breaks no network
            raise CouldNotTell(f"what was to be traced did not happen: {taking.unanswered}")
        seen.program.told = reported_events(theirs)
        seen.sender = sender.thread
        look(seen, ours.events)
    return taking.evidence(seen)


def look(seen: MtuReductions, events: list[Traced]) -> None:
    """What happened, by our own tracer, in the order of time."""
    tellers = {}  # of the last message, by connection
    for event in events:
        if event.function == "tcp_v4_err":
            tellers[event.connection] = socket.inet_ntoa(struct.pack("=I", event.value))
            continue
        seen.truth.append(Event(event.connection, DEFERRED if event.under("tcp_release_cb") else AT_ONCE))
        seen.tellers.append(tellers.get(event.connection, ""))
        seen.in_flight.append(event.detail & ~(OWNED | RELEASED))
        seen.owned.append(bool(event.detail & OWNED))
        seen.released.append(bool(event.detail & RELEASED))
        seen.current.append(event.value)


class Sender:
    """The thread that asks on all connections, on a processor that it keeps to; for the length of a `with` block."""

    def __init__(self, net: Network, *tracers: Tracer) -> None:
        self.net, self.tracers, self.thread = net, tracers, threading.get_native_id()
        self.connections: dict[str, Direct] = {}

    def __enter__(self) -> Sender:
        self.processors = os.sched_getaffinity(0)
        os.sched_setaffinity(0, {random.choice(sorted(self.processors))})
        return self

    def __exit__(self, *_) -> None:
        os.sched_setaffinity(0, self.processors)
        for connection in self.connections.values():
            connection.close()

    def rounds(self) -> None:
        """Make both rounds, each with a client that has learnt nothing."""
        self.open("A", "B", "D", "E", "in flight 1")
        self.round("A", "in flight 1", self.connections["B"].ask, self.both_ways)
        self.net.forget()
        self.open("C", "in flight 2")
        for name in "AB":  # what is sent has the socket look its route up, and it fits
            self.connections[name].ask(SMALL_BYTES)
        self.net.settle()
        self.round("B", "in flight 2", self.connections["A"].ask, self.connections["C"].ask)

    def open(self, *names: str) -> None:
        """Connections, watched by both tracers; made in any order, so that no port says which is which."""
        for name in random.sample(names, len(names)):
            connection = self.connections[name] = Direct(self.net, name)
            for tracer in self.tracers:
                tracer.watch(name, connection.port)
        self.net.settle()

    def round(self, at_once: str, in_flight: str, *others: Callable[[], object]) -> None:
        """Ask on one that is told by the balancer, one with a small segment in flight, and in any order these
        others and one that is told by the client and rests."""
        pipelined = self.connections[in_flight]
        # The server takes nothing out of the tunnel while the small segment comes, so it stays in flight until it is
        # sent again, 200 ms later; it left before there was an exception, so its route is stale.
        self.net.server.on("ip link set tunl0 down")
        pipelined.socket.sendall(b"!" * IN_FLIGHT_BYTES)
        self.net.server.on("ip link set tunl0 up")
        before = self.times_unreachable()
        self.connections[at_once].ask(meanwhile=partial(self.work, before))
        if self.times_unreachable() == before:  # then what the client sends to itself would be the first that it learns
            raise CannotTry("the balancer tells the client of no smaller MTU", "./lab run frag-needed")
        pipelined.ask()
        pipelined.socket.recv(IN_FLIGHT_BYTES)
        turns: list[Callable[[], object]] = [*others, partial(tell, self.net, self.connections["D"])]
        for turn in random.sample(turns, len(turns)):
            turn()

    def both_ways(self) -> None:
        """Like B, and then the same message once more, while the segment waits to be sent again. Only sending holds and
        releases the socket, until the echo is read."""
        connection = self.connections["E"]
        message, question = about_next(connection), b"?" * connection.full_bytes
        connection.socket.sendall(question)
        send(self.net, message)
        connection.receive(len(question))

    def work(self, before: int) -> None:
        """Keeps the processor until the client has been told once more, with nothing that has to do with a socket. What
        was sent, and what comes back, is handed on by timers of that processor (qdisc_watchdog_schedule_range_ns() pins
        them), so the message finds this thread there."""
        until = time.monotonic() + AT_WORK_S
        while time.monotonic() < until and self.times_unreachable() == before:
            pass

    def times_unreachable(self) -> int:
        """How often the client was told that a destination is unreachable."""
        return counters(self.net.client)[TOLD]
