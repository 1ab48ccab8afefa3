"""What happens with an answer to exercise 1? let_in.py judges it.

Whether a packet passes is read from the server's counters, once a ping sent after it has been answered: no packet is
waited for that may never come.
"""

from __future__ import annotations

import re
import socket

from scapy.layers.inet import ICMP

from labs.cases.rtl8139_tso.curing import as_it_is
from labs.cases.rtl8139_tso.let_in import OTHER_ICMP, OTHER_PORTS, Firewall
from labs.cases.rtl8139_tso.names import CLIENT, SERVERS
from labs.cases.rtl8139_tso.network import Network
from labs.cases.rtl8139_tso.workload import download, served
from labs.judge.evidence import Evidence
from labs.judge.exercise import Exercise
from labs.net.counters import counters, moved
from labs.take.script import Taking
from labs.take.settings import RULE, compared, settings


def take_firewall(exercise: Exercise, answer: str) -> Evidence:
    """The answer on a network of its own."""
    taking = Taking(exercise, answer)
    with Network() as net:
        seen, before = Firewall(as_it_is(net)), _without_rules(net)
        with taking.acted(net) as ran:
            if ran:
                seen.opened = served(download(net))
                learnt = re.search(r"mtu (\d+)", net["server"].on("ip", "route", "get", CLIENT))
                seen.learnt_mtu = int(learnt[1]) if learnt else 0
                seen.knocked = knocked(net)
                seen.server = compared("server", before, _without_rules(net))
    return taking.evidence(seen)


def knocked(net: Network) -> dict[str, int]:
    """Which of the server's counters moved while the client and the router tried what was shut."""
    before = counters(net["server"])
    for node in (net.client, net.router):
        with node.inside():
            for port in OTHER_PORTS:
                _knock_tcp(port)
                _knock_udp(port)
            for kind in OTHER_ICMP:
                _knock_icmp(kind)
        node.on("ping", "-c", "1", "-W", "5", SERVERS["server"])
    return moved(before, counters(net["server"]))


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
    with socket.socket(socket.AF_INET, socket.SOCK_RAW, socket.IPPROTO_ICMP) as knocking:
        knocking.sendto(bytes(ICMP(type=kind) / bytes(12)), (SERVERS["server"], 0))


def _without_rules(net: Network) -> list[str]:
    """The server's settings but for firewall rules, and for the path MTUs that it learns meanwhile."""
    return [line for line in settings(net["server"]) if not RULE.match(line)]
