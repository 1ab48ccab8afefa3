"""Is the firewall opened for what it should let in, and for nothing else? And what does that fix?

What an answer to exercise 1 is held to. Whether a packet passes is read from the server's counters, once
a ping sent after it has been answered: no packet is waited for that may never come.
"""

from __future__ import annotations

import re
import socket
import struct

from labs.cases.rtl8139_tso.curing import acted_on, answered, shown_broken
from labs.cases.rtl8139_tso.judge import BOUNDS
from labs.cases.rtl8139_tso.names import CLIENT, NARROW_MTU, SERVERS
from labs.cases.rtl8139_tso.network import Network
from labs.cases.rtl8139_tso.observed import Download
from labs.cases.rtl8139_tso.workload import download
from labs.judge.exercise import Exercise
from labs.judge.verdict import Verdict
from labs.net.counters import counters, moved
from labs.take.script import undisturbed
from labs.take.settings import first_change, settings

OTHER_PORTS = (22, 443, 7001)  # where nothing listens; what a firewall lets in there, the kernel answers and counts
OTHER_ICMP = (4, 5, 9, 11, 12, 13, 17)  # types of RFC 792 and 950 that a host may get, but for 3 and ping's
WORDS = ("slow", "fast")
FASTER = BOUNDS["fast_ratio"]  # than before is no longer "slow"
RULE = re.compile(r"^(:|-[AP] |\*|COMMIT)")


def judge_firewall(exercise: Exercise, answer: str, verdict: Verdict) -> None:
    """Exercise 1: what the router says is heard, nothing else comes in, and the reader said what follows."""
    undisturbed(verdict, lambda: attempt(exercise, answer, verdict))


def attempt(exercise: Exercise, answer: str, verdict: Verdict) -> None:
    """The answer on a network of its own."""
    with Network() as net:
        broken, before = shown_broken(net), _without_rules(net)
        with acted_on(exercise, answer, verdict, net):
            seen = answered(download(net))
            heard(verdict, net, seen)
            closed(verdict, net)
            change = first_change(before, _without_rules(net))
            verdict.expect(
                change is None and seen.above_mss > 0,
                "only the firewall was changed",
                f"more than the firewall was changed: {change or 'the segments are smaller'}",
            )
            predicted(verdict, answer, broken, seen)


def heard(verdict: Verdict, net: Network, seen: Download) -> None:
    """The ICMPs pass, and the kernel has learnt the MTU that they name."""
    came = len(seen.frag_needed)
    verdict.measured.update(icmps=came, heard=seen.heard)
    verdict.expect(
        seen.heard == came > 0,
        f"all {came} ICMPs pass the firewall",
        f'{seen.heard} of {came} ICMPs "fragmentation needed" pass the firewall',
    )
    route = net["server"].on("ip", "route", "get", CLIENT)
    learnt = re.search(r"mtu (\d+)", route)
    verdict.expect(
        learnt is not None and int(learnt[1]) == NARROW_MTU,
        f"the server has learnt {NARROW_MTU}",
        f"the server has learnt {'no MTU' if not learnt else learnt[1]}, expected {NARROW_MTU}",
    )


def closed(verdict: Verdict, net: Network) -> None:
    """What was shut is still shut, to the client and to the router; ping is still answered."""
    before = counters(net["server"])
    for node in (net.client, net.router):
        with node.inside():
            for port in OTHER_PORTS:
                _knock_tcp(port)
                _knock_udp(port)
            for kind in OTHER_ICMP:
                _knock_icmp(kind)
        node.on("ping", "-c", "1", "-W", "5", SERVERS["server"])
    came = moved(before, counters(net["server"]))
    icmp = [str(kind) for kind in OTHER_ICMP if came.get(f"IcmpMsgInType{kind}")]
    verdict.expect(not icmp, "other ICMP stays out", f"the firewall lets in other ICMP too (type {', '.join(icmp)})")
    ports = " or ".join(map(str, OTHER_PORTS))
    for protocol, counter in (("TCP", "TcpOutRsts"), ("UDP", "UdpNoPorts")):
        verdict.expect(
            not came.get(counter),
            f"other ports stay shut to {protocol}",
            f"the firewall lets in {protocol} to port {ports}, where nothing serves",
        )


def _knock_tcp(port: int) -> None:
    """One SYN to a port where nothing listens; the socket does not wait."""
    with socket.socket() as knocking:
        knocking.setblocking(False)
        knocking.connect_ex((SERVERS["server"], port))


def _knock_udp(port: int) -> None:
    """One datagram."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as knocking:
        knocking.sendto(b"knock", (SERVERS["server"], port))


def _knock_icmp(kind: int) -> None:
    """One message of this type, with nothing in it."""
    body = struct.pack("!BBHHH12x", kind, 0, 0, 1, 1)
    words = sum(struct.unpack(f"!{len(body) // 2}H", body))
    checksum = ~(words + (words >> 16)) & 0xFFFF
    with socket.socket(socket.AF_INET, socket.SOCK_RAW, socket.IPPROTO_ICMP) as knocking:
        knocking.sendto(body[:2] + struct.pack("!H", checksum) + body[4:], (SERVERS["server"], 0))


def predicted(verdict: Verdict, answer: str, broken: Download, seen: Download) -> None:
    """The last line of the answer: DOWNLOAD=slow or DOWNLOAD=fast."""
    said = re.findall(r"^DOWNLOAD=(\w*)", answer, re.MULTILINE)
    was = "fast" if seen.rate_kb_s >= FASTER * broken.rate_kb_s else "slow"
    figures = f"{seen.rate_kb_s:.0f} KB/s, before {broken.rate_kb_s:.0f}"
    verdict.measured.update(rate_kb_s=round(seen.rate_kb_s, 1), before_kb_s=round(broken.rate_kb_s, 1))
    if not said or said[-1] not in WORDS:
        verdict.expect(False, "", "the answer does not say what it expects: DOWNLOAD=slow or DOWNLOAD=fast")
    else:
        verdict.expect(
            said[-1] == was, f"expected {was}, and it is: {figures}", f"expected {said[-1]}, and it is {was}: {figures}"
        )


def _without_rules(net: Network) -> list[str]:
    """The server's settings but for firewall rules, and for the path MTUs that it learns meanwhile."""
    return [line for line in settings(net["server"]) if not RULE.match(line)]
