"""Does `./lab run frag-needed` say of its rounds what happened in them, and of a machine that stood still, nothing?"""

from dataclasses import replace

from labs.cases.frag_needed.judge import HELD_UP_MS, NEEDED, judge, mechanism
from labs.cases.frag_needed.observed import Observed
from labs.measure.rounds import Rounds
from tests.labs.judge import stored

SEEN = stored.known("frag-needed/1", "solution", "1-route-mtu").seen
STALLS, MENDED = SEEN.untouched.sidecar, SEEN.mended.sidecar
STOP_S = 0.04


def stopped_amid_a(seen: Observed) -> Observed:
    """The same with a stop before A has its ICMP. TCP's timers are then served first (__do_softirq()), so that its loss
    probe leaves before the ICMP is met."""
    icmp = seen.icmp_from_balancer("A")[0]
    *_, last = [packet for packet in seen.sent("A") if packet.time_s < icmp.time_s]
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
