"""What does a reader's program report of A's way and of B's? told.py holds an answer to exercise 5 to it.

The truth is taken from the stack: tcp_v4_mtu_reduced() below tcp_release_cb() was deferred. Seven
events are made: in each round A's at once, then one that is deferred although a small segment is in
flight (so "nothing in flight" is no way to tell), then B's, which is deferred with nothing in flight.
"""

from __future__ import annotations

import contextlib
import random

from labs.cases.frag_needed.network import Network
from labs.cases.frag_needed.told import AT_ONCE, DEFERRED, Ways
from labs.cases.frag_needed.tracing import stall_tracer
from labs.cases.frag_needed.workload import Direct, Watch
from labs.errors import CouldNotTell
from labs.judge.evidence import Evidence
from labs.judge.exercise import Exercise
from labs.judge.report import Event, Program
from labs.take.reader_program import Refused, attached, told, written
from labs.take.script import Taking
from labs.trace.tracer import Tracer

# What an answer may define, in the order of its `enum probe`.
PROBES = {"on_v4_err": ["tcp_v4_err"], "on_release_cb": ["tcp_release_cb"], "on_mtu_reduced": ["tcp_v4_mtu_reduced"]}
FIELDS = [("sk_buff", "data"), ("tcp_sock", "packets_out"), ("sock", "sk_tsq_flags"), ("sock", "sk_lock")]
SMALL_BYTES = 100
ROUNDS = (1, 2)  # how many connections like B each round has; seven events in all, a prime number


def take_telling(exercise: Exercise, answer: str) -> Evidence:
    """The answer beside a tracer of ours, on a network of its own."""
    taking, seen, ours = Taking(exercise, answer), Ways(Program()), stall_tracer()
    with contextlib.suppress(Refused), written(answer, PROBES, FIELDS) as theirs, Network() as net:
        with taking.expecting_answers(), attached(theirs, seen.program), ours:
            for number, like_b in enumerate(ROUNDS, 1):
                send(net, (theirs, ours), [f"{way}{number}" for way in ("A", "in flight ", *"BC"[:like_b])])
                net.forget()
        if taking.unanswered:  # a tracing program breaks no network
            raise CouldNotTell(f"what was to be traced did not happen: {taking.unanswered}")
        seen.program.told = told(theirs)
        seen.truth = [
            Event(event.connection, DEFERRED if event.under("tcp_release_cb") else AT_ONCE)
            for event in ours.events
            if event.function == "tcp_v4_mtu_reduced"
        ]
    return taking.evidence(seen)


def send(net: Network, tracers: tuple[Tracer, Tracer], names: list[str]) -> None:
    """One round: A, a connection with a small segment in flight, and those like B."""
    with Watch(net) as watch:
        for connection in watch.open(Direct, *random.sample(names, len(names))):
            for tracer in tracers:
                tracer.watch(connection.name, connection.port)
        at_once, in_flight, *like_b = names
        pipelined = watch.connections[in_flight].socket
        # The server takes nothing out of the tunnel while the small segment comes, so it stays in flight until it is
        # sent again, 200 ms later; it left before there was an exception, so its route is stale.
        net.server.on("ip link set tunl0 down")
        pipelined.sendall(b"!" * SMALL_BYTES)
        net.server.on("ip link set tunl0 up")
        watch.ask(at_once)
        watch.ask(in_flight)
        pipelined.recv(SMALL_BYTES)
        for name in like_b:
            watch.ask(name)
