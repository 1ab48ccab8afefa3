"""What happens inside the kernel before a packet has a source address, and what does each part take?"""

import os
import socket
import struct
import threading
import time
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from core.draw.flame import Flame
from labs.cases.addr_select.names import NODE, PEER, REPORTED
from labs.cases.addr_select.network import Network, Silent
from labs.cases.addr_select.scores import Choice, addresses_of, choice
from labs.cases.addr_select.workload import Sender
from labs.claims import Claim, Claims
from labs.profile import Profile
from labs.trace.calls import Calls
from labs.trace.expected import Expected, beside, stacks_to_json
from labs.trace.stacks import Comparison
from labs.trace.tracer import Event, Tracer

STACKS = Path(__file__).with_name("expected")
PROGRAM = Path(__file__).with_name("choice.bpf.c")
# In the order of the program's `enum probe`.
PROBES = {
    "on_label": ["__ipv6_addr_label", "ipv6_addr_label"],
    "on_eval": ["ipv6_get_saddr_eval"],
    "after_eval": ["ipv6_get_saddr_eval"],
}
# What the flame graph is cut to, and whose share of it is shown; a name may be inlined elsewhere.
SEND, WALK, LOOKUP = "udpv6_sendmsg", "ipv6_dev_get_saddr", "ipv6_addr_label"
SHOWN = (
    SEND,
    "ip6_dst_lookup_flow",
    "ip6_dst_lookup_tail",
    WALK,
    "__ipv6_dev_get_saddr",
    "ipv6_get_saddr_eval",
    LOOKUP,
    "__ipv6_addr_label",
    "__ipv6_addr_type",
)
FEW = 3  # service addresses, so that every question fits a page
PROFILE_S = 1.0
SENDER = "the sender"
ECHO_REQUEST = 128  # ICMPv6 type, RFC 4443, 4.1

EXPECTED = [
    Expected(STACKS / "1-ping.txt", "A ping looks a label up", SENDER, "__ipv6_addr_label", under="ipv6_get_saddr_eval")
]


@dataclass(frozen=True)
class Part:
    """A function's part in one packet: how often it is called, its share of the time of a send
    (`own`, and with what it calls), and what that is in microseconds of a send that is not sampled."""

    function: str
    calls: int
    own: float
    with_callees: float
    own_us: float

    def to_json(self) -> dict:
        return {
            "calls": self.calls,
            "own": round(self.own, 4),
            "with_callees": round(self.with_callees, 4),
            "own_us": round(self.own_us, 2),
        }


@dataclass(frozen=True)
class Traced(Claims):
    """One ping and one send with few addresses, question by question, and a flame graph with many."""

    events: list[Event]
    choice: Choice
    flame: Flame
    parts: list[Part]
    addresses: int
    tracer: Tracer
    kernel: str

    @cached_property
    def stacks(self) -> list[Comparison]:
        """Each expected stack beside the observed one."""
        return beside(EXPECTED, self.events)

    def part(self, function: str) -> Part:
        return next(part for part in self.parts if part.function == function)

    @property
    def label_share(self) -> float:
        """What part of the walk over the addresses goes into label lookups, with all they call."""
        return self.part(LOOKUP).with_callees / self.part(WALK).with_callees

    @property
    def claims(self) -> list[Claim]:
        """Claims on who is asked, what decides, and where the time goes."""
        decided = self.choice.chosen.decided
        walk = self.part(WALK).with_callees
        return [
            Claim(
                self.choice.chosen.address == NODE and decided == "OIF",
                f"{self.choice.chosen.address} is chosen, by rule 5 of RFC 6724 ({decided})",
            ),
            Claim(
                "LABEL" not in {one.decided for one in self.choice.candidates},
                "rule 6, labels, settles nothing: every lookup has the same answer",
            ),
            Claim(walk > 0.5, f"with {self.addresses} addresses {walk:.0%} of a send is the choice of its source"),
            Claim(self.label_share < 0.5, f"label lookups are {self.label_share:.0%} of that, less than half"),
        ]

    def table(self) -> str:
        """Calls and time of one packet by function."""
        head = f"one send, N = {self.addresses}"
        lines = [f"{head:<26}{'calls':>8}{'with callees':>14}{'own':>8}{'own, us':>10}"]
        lines += [
            f"{part.function:<26}{part.calls:>8}{part.with_callees:>14.1%}{part.own:>8.1%}{part.own_us:>10.1f}"
            for part in self.parts
        ]
        return "\n".join(lines)

    def text(self) -> str:
        """Text for the terminal, at most 80 columns."""
        return "\n".join(
            [
                f"addr-select under the tracers, Linux {self.kernel}",
                *self.tracer.substitutions,
                "",
                *(stack.text() + "\n" for stack in self.stacks),
                f"One send, {FEW} service addresses:",
                "",
                self.choice.text(),
                "",
                self.table(),
                "",
                *self.outcome_lines("as expected"),
            ]
        )

    def __repr__(self) -> str:
        return self.table()

    def to_json(self) -> dict:
        """Plain values."""
        return {
            "case": "addr-select",
            "kernel": self.kernel,
            **self.claimed(),
            "substitutions": self.tracer.substitutions,
            "stacks": stacks_to_json(EXPECTED, self.stacks),
            "choice": self.choice.to_json(),
            "addresses": self.addresses,
            "label_share": round(self.label_share, 4),
            "profile": self.flame.to_json(),
            "parts": {part.function: part.to_json() for part in self.parts},
        }


