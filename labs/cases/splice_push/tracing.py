"""Which flags does each page go with, who pushes, and which timer comes in the end?"""

import os
from dataclasses import asdict, dataclass
from functools import cached_property
from pathlib import Path

from labs.cases.splice_push.network import Network
from labs.cases.splice_push.workload import WAYS, Fetched, fetch, with_events
from labs.claims import Claim, Claims
from labs.trace import module
from labs.trace.expected import Expected, beside, stacks_to_json
from labs.trace.stacks import Comparison
from labs.trace.tracer import Event, Tracer

FOLDER = Path(__file__).parent
# In the order of the program's `enum probe`; further names are of other kernels.
PROBES = {
    "on_splice": ["generic_splice_sendpage", "splice_to_socket"],
    "on_page": ["pipe_to_sendpage"],
    "on_sendpage": ["do_tcp_sendpages"],
    "on_push": ["tcp_push"],
    "on_push_one": ["tcp_push_one"],
    "on_push_pending": ["__tcp_push_pending_frames"],
    "on_send": ["__tcp_transmit_skb"],
    "on_arm": ["sk_reset_timer"],
    "on_probe": ["tcp_write_wakeup"],
}
PROBE0 = 3  # ICSK_TIME_PROBE0, include/net/inet_connection_sock.h
ASKED, CORKED = "asked too much", "header with MORE"
SHOWN = [way for way in WAYS if way.name in (ASKED, CORKED, "exact length")]
STACKS = FOLDER / "expected"
EXPECTED = [
    Expected(STACKS / "1-push.txt", "Fixed: the last page is pushed", f"fixed {ASKED}", "tcp_push", "pipe_to_sendpage"),
    Expected(
        STACKS / "2-no-push.txt",
        "Broken: the last page is only written",
        f"broken {ASKED}",
        "do_tcp_sendpages",
        "page_to_socket",
    ),
    Expected(
        STACKS / "3-armed.txt",
        "The corked header arms the probe timer",
        f"broken {CORKED}",
        "sk_reset_timer",
        "tcp_sendmsg",
    ),
    Expected(
        STACKS / "4-200-ms.txt",
        "Which sends one segment, 200 ms later; its ACK brings the rest",
        f"broken {CORKED}",
        "tcp_write_wakeup",
    ),
]
SENDING = ("tcp_push", "tcp_push_one", "tcp_write_wakeup", "sk_reset_timer", "__tcp_transmit_skb")


def push_tracer() -> Tracer:
    """The tracer of `pushes.bpf.c`, not yet attached."""
    return Tracer(FOLDER / "pushes.bpf.c", PROBES)


