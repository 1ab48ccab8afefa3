"""How does the case happen on a page? As in `run`, past the sidecar alone, and once: A, B and B again."""

from __future__ import annotations

import contextlib
import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from labs import live
from labs.cases.frag_needed import shell
from labs.cases.frag_needed.network import Network
from labs.cases.frag_needed.workload import Direct, Instruments, Watch
from labs.shell import prompt

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
        """A page's run; if it is `told`, a route says 1480 beforehand (the control)."""
        with self.net.told() if asked.get("told") else contextlib.nullcontext():
            watch = self.watched(say)
        seen = watch.seen
        for name, exchange in FIGURES.items():
            live.figure(name, seen.ladder(exchange).drawn())
        say("outcome", told=bool(asked.get("told")), **seen.to_json())

    def watched(self, say: live.Say) -> Watch:
        """The exchanges, under tcpdump."""
        with Watch(self.net, self.instruments) as watch:
            watch.open(Direct, *sorted(set(ORDER)))
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
        net.forget()
        yield ready
