"""What happens with an answer to exercise 2? cured.py judges it."""

from __future__ import annotations

import random

from core.cases import Exercise
from core.judge.evidence import Evidence
from core.protocol import CONTROL
from labs.cases.rtl8139_tso.cured import Offload
from labs.cases.rtl8139_tso.names import SMALL_MSS
from labs.cases.rtl8139_tso.network import Network
from labs.cases.rtl8139_tso.observed import Download
from labs.cases.rtl8139_tso.remedies import plain_reader, under
from labs.cases.rtl8139_tso.workload import download, served
from labs.measure.spent import spent
from labs.take.script import Taking


def take_offload(exercise: Exercise, answer: str) -> Evidence:
    """The answer on a network of its own."""
    taking = Taking(exercise, answer)
    with Network() as net:
        seen, before = Offload(as_it_is(net)), features(net)
        with taking.acted(net) as ran:
            if ran:
                seen.fixed = served(download(net))
                seen.lost = sorted(before - features(net))
                with plain_reader(net, mss := random.choice(SMALL_MSS)):
                    seen.other = served(download(net, called=f"MSS {mss}, no timestamps"))
    return taking.evidence(seen)


def as_it_is(net: Network) -> Download:
    """A download before the answer acts, and nothing learnt from it."""
    with spent(CONTROL):
        broken = under(net, "as_it_is")
        net.route("server")
    return broken


def features(net: Network) -> set[str]:
    """Names of the offloads that the server's card has on."""
    lines = net["server"].on("ethtool", "-k", "server-eth0").splitlines()[1:]
    return {line.partition(":")[0].strip() for line in lines if line.partition(":")[2].split()[:1] == ["on"]}