@dataclass(frozen=True)
class Traced(Claims):
    """Three ways of asking in both states, and what the sender's kernel did meanwhile. `events` are of
    all connections, called "fixed asked too much" and so on, their headers included."""

    fixed: dict[str, Fetched]
    broken: dict[str, Fetched]
    events: list[Event]
    tracer: Tracer
    kernel: str

    @cached_property
    def stacks(self) -> list[Comparison]:
        """Each expected stack beside the observed one."""
        return beside(EXPECTED, self.events)

    @property
    def claims(self) -> list[Claim]:
        """Claims on the flags, the pushes and the timer."""
        claims = [
            self._flags(ASKED, self.fixed, "-", 1),
            self._flags(ASKED, self.broken, "NOTLAST", 0),
            self._flags("exact length", self.broken, "-", 1),
        ]
        armed = [event.value for event in self.of(f"broken {CORKED}") if event.function == "sk_reset_timer"]
        woken = [event for event in self.of(f"broken {CORKED}") if event.function == "tcp_write_wakeup"]
        return [
            *claims,
            Claim(
                armed[:1] == [PROBE0] and len(woken) == 1 and self.broken[CORKED].pushes == 0,
                f"{CORKED}, broken: the timer is armed for {armed[:1]} (3 is a probe), fires "
                f"{len(woken)} times; {self.broken[CORKED].pushes} pushes by the splice",
            ),
        ]

    def of(self, connection: str) -> list[Event]:
        """Events of one connection, in order."""
        return [event for event in self.events if event.connection == connection]

    def unsent(self, connection: str) -> list[tuple[float, int]]:
        """(ms since the header was written, bytes written and not sent) after each event of a connection."""
        found, start_s = [], 0.0
        for event in self.of(connection):
            if event.function in ("generic_splice_sendpage", "pipe_to_sendpage"):
                continue
            start_s = start_s or (event.time_s if event.function == "tcp_push" else 0.0)
            # A probe is at the entry: what the call itself writes or sends is not in the figures yet.
            done = {"do_tcp_sendpages": event.value & 0xFFFFFFFF, "__tcp_transmit_skb": -event.value}
            if start_s:
                found.append(((event.time_s - start_s) * 1e3, event.detail + done.get(event.function, 0)))
        return found

    def _flags(self, name: str, state: dict[str, Fetched], last: str, pushes: int) -> Claim:
        pages = state[name].pages
        words = [page.words for page in pages]
        return Claim(
            words == ["NOTLAST"] * (len(pages) - 1) + [last] and state[name].pushes == pushes,
            f"{name}, {'fixed' if state is self.fixed else 'broken'}: pages go with {' '.join(words)}; "
            f"{state[name].pushes} pushes",
        )

    def pages(self) -> str:
        """Each page of one splice(2) that asked too much: what follows it, and the flags it goes with."""
        lines = [f"{'page':>4}{'bytes':>8}{'asked for yet':>16}{'follow in the pipe':>20}{'fixed':>12}{'broken':>12}"]
        for number, (was, now) in enumerate(zip(self.fixed[ASKED].pages, self.broken[ASKED].pages), 1):
            lines.append(
                f"{number:>4}{now.size_bytes:>8}{now.asked_bytes:>16}{now.following:>20}{was.words:>12}{now.words:>12}"
            )
        return "\n".join([*lines, f"{'pushes':>12}{self.fixed[ASKED].pushes:>48}{self.broken[ASKED].pushes:>12}"])

    def timeline(self) -> str:
        """What was done to send an answer, in ms since the push of its header."""
        lines = [f"{'ms':>9}  {'function entered':<22}{'value':>8}{'unsent, B':>11}   called by"]
        for connection in (f"fixed {ASKED}", f"broken {ASKED}", f"broken {CORKED}"):
            events = [event for event in self.of(connection) if event.function in (*SENDING, "generic_splice_sendpage")]
            events = events[next((n for n, e in enumerate(events) if e.function == "tcp_push"), 0) :]
            lines.append(f"{connection}:")
            for event in events[:14]:
                splice = event.function == "generic_splice_sendpage"
                lines.append(
                    f"{(event.time_s - events[0].time_s) * 1e3:9.2f}  {event.function:<22.22}"
                    f"{'' if splice else event.value:>8}{'' if splice else event.detail:>11}   "
                    f"{(event.functions + [''])[1]:.25}"
                )
        return "\n".join(lines)

    def text(self) -> str:
        """Text for the terminal, at most 80 columns."""
        head = [
            f"splice-push under the tracers, Linux {self.kernel}",
            f"attached in {self.tracer.attach_s:.1f} s, no event lost",
            *self.tracer.substitutions,
            "",
            self.pages(),
            "",
            "value: flags, timer's purpose (3 is a probe), or bytes of a segment",
            self.timeline(),
            "",
        ]
        stacks = [stack.text() + "\n" for stack in self.stacks]
        return "\n".join([*head, *stacks, *self.outcome_lines("as expected")])

    def __repr__(self) -> str:
        return self.pages()

    def to_json(self) -> dict:
        """Plain values."""
        return {
            "case": "splice-push",
            "kernel": self.kernel,
            **self.claimed(),
            "attach_s": round(self.tracer.attach_s, 2),
            "substitutions": self.tracer.substitutions,
            "stacks": stacks_to_json(EXPECTED, self.stacks),
            "unsent": {
                f"{state} {name}".replace(" ", "_"): self.unsent(f"{state} {name}")
                for state in ("fixed", "broken")
                for name in self.fixed
            },
            "events": [asdict(event) for event in self.events],
        }


def traced(net: Network, regression: Path) -> Traced:
    """Trace the same requests in both states. Each has a tracer of its own: a stack is shown by the names of its
    functions, and the kernel has those of the livepatch only as long as that is loaded."""
    module.tidy()
    with push_tracer() as before:
        fixed = fetch(net, SHOWN, before, "fixed")
    with module.livepatched(regression), push_tracer() as during:
        broken = fetch(net, SHOWN, during, "broken")
    return Traced(
        with_events(fixed, before.events),
        with_events(broken, during.events),
        before.events + during.events,
        during,
        os.uname().release,
    )
