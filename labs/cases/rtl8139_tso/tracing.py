"""What does the kernel ask the card for, and what does it make of the router's ICMP?

Two downloads under the tracer, with the firewall open: one as it is, one with a locked MTU of 1500, so
that the lock alone differs. Beside the kernel's own words (gso_size, DF, the MSS that an ICMP leaves)
stands what arrived at the router's card.
"""

import os
from collections import Counter
from dataclasses import asdict, dataclass
from functools import cached_property
from pathlib import Path

from labs.cases.rtl8139_tso.names import NARROW_MTU
from labs.cases.rtl8139_tso.network import Network
from labs.cases.rtl8139_tso.observed import OPTIONS_BYTES, Download
from labs.cases.rtl8139_tso.remedies import under
from labs.claims import Claim, Claims
from labs.trace.expected import Expected, beside, stacks_to_json
from labs.trace.stacks import Comparison
from labs.trace.tracer import Event, Tracer

STACKS = Path(__file__).with_name("expected")
PROGRAM = Path(__file__).with_name("segments.bpf.c")
# In the order of the program's `enum probe`; further names are of other kernels.
PROBES = {
    "on_start_xmit": ["cp_start_xmit"],
    "on_local_out": ["__ip_local_out"],
    "on_retransmit": ["tcp_retransmit_skb"],
    "on_v4_err": ["tcp_v4_err"],
    "on_sync_mss": ["tcp_sync_mss"],
    "on_simple_retransmit": ["tcp_simple_retransmit"],
}
HEADERS_BYTES = 40 + OPTIONS_BYTES  # of each data segment: IPv4, TCP, and its timestamps
# What cp_tx() takes for a count of collisions (TxColCntShift and its mask in 8139cp.c): of a large send
# the low four bits of gso_size, of any other packet of TCP the bits that ask for its two checksums.
COLLISION_BITS, CHECKSUMS_AS_COLLISIONS = 0xF, 5
PMTUDISC = {0: "DONT", 1: "WANT", 2: "DO"}  # include/uapi/linux/in.h, IP_PMTUDISC_…


def segments_tracer() -> Tracer:
    """The tracer of `segments.bpf.c`, not yet attached."""
    return Tracer(PROGRAM, PROBES)


@dataclass(frozen=True)
class Send:
    """One packet as the kernel handed it to the driver, and the payloads that came of it.

    `gso_size` is the segment size asked for, 0 if it is a single segment. `again` says that TCP sent
    these bytes before.
    """

    seq: int
    payload_bytes: int
    gso_size: int
    again: bool
    arrived: tuple[int, ...]

    @property
    def asked(self) -> tuple[int, ...]:
        """The payloads that the kernel asked for."""
        if not self.gso_size:
            return (self.payload_bytes,)
        full, rest = divmod(self.payload_bytes, self.gso_size)
        return (self.gso_size,) * full + ((rest,) if rest else ())


@dataclass(frozen=True)
class Watched:
    """One download, what the kernel did meanwhile, and how the two belong together."""

    seen: Download
    events: list[Event]

    def of(self, function: str) -> list[Event]:
        return [event for event in self.events if event.function == function]

    @cached_property
    def sends(self) -> list[Send]:
        """Every packet with data, in the order in which the driver got it, which the wire keeps."""
        events, isn, arrived = self.of("cp_start_xmit"), 0, list(self.seen.data)
        sends, highest = [], 1
        for event in events:
            number, payload = event.value & 0xFFFFFFFF, (event.detail & 0xFFFF) - HEADERS_BYTES
            if event.value >> 32:
                isn = number
            elif payload > 0:
                seq = (number - isn) & 0xFFFFFFFF
                sends.append(Send(seq, payload, event.detail >> 16, seq < highest, _taken(arrived, seq, payload)))
                highest = max(highest, seq + payload)
        return sends

    def log(self) -> list[dict]:
        """The events as plain values, without their stacks: there are thousands of frames."""
        return [{name: value for name, value in asdict(event).items() if name != "stack"} for event in self.events]

    @property
    def large(self) -> list[Send]:
        """The sends that the card was to cut."""
        return [send for send in self.sends if send.gso_size]

    @property
    def counted_collisions(self) -> int:
        """What the driver must have counted for the packets that it was handed."""
        return sum(event.detail >> 16 & COLLISION_BITS or CHECKSUMS_AS_COLLISIONS for event in self.of("cp_start_xmit"))

    @property
    def by_lock_and_df(self) -> Counter[tuple[bool, str, bool]]:
        """(route's MTU locked, the socket's pmtudisc, DF set) of every packet of the connection."""
        return Counter(
            (bool(event.detail & 1), PMTUDISC.get(event.detail >> 1, "?"), bool(event.value))
            for event in self.of("__ip_local_out")
        )

    @property
    def mtu_reductions(self) -> list[Event]:
        """The connection's MTU and MSS: by tcp_sync_mss() below an ICMP, here or when the socket is let go."""
        return [event for event in self.of("tcp_sync_mss") if event.functions[1] == "tcp_v4_mtu_reduced"]


def _taken(arrived: list, seq: int, payload_bytes: int) -> tuple[int, ...]:
    """Takes the frames with these bytes off the list of those that arrived."""
    sizes: list[int] = []
    while arrived and seq <= arrived[0].seq < seq + payload_bytes and sum(sizes) < payload_bytes:
        sizes.append(arrived.pop(0).payload_bytes)
    return tuple(sizes)


