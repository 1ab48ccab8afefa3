"""How does the case happen on a page? As in `run`, past the sidecar alone, and once: A, B and B again."""

import contextlib
import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from core.draw import stacks_view
from labs import live
from labs.cases.frag_needed import shell, tracing
from labs.cases.frag_needed.network import Network
from labs.cases.frag_needed.workload import Direct, Instruments, Watch
from labs.shell import prompt
from labs.trace import symbols
from labs.trace.expected import beside
from labs.trace.tracer import Tracer

ORDER = "ABB"
# Before each question, so that all are rested: who is told of the run has heard it, no softirq waits for ksoftirqd.
PAUSE_S = 0.05
FIGURES = {"b-ladder": "B", "a-ladder": "A"}


@dataclass(frozen=True)
class Opened:
    """The network and its instruments."""

    net: Network
    instruments: Instruments

    def run(self, asked: Mapping[str, Any], say: live.Say) -> None:
        """A page's run; if it is `told`, a route says 1480 beforehand (the control), and with `trace` the
        chapter's stacks are drawn as well."""
        tracer = tracing.stall_tracer() if asked.get("trace") else None
        with (
            self.net.with_route() if asked.get("told") else contextlib.nullcontext(),
            tracer or contextlib.nullcontext(),
        ):
            watch = self.watched(say, tracer)
        seen = watch.seen
        for name, exchange in FIGURES.items():
            live.figure(name, seen.ladder(exchange).drawn())
        if tracer:
            _stacks(tracer)
        say("outcome", told=bool(asked.get("told")), **seen.to_json())

    def watched(self, say: live.Say, tracer: Tracer | None = None) -> Watch:
        """The exchanges, under tcpdump; an attached tracer watches them."""
        with Watch(self.net, self.instruments) as watch:
            for connection in watch.open(Direct, *sorted(set(ORDER))):
                if tracer:
                    tracer.watch(connection.name, connection.port)
            began_s = time.monotonic()
            say("begins", clock_ms=began_s * 1e3)
            for name in ORDER:
                say("asks", name=name)
                time.sleep(PAUSE_S)
                at_s = time.monotonic()
                one = watch.ask(name)
                say(
                    "exchange",
                    name=one.name,
                    bytes=one.sent_bytes,
                    at_ms=round((at_s - began_s) * 1e3, 3),
                    waited_ms=round(one.waited_ms, 3),
                    late_ms=round(one.held_up_ms, 3),
                )
            say("ends", clock_ms=time.monotonic() * 1e3)
        return watch

    def terminal(self) -> None:
        """Mininet's command line on the network."""
        prompt(lambda: contextlib.nullcontext(shell.on(self.net)))


def _stacks(tracer: Tracer) -> None:
    """Each of the chapter's, of which this run has had the event."""
    for expected, compared in zip(tracing.EXPECTED, beside(tracing.EXPECTED, tracer.events)):
        if expected.event(tracer.events):
            live.figure(f"stack-{expected.file.stem}", stacks_view.figure(compared.to_json()))


@contextlib.contextmanager
def opened() -> Iterator[Opened]:
    """Once it has been rehearsed: the first run of a program has more to do than any later one, which is the
    machine's doing. Then all that it has taught the client is forgotten."""
    with Network() as net, Instruments(net) as instruments:
        ready = Opened(net, instruments)
        live.drop_files()
        seen = ready.watched(lambda *_, **__: None).seen
        for name in FIGURES.values():
            live.data(seen.ladder(name).drawn())
        with tracing.stall_tracer():
            symbols.running().read()  # once all modules are loaded
        net.forget()
        yield ready
