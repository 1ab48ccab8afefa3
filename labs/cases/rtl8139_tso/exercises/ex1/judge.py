"""Is the firewall opened for what it should let in, and for nothing else? And what does that fix?

What the evidence of an answer to exercise 1 is held to.
"""

from dataclasses import dataclass

from core.judge.check import FOUND
from core.judge.evidence import Evidence, Settings
from core.judge.verdict import Verdict
from core.serialization import Damaged
from labs.cases.rtl8139_tso.fault import begun, ends, rates
from labs.cases.rtl8139_tso.judge import BOUNDS, HELD_UP_MS
from labs.cases.rtl8139_tso.names import NARROW_MTU
from labs.cases.rtl8139_tso.observed import Download
from labs.judge.judging import Judge, abstain, require_no_stall, script_in, there

ECHO_REQUEST, UNREACHABLE, NEEDED = 8, 3, 4  # of ICMP: two types, and a code of the second (RFC 792)
# Types and codes that firewalls have names for, and those of RFC 4065 and 8335, but for a ping's requests and for what
# is to be heard; of type 3 the codes of RFC 792, 1122 and 1812. What a rule names is tried besides.
OTHER_ICMP = (
    *((kind, 0) for kind in (*range(19), *range(40, 44)) if kind not in (UNREACHABLE, ECHO_REQUEST)),
    *((UNREACHABLE, code) for code in range(16) if code != NEEDED),
    *((5, 1), (5, 2), (5, 3), (9, 16), (11, 1), (12, 1)),
)
# IP's other protocols that firewalls let in for a tunnel: GRE, ESP, AH; and SCTP, and one for experiments (RFC 3692).
# Nobody here speaks any.
OTHER_PROTOCOLS = (47, 50, 51, 132, 253)
# Where nothing is to come in: what is often opened, and some more that are drawn each time.
PORTS: tuple[int, ...] = (
    20,
    21,
    22,
    23,
    25,
    53,
    67,
    69,
    110,
    111,
    123,
    137,
    139,
    143,
    161,
    389,
    443,
    445,
    465,
    500,
    514,
    546,
    587,
    631,
    853,
)
PORTS += (
    873,
    993,
    1194,
    1433,
    1521,
    1723,
    2049,
    2222,
    3128,
    3306,
    3389,
    4500,
    5000,
    5060,
    5201,
    5353,
    5432,
    5900,
    6379,
    6443,
)
PORTS += (7001, 8000, 8008, 8080, 8443, 8888, 9000, 9090, 9100, 9418, 10000, 11211, 27017, 33434, 51820)
DRAWN = 24  # of the other ports
COUNTED = "IcmpMsgInType"  # and a type: how many the kernel let in (icmpmsg_put() in net/ipv4/proc.c)
WORDS = ("slow", "fast")
FASTER = BOUNDS["fast_ratio"]  # than before is no longer "slow"


@dataclass
class Knocked:
    """Which of the server's counters moved while others tried what was shut: in whose name, and at which ports. After
    it a ping was answered. Then what of that which was open is shut now, which what was kept earlier does not say."""

    names: list[str]
    ports: list[int]
    moved: dict[str, int]
    shut_out: list[str] | None = None


@dataclass
class Firewall:
    """What is seen of an answer, in this order: a download before it and one after it, the path MTU that the server has
    learnt then (0 if none), how others knocked, and what has changed of its settings: of the firewall's rules for what
    it sends or passes on, and beside rules."""

    broken: Download | None = None
    opened: Download | None = None
    learnt_mtu: int | None = None
    knocked: Knocked | None = None
    rules: Settings | None = None
    server: Settings | None = None

    @property
    def whole(self) -> bool:
        """Whether every part of what was to be seen is there."""
        return None not in (self.broken, self.opened, self.learnt_mtu, self.knocked, self.rules, self.server)


def judge(evidence: Evidence, verdict: Verdict) -> None:
    """Exercise 1: what the router says is heard, nothing else comes in, and the reader said what follows."""
    seen: Firewall = begun(evidence, verdict)
    if seen.opened:
        require_no_stall(HELD_UP_MS, seen.opened)
    if seen.learnt_mtu is not None:
        heard(verdict, there(seen.opened), seen.learnt_mtu)
    if seen.knocked is not None:
        closed(verdict, seen.knocked)
    if seen.rules:
        verdict.expect(
            "only-incoming",
            not seen.rules.change,
            "of the firewall only what comes in was changed",
            f"the firewall does more than let something in: {seen.rules.change}",
        )
    if seen.server:
        change, opened = seen.server.change, there(seen.opened)
        verdict.expect(
            "only-the-firewall",
            change is None and opened.above_mss > 0,
            "only the firewall was changed",
            f"more than the firewall was changed: {change or 'the segments are smaller'}",
        )
        predicted(verdict, script_in(evidence).variables, there(seen.broken), opened)
    ends(evidence, verdict)
    if seen.server:
        abstain(verdict, [contradiction(there(seen.broken), there(seen.opened))])


