"""What happens inside the kernel during A's exchange, and what during B's?"""

import os
from dataclasses import asdict, dataclass
from functools import cached_property
from pathlib import Path

from labs.cases.frag_needed.network import Network
from labs.cases.frag_needed.observed import Observed
from labs.cases.frag_needed.workload import direct
from labs.claims import Claim, Claims
from labs.trace.expected import Expected, beside, stacks_to_json
from labs.trace.stacks import Comparison
from labs.trace.tracer import Event, Tracer

STACKS = Path(__file__).with_name("expected")
PROGRAM = Path(__file__).with_name("stall.bpf.c")
# In the order of the program's `enum probe`; further names are of other kernels.
PROBES = {
    "on_icmp_send": ["__icmp_send", "icmp_send"],
    "on_v4_err": ["tcp_v4_err"],
    "on_mtu_reduced": ["tcp_v4_mtu_reduced"],
    "on_simple_retransmit": ["tcp_simple_retransmit"],
    "on_retransmit": ["tcp_retransmit_skb"],
    "on_wakeup": ["tcp_write_wakeup"],
    "on_send_check": ["tcp_v4_send_check"],
}


def stall_tracer() -> Tracer:
    """The tracer of `stall.bpf.c`, not yet attached."""
    return Tracer(PROGRAM, PROBES)


EXPECTED = [
    Expected(STACKS / "1-icmp-to-itself.txt", "B's segment is refused in B's own call", "B", "__icmp_send"),
    Expected(STACKS / "2-comes-back-inside.txt", "The ICMP comes back inside that call", "B", "tcp_v4_err"),
    Expected(STACKS / "3-deferred.txt", "B: the socket was owned, so later", "B", "tcp_v4_mtu_reduced"),
    Expected(STACKS / "4-at-once.txt", "A: nobody owns the socket, so at once", "A", "tcp_v4_mtu_reduced"),
    Expected(STACKS / "5-sent-again.txt", "A: the segment is sent again", "A", "tcp_retransmit_skb"),
    Expected(STACKS / "6-probe-timer.txt", "B: the probe timer sends it", "B", "tcp_v4_send_check", "tcp_write_wakeup"),
]
IN_A_THREAD = (
    "ksoftirqd received the message to itself, after B's call and not inside it. While that thread has work, "
    "do_softirq() leaves it all softirqs (kernel/softirq.c, ksoftirqd_running()): the processor was busy. B waits all "
    "the same, but this is not the path in the report"
)
ORDER = {
    "A": ["tcp_v4_err", "tcp_v4_mtu_reduced", "tcp_simple_retransmit", "tcp_retransmit_skb"],
    "B": ["__icmp_send", "tcp_v4_err", "tcp_v4_mtu_reduced", "tcp_simple_retransmit", "tcp_write_wakeup"],
}


@dataclass(frozen=True)
class Traced(Claims):
    """The direct client's exchanges, and what the kernel did meanwhile."""

    seen: Observed
    events: list[Event]
    tracer: Tracer
    kernel: str

    @cached_property
    def stacks(self) -> list[Comparison]:
        """Each expected stack beside the observed one, tail calls proven by the kernel's code."""
        return beside(EXPECTED, self.events)

    @property
    def missing(self) -> str:
        """Why the report's path was not to be seen this time; "" if it was.

        A processor that has more softirqs than it gets done at once hands them to a thread, and as long as that one has
        work, new ones too. By the time at which the message is received there, B's socket has no owner.
        """
        told = next((event for event in self.of("B") if event.function == "tcp_v4_err"), None)
        return IN_A_THREAD if told and told.under("run_ksoftirqd") else ""

    @property
    def claims(self) -> list[Claim]:
        """Claims on the order of events, and on what was in flight."""
        return [self._order("A"), self._order("B"), self._in_flight("A", 1), self._in_flight("B", 0)]

    def of(self, connection: str) -> list[Event]:
        """Events of one connection, from its first ICMP on."""
        events = [event for event in self.events if event.connection == connection]
        start = next(
            (number for number, event in enumerate(events) if event.function in ("__icmp_send", "tcp_v4_err")),
            len(events),
        )
        return events[start:]

    def _order(self, connection: str) -> Claim:
        first = list(
            dict.fromkeys(
                event.function for event in self.of(connection) if event.function in set(sum(ORDER.values(), []))
            )
        )
        return Claim(first == ORDER[connection], f"{connection}: {', then '.join(first) or 'nothing'}")

    def _in_flight(self, connection: str, least: int) -> Claim:
        counts = [event.value for event in self.of(connection) if event.function == "tcp_simple_retransmit"]
        holds = bool(counts) and (min(counts) >= 1 if least else max(counts) == 0)
        return Claim(holds, f"{connection}: segments in flight at tcp_simple_retransmit(): {counts}")

    def timeline(self) -> str:
        """What happened to A and to B, in milliseconds from each one's first ICMP."""
        lines = [f"{'ms':>9}    {'function entered':<26}{'value':>6}   called by"]
        for connection in ORDER:
            events = self.of(connection)
            for event in events:
                since_ms = (event.time_s - events[0].time_s) * 1e3
                caller = (event.functions + ["", ""])[1]
                lines.append(f"{since_ms:9.2f}  {connection} {event.function:<26}{event.value:>6}   {caller}")
        return "\n".join(lines)

    def text(self) -> str:
        """Text for the terminal, at most 80 columns."""
        head = [
            f"frag-needed under the tracers, Linux {self.kernel}",
            f"attached in {self.tracer.attach_s:.1f} s, no event lost",
            *self.tracer.substitutions,
            "",
            "value: MTU of the ICMP, or segments in flight",
            self.timeline(),
            "",
        ]
        stacks = [stack.text() + "\n" for stack in self.stacks]
        return "\n".join([*head, *stacks, *self.outcome_lines("as expected")])

    def __repr__(self) -> str:
        return self.timeline()

    def to_json(self) -> dict:
        """Plain values."""
        return {
            "case": "frag-needed",
            "kernel": self.kernel,
            **self.claimed(),
            "attach_s": round(self.tracer.attach_s, 2),
            "substitutions": self.tracer.substitutions,
            "stacks": stacks_to_json(EXPECTED, self.stacks),
            "events": [asdict(event) for event in self.events],
        }


def traced(net: Network) -> Traced:
    """A's and B's first exchange, past the sidecar, under the tracer."""
    with stall_tracer() as tracer:
        seen = direct(net, "AB", tracer)
    return Traced(seen, tracer.events, tracer, os.uname().release)
