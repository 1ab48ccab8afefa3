"""Is the firewall opened for what it should let in, and for nothing else? And what does that fix?

What an answer to exercise 1 is held to. Whether a packet passes is read from the server's counters, once
a ping sent after it has been answered: no packet is waited for that may never come.
"""

from __future__ import annotations

import re
import socket
import struct

from labs.cases.rtl8139_tso.curing import acted_on, shown_broken
from labs.cases.rtl8139_tso.network import CLIENT, NARROW_MTU, SERVERS, Network
from labs.cases.rtl8139_tso.observed import Download
from labs.cases.rtl8139_tso.workload import download
from labs.judge.exercise import Exercise, first_change, settings
from labs.judge.verdict import Verdict
from labs.net.counters import counters, moved

OTHER_PORT = 7001  # where nothing listens; a firewall that lets it in has the kernel answer with RST
TIMESTAMP_REQUEST = 13  # ICMP, RFC 792; counted as IcmpInTimestamps
WORDS = ("slow", "fast")
FASTER = 3  # times as fast as before is no longer "slow"
RULE = re.compile(r"^(:|-[AP] |\*|COMMIT)")


def judge_firewall(exercise: Exercise, answer: str, verdict: Verdict) -> None:
    """Exercise 1: what the router says is heard, nothing else comes in, and the reader said what follows."""
    with Network() as net:
        broken, before = shown_broken(net), _without_rules(net)
        with acted_on(exercise, answer, verdict, net):
            seen = download(net)
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
    """What was shut is still shut; ping is still answered."""
    before = counters(net["server"])
    with net.client.inside():
        _knock_tcp()
        _knock_icmp()
    net.client.on("ping", "-c", "1", "-W", "5", SERVERS["server"])
    came = moved(before, counters(net["server"]))
    verdict.expect(
        not came.get("IcmpInTimestamps"),
        "other ICMP stays out",
        "the firewall lets in other ICMP too (a timestamp request, type 13)",
    )
    verdict.expect(
        not came.get("TcpOutRsts"),
        "other ports stay shut",
        f"the firewall lets in TCP to port {OTHER_PORT}, where nothing serves",
    )


def _knock_tcp() -> None:
    """One SYN to a port where nothing listens; the socket does not wait."""
    with socket.socket() as knocking:
        knocking.setblocking(False)
        knocking.connect_ex((SERVERS["server"], OTHER_PORT))


def _knock_icmp() -> None:
    """One timestamp request."""
    body = struct.pack("!BBHHH12x", TIMESTAMP_REQUEST, 0, 0, 1, 1)
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
