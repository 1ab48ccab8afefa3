"""Does `./lab run frag-needed` say of its rounds what happened in them, and of a machine that stood still, nothing?"""

from dataclasses import replace

from labs.cases.frag_needed.judge import HELD_UP_MS, NEEDED, judge, mechanism
from labs.cases.frag_needed.names import TUNNEL_MTU
from labs.cases.frag_needed.observed import Observed
from labs.measure.rounds import Rounds
from tests.labs.judge import stored

SEEN = stored.known("frag-needed/1", "solution", "1-route-mtu").seen
STALLS, MENDED = SEEN.untouched.sidecar, SEEN.mended.sidecar
STOP_S = 0.04


def stopped_amid_a(seen: Observed, which: int = 0) -> Observed:
    """The same with a stop before A has its ICMP. TCP's timers are then served first (__do_softirq()), so that a
    segment leaves once more before the ICMP is met: the first, as after a timeout, or the last (-1), as a loss probe.
    """
    icmp = seen.icmp_from_balancer("A")[0]
    last = [packet for packet in seen.sent("A") if packet.time_s < icmp.time_s][which]
    later = [replace(each, time_s=each.time_s + STOP_S * (each.time_s >= icmp.time_s)) for each in seen.packets]
    probe = replace(last, time_s=icmp.time_s + STOP_S - 0.0005, retransmission=True)
    a, *others = seen.exchanges
    a = replace(a, waited_ms=a.waited_ms + STOP_S * 1e3, held_up_ms=STOP_S * 1e3)
    exchanges = [a, *(replace(each, at_s=each.at_s + STOP_S) for each in others)]
    return replace(seen, exchanges=exchanges, packets=sorted([*later, probe], key=lambda packet: packet.time_s))


def test_a_round_in_which_the_machine_stood_still_amid_a_does_not_count():
    assert all(holds for holds, _ in mechanism(STALLS))
    stopped = stopped_amid_a(STALLS)
    assert [what for holds, what in mechanism(stopped) if not holds] == ["A's segment is sent again right after it"]
    rounds = Rounds([stopped, STALLS, STALLS], HELD_UP_MS, NEEDED)
    assert not rounds.missing
    claims = judge({"sidecar": rounds}, {"sidecar": Rounds([MENDED], HELD_UP_MS, 1)})
    assert all(claim.holds for claim in claims), [claim.what for claim in claims if not claim.holds]


def test_a_loss_probe_is_not_what_was_refused_sent_again():
    """Through the sidecar it is A's last, short segment, which fitted: that it leaves before the ICMP is met says that
    the machine is slow, whether it stood still or not."""
    probed = stopped_amid_a(STALLS, -1)
    assert any(packet.retransmission and packet.length_bytes < TUNNEL_MTU for packet in probed.sent("A"))
    assert all(holds for holds, _ in mechanism(probed))