def heard(verdict: Verdict, seen: Download, learnt_mtu: int) -> None:
    """The ICMPs pass, and the kernel has learnt the MTU that they name."""
    came = len(seen.frag_needed)
    verdict.measured.update(icmps=came, heard=seen.heard)
    verdict.expect(
        "icmp-heard",
        seen.heard == came > 0,
        f"all {came} ICMPs pass the firewall",
        f'{seen.heard} of {came} ICMPs "fragmentation needed" pass the firewall',
    )
    verdict.expect(
        "mtu-learnt",
        learnt_mtu == NARROW_MTU,
        f"the server has learnt an MTU of {NARROW_MTU}",
        f"the server has learnt {f'an MTU of {learnt_mtu}' if learnt_mtu else 'no MTU'}",
        expected=f"{NARROW_MTU}",
    )


def closed(verdict: Verdict, knocked: Knocked) -> None:
    """What was shut is still shut, whoever knocks."""
    if not {"client", "router", "stranger"} <= {*knocked.names} or not {*PORTS} < {*knocked.ports}:
        raise Damaged("expected somebody to have knocked in each name, at each port")
    moved = knocked.moved
    kinds = sorted(int(name.removeprefix(COUNTED)) for name in moved if name.startswith(COUNTED) and moved[name])
    of_unreachable = f"{UNREACHABLE} of no connection and about no length"
    icmp = [of_unreachable if kind == UNREACHABLE else f"{kind}" for kind in kinds if kind != ECHO_REQUEST]
    verdict.expect(
        "other-icmp-out",
        not icmp,
        "other ICMP stays out",
        f"the firewall lets in other ICMP too (type {', '.join(icmp)})",
    )
    # The last one counts what was sent to all, and nobody waited for (__udp4_lib_mcast_deliver(), net/ipv4/udp.c).
    datagrams = ("UdpNoPorts", "UdpInDatagrams", "UdpInErrors", "UdpIgnoredMulti")
    for protocol, counters in (("TCP", ("TcpInSegs",)), ("UDP", datagrams)):
        verdict.expect(
            f"{protocol.lower()}-ports-shut",
            not any(moved.get(counter) for counter in counters),
            f"other ports stay shut to {protocol}",
            f"the firewall lets in {protocol} to port {_some(knocked.ports)}",
        )

    # A protocol that the kernel knows, as IGMP, has counters of its own or none; what IP delivers is counted for all.
    known = ("IcmpInMsgs", "TcpInSegs", *datagrams)
    others = moved.get("IpInDelivers", 0) - sum(moved.get(counter, 0) for counter in known)
    verdict.expect(
        "other-protocols-out",
        not moved.get("IpInUnknownProtos") and others <= 0,
        "IP's other protocols stay out",
        f"the firewall lets in another protocol of IP ({', '.join(map(str, OTHER_PROTOCOLS))}, or one that it names)",
    )
    if knocked.shut_out is not None:
        verdict.expect(
            "still-open",
            not knocked.shut_out,
            "what came in before comes in still",
            f"the firewall no longer lets in {' and '.join(knocked.shut_out)}",
        )


def _some(ports: list[int]) -> str:
    """Whatever was asked for, shortened."""
    return f"{ports[0]}, {ports[1]}, or another of {len(ports)}"


def predicted(verdict: Verdict, variables: dict[str, str], broken: Download, seen: Download) -> None:
    """What DOWNLOAD is at the answer's end, by bash: slow or fast, in capitals or not."""
    said = variables.get("DOWNLOAD", "").strip().lower()
    was, figures = "fast" if is_fast(broken, seen) else "slow", rates(broken, seen)
    verdict.measured.update(rate_kb_s=round(seen.rate_kb_s, 1), before_kb_s=round(broken.rate_kb_s, 1))
    if said not in WORDS:
        found = "the answer does not say what it expects: DOWNLOAD=slow or DOWNLOAD=fast"
        verdict.fail("says-download", "DOWNLOAD=slow or DOWNLOAD=fast", found)
    elif not contradiction(broken, seen):
        verdict.expect(
            "download-predicted",
            said == was,
            f"DOWNLOAD={was}, and the download is {was}: {figures}",
            f"DOWNLOAD={said}, and the download is {was}: {figures}",
            expected=f"DOWNLOAD={was}",
            says=FOUND,
        )


def is_fast(broken: Download, seen: Download) -> bool:
    return seen.rate_kb_s >= FASTER * broken.rate_kb_s


def contradiction(broken: Download, seen: Download) -> str:
    """Say that the rate and what makes it say different things of a download, which a machine does that was busy during
    one of the two; empty if they agree."""
    dropped = seen.router("FragFails")
    if is_fast(broken, seen) != bool(dropped):
        return ""
    return f"the download made {rates(broken, seen)}, though the router dropped {dropped or 'no'} packets"


JUDGE = Judge(Firewall, judge)