def expected(events: list[Event]) -> list[Expected]:
    """The stacks that should be seen. The ICMP's way ends in one of two, by whether nginx held the socket then."""
    late = any(event.function == "tcp_simple_retransmit" and event.under("tcp_release_cb") for event in events)

    def stack(file: str, title: str, function: str, under: str = "") -> Expected:
        return Expected(STACKS / f"{file}.txt", title, "server", function, under)

    return [
        stack("1-large-send", "sendfile() fills a packet that the card is to cut", "cp_start_xmit", "do_sendfile"),
        stack("2-heard", "The router's ICMP is heard", "tcp_v4_err"),
        stack(
            "3-nothing-lost-later" if late else "3-nothing-lost",
            "And nothing is taken for lost",
            "tcp_simple_retransmit",
        ),
        stack("4-sent-again", "It is sent again when an ACK shows the gap", "tcp_retransmit_skb", "tcp_ack"),
        stack("5-dont-fragment", "DF is decided for each packet", "__ip_local_out", "tcp_write_xmit"),
    ]


@dataclass(frozen=True)
class Traced(Claims):
    """The download as it is (with the firewall open), and with a locked MTU."""

    plain: Watched
    locked: Watched
    tracer: Tracer
    kernel: str

    @cached_property
    def stacks(self) -> list[Comparison]:
        """Each expected stack beside the observed one, tail calls proven by the kernel's code."""
        return beside(expected(self.plain.events), self.plain.events)

    @property
    def claims(self) -> list[Claim]:
        from labs.cases.rtl8139_tso.claims import claims

        return claims(self.plain, self.locked)

    def wire(self, count: int = 12) -> str:
        """What was asked for and what arrived, of the first packets with data."""
        lines = [f"{'byte':>7}  {'asked for':<34}{'arrived':<30}"]
        for send in self.plain.sends[:count]:
            lines.append(
                f"{send.seq:7}  {_sizes(send.asked) + (', again' if send.again else ''):<34}"
                f"{_sizes(send.arrived):<30}".rstrip()
            )
        return "\n".join(lines)

    def icmps(self) -> str:
        """What the kernel did about the ICMPs: the first, and how many there were."""
        first = self.plain.of("tcp_v4_err")[0]
        since = [
            event
            for event in self.plain.events
            if event.time_s >= first.time_s
            and event.function in ("tcp_v4_err", "tcp_sync_mss", "tcp_simple_retransmit")
        ]
        lines = [f"{'ms':>8}  {'function entered':<24}{'value':>7}{'MSS':>7}"]
        for event in since[:8]:
            mss = "" if event.function == "tcp_v4_err" else event.detail
            lines.append(f"{(event.time_s - first.time_s) * 1e3:8.2f}  {event.function:<24}{event.value:>7}{mss:>7}")
        return "\n".join([*lines, f"… and {len(since) - 8} more" if len(since) > 8 else ""]).rstrip()

    def text(self) -> str:
        """Text for the terminal, at most 80 columns."""
        head = [
            f"rtl8139-tso under the tracer, Linux {self.kernel}",
            f"attached in {self.tracer.attach_s:.1f} s, no event lost",
            *self.tracer.substitutions,
            "",
            "Payload as the kernel asked for it, and as it arrived at the router",
            self.wire(),
            "",
            "value: MTU, or segments taken for lost",
            self.icmps(),
            "",
        ]
        stacks = [stack.text() + "\n" for stack in self.stacks]
        return "\n".join([*head, *stacks, *self.outcome_lines("as expected")])

    def __repr__(self) -> str:
        return f"{self.wire()}\n\n{self.icmps()}"

    def to_json(self) -> dict:
        """Plain values."""

        def sizes(sends: list[Send]) -> list:
            ways = Counter((send.asked, send.arrived, send.again) for send in sends)
            return [
                {"asked": asked, "arrived": arrived, "again": again, "times": times}
                for (asked, arrived, again), times in ways.most_common()
            ]

        return {
            "case": "rtl8139-tso",
            "kernel": self.kernel,
            **self.claimed(),
            "attach_s": round(self.tracer.attach_s, 2),
            "substitutions": self.tracer.substitutions,
            "narrow_mtu": NARROW_MTU,
            "gso_size": max((send.gso_size for send in self.plain.large), default=0),
            "large": len(self.plain.large),
            "single": len(self.plain.sends) - len(self.plain.large),
            "sends": sizes(self.plain.sends),
            "locked_sends": sizes(self.locked.sends)[:10],
            "collisions": {"counted": self.plain.counted_collisions, "driver": self.plain.seen.collisions},
            "icmps": len(self.plain.of("tcp_v4_err")),
            "mss_told": len(self.plain.mtu_reductions),
            "stacks": stacks_to_json(expected(self.plain.events), self.stacks),
        }


def _sizes(sizes: tuple[int, ...]) -> str:
    """1308 + 1308; of many alike, 9 x 1308."""
    runs: list[list[int]] = []
    for size in sizes:
        if runs and runs[-1][1] == size:
            runs[-1][0] += 1
        else:
            runs.append([1, size])
    return " + ".join(f"{times} x {size}" if times > 2 else " + ".join([str(size)] * times) for times, size in runs)


def traced(net: Network) -> Traced:
    """Trace both downloads, each under a tracer of its own."""
    watched = []
    for key in ("opened", "mtu_lock_1500"):
        with segments_tracer() as tracer:
            seen = under(net, key, tracer)
        watched.append(Watched(seen, tracer.events))
    plain, locked = watched
    return Traced(plain, locked, tracer, os.uname().release)
