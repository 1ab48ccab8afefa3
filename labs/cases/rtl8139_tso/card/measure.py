"""What does the server's card do, chosen or fixed by an answer to exercise 4 or 5? judge.py judges it.

The answer has made another machine of this guest before we come.
"""

from dataclasses import replace

from core.cases import Exercise
from core.judge.evidence import Evidence
from labs.cases.rtl8139_tso.card.judge import TURNS, CardDownloads, Turn, drawn, drawn_plain
from labs.cases.rtl8139_tso.names import CLAMPED_MSS
from labs.cases.rtl8139_tso.network import OtherCard
from labs.cases.rtl8139_tso.observed import Download
from labs.cases.rtl8139_tso.remedies import client_with, without_timestamps
from labs.cases.rtl8139_tso.workload import download, intact, served
from labs.take.script import Taking, control


def take(server: str, exercise: Exercise, answer: str) -> Evidence:
    """Downloads with each MSS, by readers with timestamps and without, one on the server's link, and some by turns with
    the control's server."""
    taking, seen = Taking(exercise, answer), CardDownloads()
    with OtherCard() as net, taking.network_errors_noted():
        for mss in drawn():
            net.clamp(mss)
            seen.asked.append(_telling(download(net, called=f"MSS {mss}")))
        for mss in drawn_plain():
            with client_with(net, mss, timestamps=False):
                seen.plain.append(_telling(download(net, called=f"MSS {mss}, no timestamps")))
        with without_timestamps(net.router):  # or the headers leave no room for more than 1448 bytes
            seen.on_the_link = _telling(download(net, at="router", called="on the server's link"))
        seen.intact = intact(net)
        net.clamp(CLAMPED_MSS)
        for _ in range(TURNS):
            own = served(download(net))
            with control():
                other = served(download(net, server))
            seen.turns.append(Turn(replace(own, packets=[], pcap=b""), replace(other, packets=[], pcap=b"")))
    return taking.evidence(seen)


def _telling(seen: Download) -> Download:
    """A download in which something came, without the reader's bare acknowledgments: they say nothing of the card, and
    a card that cuts to a tenth makes evidence ten times as large."""
    telling = [packet for packet in served(seen).packets if packet.payload_bytes or packet.mss or packet.is_icmp]
    return replace(seen, packets=telling, pcap=b"")
