"""What happens with an answer to exercise 2? judge.py judges it."""

import random

from core.cases import Exercise
from core.judge.evidence import Evidence
from labs.cases.rtl8139_tso.exercises.ex2.judge import Offload
from labs.cases.rtl8139_tso.names import SMALL_MSS
from labs.cases.rtl8139_tso.network import Network
from labs.cases.rtl8139_tso.remedies import as_it_is, client_with
from labs.cases.rtl8139_tso.workload import download, served
from labs.take.script import Taking


def take(exercise: Exercise, answer: str) -> Evidence:
    """The answer on a network of its own."""
    taking = Taking(exercise, answer)
    with Network() as net:
        seen, before = Offload(as_it_is(net)), features(net)
        with taking.answer_applied(net) as finished:
            if finished:
                seen.fixed = served(download(net))
                seen.lost = sorted(before - features(net))
                with client_with(net, mss := random.choice(SMALL_MSS), timestamps=False):
                    seen.other = served(download(net, called=f"MSS {mss}, no timestamps"))
                with client_with(net, mss := min(SMALL_MSS)):  # timestamps make its segments smaller still
                    seen.smallest = served(download(net, called=f"MSS {mss}"))
    return taking.evidence(seen)


def features(net: Network) -> set[str]:
    """Names of the offloads that the server's card has on."""
    lines = net["server"].on("ethtool", "-k", "server-eth0").splitlines()[1:]
    return {line.partition(":")[0].strip() for line in lines if line.partition(":")[2].split()[:1] == ["on"]}
