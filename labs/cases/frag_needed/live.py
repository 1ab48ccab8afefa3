"""How does the case happen on a page? As in `run`, past the sidecar alone, and once: A, B and B again."""

import contextlib
import time
from collections.abc import Iterator, Mapping
from typing import Any

from core.cases import case, exercises
from core.draw import stacks_view
from core.draw.tree import Element
from labs import live
from labs.case import exercise_module
from labs.cases.frag_needed import shell, tracing
from labs.cases.frag_needed.cure.measure import MeasuredBefore
from labs.cases.frag_needed.network import Network
from labs.cases.frag_needed.observed import Observed
from labs.cases.frag_needed.workload import Direct, Instruments, Watch
from labs.shell import prompt
from labs.take import standing
from labs.trace import symbols
from labs.trace.expected import beside
from labs.trace.tracer import Tracer

ORDER = "ABB"
# Before each question, so that all are rested: who is told of the run has heard it, no softirq waits for ksoftirqd.
PAUSE_S = 0.05
FOR_CELLS = 2  # networks, which a page loads with the saved guest
LADDERS = {"b-ladder": "B", "a-ladder": "A"}


class Opened:
    """The network, its instruments, A and B, connected and at rest, and the chapter's tracer, loaded."""

    def __init__(self, net: Network, instruments: Instruments, later: contextlib.ExitStack) -> None:
        self.net, self.instruments, self.later = net, instruments, later
        self.tracer = tracing.stall_tracer().prepare()
        self.connect()

    def connect(self) -> None:
        """A and B, under tcpdump, with no question asked yet."""
        self.watch = Watch(self.net, self.instruments).__enter__()
        self.watch.open(Direct, *sorted(set(ORDER)))

    def run(self, asked: Mapping[str, Any], say: live.Say) -> None:
        """A page's run; if it is `told`, a route says 1480 beforehand (the control), and with `trace` the
        chapter's stacks are drawn as well. What clears it away is done `later`: nobody waits for that."""
        told, tracer = bool(asked.get("told")), None
        if told:
            self.later.enter_context(self.net.with_route())
            self.watch.close()  # A and B know of it from their start on, as in the control of `run`
            self.connect()
        if asked.get("trace"):
            tracer = self.later.enter_context(self.tracer)
        seen = self.seen(say, tracer)
        for name, drawn in figures(seen, tracer):
            live.figure(name, drawn)
        say("outcome", told=told, **seen.to_json())

    def seen(self, say: live.Say, tracer: Tracer | None = None) -> Observed:
        """The exchanges, each said as it ends, and what was seen of them; an attached tracer watches them."""
        for connection in self.watch.connections.values():
            if tracer:
                tracer.watch(connection.name, connection.port)
        began_s = time.monotonic()
        say("begins", clock_ms=began_s * 1e3)
        for name in ORDER:
            say("asks", name=name)
            time.sleep(PAUSE_S)
            at_s = time.monotonic()
            one = self.watch.ask(name)
            say(
                "exchange",
                name=one.name,
                bytes=one.sent_bytes,
                at_ms=round((at_s - began_s) * 1e3, 3),
                waited_ms=round(one.waited_ms, 3),
                late_ms=round(one.held_up_ms, 3),
            )
        say("ends", clock_ms=time.monotonic() * 1e3)
        self.later.callback(self.watch.close)  # the server has more to do then than we
        return self.watch.observe()

    def terminal(self) -> None:
        """Mininet's command line on the network."""
        self.watch.close()
        prompt(lambda: contextlib.nullcontext(shell.on(self.net)))


def figures(seen: Observed, tracer: Tracer | None) -> Iterator[tuple[str, Element]]:
    """What a page shows, the first one first; of a tracer each of the chapter's stacks of which it had the event."""
    for name, exchange in LADDERS.items():
        yield name, seen.ladder(exchange).drawn()
    if not tracer:
        return
    events = tracer.take()
    for expected, compared in zip(tracing.EXPECTED, beside(tracing.EXPECTED, events), strict=True):
        if expected.event(events):
            yield f"stack-{expected.file.stem}", stacks_view.figure(compared.to_json())


def prepare_checks() -> None:
    """Read and import what checks need, which takes a page seconds, measure their control, and bring a network up."""
    exercises()  # all are read by whoever asks for one
    for exercise in case("frag-needed").exercises:
        for name in ("measure", "judge") if exercise.tab_million else ():
            exercise_module(exercise, name)
    standing.measure(MeasuredBefore, Network)
    standing.bring_up(Network, 1)


def prepare_cells() -> None:
    """The same for a notebook's page, whose cells take further networks."""
    prepare_checks()
    standing.bring_up(Network, FOR_CELLS)
    symbols.running().read()


@contextlib.contextmanager
def opened() -> Iterator[Opened]:
    """Once it has been rehearsed: the first run of a program has more to do than any later one, which is the
    machine's doing. Then all that it has taught the client is forgotten."""
    with Network() as net, Instruments(net) as instruments, contextlib.ExitStack() as later:
        prepare_checks()
        live.drop_files()
        symbols.running().read()  # all modules are loaded by now
        rehearsed = Opened(net, instruments, later)
        with rehearsed.tracer as tracer:
            seen = rehearsed.seen(lambda *_, **__: None, tracer)
            for _, drawn in figures(seen, tracer):
                live.data(drawn)
        rehearsed.watch.close()
        net.forget()
        yield Opened(net, instruments, later)
