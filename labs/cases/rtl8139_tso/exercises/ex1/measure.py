"""What happens with an answer to exercise 1? judge.py judges it."""

import re

from core.cases import Exercise
from core.judge.evidence import Evidence
from labs.cases.rtl8139_tso.exercises.ex1.judge import Firewall
from labs.cases.rtl8139_tso.exercises.ex1.knocking import knocked
from labs.cases.rtl8139_tso.names import CLIENT
from labs.cases.rtl8139_tso.network import Network
from labs.cases.rtl8139_tso.remedies import as_it_is
from labs.cases.rtl8139_tso.workload import download, served
from labs.take.script import Taking
from labs.take.settings import RULE, compared, settings

# Rules for what the server sends or passes on, and those that change a packet, wherever.
CHANGES = "TCPMSS|TCPOPTSTRIP|DSCP|TOS|TTL|HL|ECN|CHECKSUM"
NOT_FOR_WHAT_COMES_IN = re.compile(rf"{RULE.pattern}((-A |:)(OUTPUT|FORWARD|POSTROUTING)\b|.* -j ({CHANGES})\b)")


def take(exercise: Exercise, answer: str) -> Evidence:
    """The answer on a network of its own."""
    taking = Taking(exercise, answer, variables=("DOWNLOAD",))
    with Network() as net:
        seen, before = Firewall(as_it_is(net)), settings(net["server"])
        with taking.answer_applied(net) as finished:
            if finished:
                seen.opened = served(download(net))
                learnt = re.search(r"mtu (\d+)", net["server"].on("ip", "route", "get", CLIENT))
                seen.learnt_mtu = int(learnt[1]) if learnt else 0
                seen.knocked = knocked(net, "\n".join(filter_of(settings(net["server"]), RULE)))
                after = settings(net["server"])
                seen.rules = compared("server", *(filter_of(each, NOT_FOR_WHAT_COMES_IN) for each in (before, after)))
                seen.server = compared("server", *(without_rules(each) for each in (before, after)))
    return taking.evidence(seen)


def filter_of(lines: list[str], of: re.Pattern) -> list[str]:
    """The lines that begin so."""
    return [line for line in lines if of.match(line)]


def without_rules(lines: list[str]) -> list[str]:
    """The settings but for firewall rules, and for the path MTUs that the server learns meanwhile."""
    return [line for line in lines if not RULE.match(line)]
