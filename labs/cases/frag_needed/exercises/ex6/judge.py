"""Does the client hear the one message, and ignore the other? What the evidence of an answer to exercise 6 is held to.

Both are "fragmentation needed", about a connection of the client's that has a segment in flight. By what they quote the
client's kernel tells them apart, tcp_v4_err() in net/ipv4/tcp_ipv4.c: it wants the addresses and ports of a connection,
and a sequence number from snd_una to snd_nxt, both included. (With nothing in flight that is one number.)

Who is to be ignored need not come so far. RFC 792 has a message quote the IP header and eight bytes, and one with less
goes to no protocol at all (icmp_socket_deliver() in net/ipv4/icmp.c); nor need it be TCP that is quoted. What has to be
in it are the same two hosts.
"""

import re
import struct
from collections.abc import Sequence
from dataclasses import dataclass, field

from core.judge.check import EXPECTED, EXPECTED_FOUND, FOUND
from core.judge.evidence import Evidence
from core.judge.verdict import Verdict, VerdictFinal
from core.serialization import Damaged
from core.wire.dissect import TCP, Segment, segment
from labs.cases.frag_needed.names import CLIENT, VIP
from labs.errors import FAULT, CannotTry
from labs.judge.judging import LACKS_A_PART, Judge, judge_script, observation, script_in

MTU = 1400  # both are to name it
NO_RIGHTS = "what is not the answer's: it makes two packets, it sends none and sets nothing"
# Of the client: how often a destination was unreachable, and twice why that did not matter. What is quoted is of no
# connection, or too short to say (icmp_socket_deliver(), tcp_v4_err()); or it is of one, and the
# sequence number is not from snd_una to snd_nxt.
RECEIVED, NO_CONNECTION, OUT_OF_WINDOW = "IcmpMsgInType3", "IcmpInErrors", "TcpExtOutOfWindowIcmps"
ICMP, FRAG_NEEDED = 1, (3, 4)  # protocol; type and code (RFC 792)


@dataclass
class Sent:
    """A packet that was sent to the client, or why the sender's own kernel `refused` to; which counters of the client's
    moved, and what `ip route get` says there of the service since."""

    packet: bytes
    refused: str = ""
    counters: dict[str, int] = field(default_factory=dict)
    route: str = ""


@dataclass
class Crafted:
    """The packets that the answer was `shown`, the two that it made, and the lengths of the packets with data that the
    client's next connection sent."""

    shown: list[bytes] = field(default_factory=list)
    ignored: Sent | None = None
    heard: Sent | None = None
    next_bytes: list[int] = field(default_factory=list)


@dataclass(frozen=True)
class Quote:
    """What an ICMP error quotes of a TCP segment: the IP header, and the eight bytes that RFC 792 promises."""

    src: str
    dst: str
    sport: int
    dport: int
    seq: int


@dataclass(frozen=True)
class Message:
    """A "fragmentation needed": the MTU that it names (RFC 1191), and of what it quotes the IP protocol and the two
    addresses (None: not even an IP header), and the segment (None: no TCP, or too little of it)."""

    mtu: int
    protocol: int | None = None
    hosts: tuple[str, str] | None = None
    quote: Quote | None = None


def judge(evidence: Evidence, verdict: Verdict) -> None:
    """Exercise 6: one message is taken and shrinks the client's next segments, the other is received and ignored."""
    judge_script(verdict, evidence, NO_RIGHTS)
    seen: Crafted = observation(evidence)
    if not seen.ignored and not seen.heard and not seen.next_bytes:
        last = (script_in(evidence).output.strip().splitlines() or ["nothing"])[-1]
        expected = "two packets in the last line that it prints"
        verdict.fail("two-packets", expected, last[:80], f"{EXPECTED}, found: {FOUND}")
        raise VerdictFinal
    if not (seen.ignored and seen.heard and seen.next_bytes and own(seen.shown)):
        raise Damaged(LACKS_A_PART)
    if max(one.length_bytes for one in own(seen.shown)) <= MTU:
        reason = f"the client's packets have {MTU} bytes at most as it is"
        raise CannotTry(reason, "./lab check frag-needed/6 FILE", FAULT)
    hold_ignored(verdict, seen.ignored, seen)
    if mtu_of(seen.ignored.route) is None:  # it was sent first, and what the client has learnt may be of it
        hold_heard(verdict, seen.heard, seen)


def hold_ignored(verdict: Verdict, sent: Sent, seen: Crafted) -> None:
    """Check that the message to be ignored is about the same two hosts, arrived, and taught the client nothing."""
    said = arrived(verdict, "ignored", sent)
    if not said:
        return
    verdict.expect(
        "ignored-quotes-hosts",
        said.hosts is not None and set(said.hosts) == {CLIENT, VIP},
        "ignored: it quotes a packet between the client and the service",
        "one from {} to {}".format(*said.hosts) if said.hosts else "none",
        expected=f"it to quote a packet between {CLIENT} and {VIP}",
        says=f"ignored: {EXPECTED_FOUND}",
    )
    learnt = mtu_of(sent.route)
    verdict.expect(
        "ignored-learnt-nothing",
        learnt is None,
        "ignored: nothing was learnt from it",
        f"ignored: the client has learnt an MTU of {learnt}"
        + (f": {in_window(said.quote, seen)}" if said.quote else ""),
    )
    why = {
        OUT_OF_WINDOW: "its sequence number is out of the window",
        NO_CONNECTION: "the client has no such connection" if said.quote else "what it quotes is no connection's",
    }
    counted = [f"{reason} ({name})" for name, reason in why.items() if sent.counters.get(name)]
    if not counted and asks_nobody(said):
        counted = ["nobody there is asked about such a packet"]
    verdict.expect(
        "ignored-counted",
        len(counted) == 1,
        f"ignored: {', '.join(counted)}",
        " and ".join(counted) or "neither",
        expected=f"{OUT_OF_WINDOW} or {NO_CONNECTION} to count it at the client",
        says=f"ignored: {EXPECTED_FOUND}",
    )