def choice_tracer() -> Tracer:
    """The tracer of `choice.bpf.c`, not yet attached. Its `watch` takes a thread's id."""
    return Tracer(PROGRAM, PROBES)


def trace() -> Traced:
    """The choice in one network with few addresses, the flame graph in it with many."""
    with Silent() as net:
        return traced(net)


def traced(net: Network, addresses: int = REPORTED) -> Traced:
    """Trace sends in a network at hand that has FEW addresses or less; it gets `addresses`."""
    net.announce(FEW)
    with choice_tracer() as tracer:
        tracer.watch(SENDER, threading.get_native_id())
        echo(net)
        chosen_from = addresses_of(net.node.pid)
        with Sender(net) as sender:
            sender.send()
            sender.seen_source()
    net.announce(addresses)
    flame = profiled(net, addresses)
    return Traced(
        tracer.events, last_choice(tracer, chosen_from), flame, parts(net, flame), addresses, tracer, os.uname().release
    )


def last_choice(tracer: Tracer, addresses: dict[int, str]) -> Choice:
    """The last choice of a trace: from the last time on that nothing was best yet."""
    asked = [event for event in tracer.events if event.function == "ipv6_get_saddr_eval"]
    start = max(number for number, event in enumerate(asked) if not event.value)
    return choice(asked[start:], addresses)


def scores(net: Network, peer: str = PEER) -> Choice:
    """One choice in a network at hand, question by question; better with few addresses."""
    with choice_tracer() as tracer, Sender(net, peer=peer) as sender:
        tracer.watch(SENDER, threading.get_native_id())
        sender.send()
    return last_choice(tracer, addresses_of(net.node.pid))


def echo(net: Network) -> None:
    """One echo request from this thread, as ping sends it: by an unbound raw socket."""
    with net.node.inside():
        raw = socket.socket(socket.AF_INET6, socket.SOCK_RAW, socket.IPPROTO_ICMPV6)
    with raw:
        raw.sendto(struct.pack("!BBHHH", ECHO_REQUEST, 0, 0, 1, 1), (PEER, 0))


def profiled(net: Network, addresses: int, length_s: float = PROFILE_S) -> Flame:
    """Sends for so long of this thread's time; what is below the protocol's sendmsg()."""
    with Sender(net) as sender, Profile(f"One core sends, {addresses} addresses on lo") as profile:
        until = time.thread_time() + length_s
        while time.thread_time() < until:
            sender.send()
    return profile.flame.under(SEND)


def parts(net: Network, flame: Flame) -> list[Part]:
    """Calls of one packet, and shares of the samples, function by function."""
    with Sender(net) as sender:
        send_us = sender.cost().median_us
        with Calls(SHOWN) as calls:
            counted = sender.calls(calls)
    own = flame.own()
    return [
        Part(name, counted[name], own.get(name, 0), flame.with_callees(name), own.get(name, 0) * send_us)
        for name in SHOWN
    ]