def asks_nobody(said: Message) -> bool:
    """Whether a message may be ignored without being counted: it quotes a packet that is none of TCP. A protocol that
    has no handler (inet_protos[]) and a ping that nobody has sent (ping_err()) are passed over in silence; so is an
    echo reply of the service's, because no route begins at another host's address (ipv4_update_pmtu())."""
    return said.protocol != TCP


def hold_heard(verdict: Verdict, sent: Sent, seen: Crafted) -> None:
    """Check that the message to be heard arrived, made an exception, and that the next connection keeps to its MTU."""
    said = arrived(verdict, "heard", sent)
    if not said:
        return
    learnt = mtu_of(sent.route)
    verdict.expect(
        "heard-learnt",
        learnt == MTU,
        f"heard: the client has learnt an MTU of {MTU}",
        f"{learnt or 'none'}{why_not(said, sent, seen)}",
        expected=f"the client to learn an MTU of {MTU}",
        says=f"heard: {EXPECTED_FOUND}",
    )
    before, after = max(one.length_bytes for one in own(seen.shown)), max(seen.next_bytes)
    verdict.measured.update(packet_bytes=before, next_packet_bytes=after)
    verdict.expect(
        "heard-next-packets",
        after <= MTU < before,
        f"heard: the next connection's packets have {after} bytes at most, before it was {before}",
        f"heard: the next connection's packets have up to {after} bytes",
        expected=f"{MTU} at most",
    )


def arrived(verdict: Verdict, name: str, sent: Sent) -> Message | None:
    """The message, if it is one that names the MTU, and the client has received it."""
    said = message(sent.packet)
    what = f'{name}: a "fragmentation needed" that names {MTU}'
    found = f"one that names {said.mtu}" if said else "another packet"
    passed = said is not None and said.mtu == MTU
    says = f"{{expected}} was expected, found {FOUND}"
    if not verdict.expect(f"{name}-frag-needed", passed, what, found, expected=what, says=says):
        return None
    count = sent.counters.get(RECEIVED, 0)
    received = verdict.expect(
        f"{name}-received",
        count == 1,
        f"{name}: the client has received it",
        f"{count} times ({RECEIVED}): {sent.refused or 'is an address or a checksum wrong?'}",
        expected="the client's ICMP to receive it once",
        says=f"{name}: {EXPECTED_FOUND}",
    )
    return said if received else None


def why_not(said: Message, sent: Sent, seen: Crafted) -> str:
    """Why the client did not listen, as far as its counters say."""
    quote = said.quote
    if quote and sent.counters.get(OUT_OF_WINDOW):
        return f": {in_window(quote, seen)} ({OUT_OF_WINDOW})"
    if sent.counters.get(NO_CONNECTION):
        ends = f"{quote.src}:{quote.sport} to {quote.dst}:{quote.dport}, no connection" if quote else "no TCP segment"
        return f": it quotes {ends} of the client's ({NO_CONNECTION})"
    return ""


def in_window(quote: Quote, seen: Crafted) -> str:
    """The quoted number, beside those that the client's kernel listens to: the last that it sent is in flight."""
    last = own(seen.shown)[-1]
    end = (last.seq + last.payload_bytes) % (1 << 32)
    return f"it quotes sequence number {quote.seq}, and heard is one from snd_una, {last.seq}, to snd_nxt, {end}"


def own(shown: Sequence[bytes]) -> list[Segment]:
    """The client's segments with data among the packets; the last one is in flight."""
    return [one for one in map(segment, shown) if one and one.src == CLIENT and one.payload_bytes]


def mtu_of(route: str) -> int | None:
    """The MTU that `ip route get` shows, None if it shows none."""
    found = re.search(r"\bmtu (?:lock )?(\d{1,9})\b", route)
    return int(found[1]) if found else None


def message(packet: bytes) -> Message | None:
    """A packet as the message that it is, None if it is another."""
    body = _after_ip(packet, ICMP)
    if len(body) < 8 or (body[0], body[1]) != FRAG_NEEDED:
        return None
    mtu, quoted = int.from_bytes(body[6:8], "big"), body[8:]
    if len(quoted) < 20:
        return Message(mtu)
    src, dst = (".".join(map(str, quoted[at : at + 4])) for at in (12, 16))
    begins = _after_ip(quoted, TCP)
    quote = Quote(src, dst, *struct.unpack_from("!HHI", begins)) if len(begins) >= 8 else None
    return Message(mtu, quoted[9], (src, dst), quote)


def _after_ip(packet: bytes, protocol: int) -> bytes:
    """What follows the IPv4 header of a packet of this protocol, nothing if it is none."""
    header = (packet[0] & 15) * 4 if packet else 0
    return packet[header:] if 20 <= header <= len(packet) and packet[9] == protocol else b""


JUDGE = Judge(Crafted, judge)
