"""Does the evidence of an answer to frag-needed/4 come to the verdict that it should?"""

from dataclasses import replace

import pytest

from core.judge.evidence import Evidence, Script, Settings
from core.wire.packet import Packet
from labs.cases.frag_needed.exercises.ex4.judge import EXPIRES_S, LEARNING, ROUNDS, SINCE, Lasting
from labs.cases.frag_needed.names import CLIENT, VIP
from labs.cases.frag_needed.observed import Exchange, Observed
from labs.errors import RAN_ON
from labs.judge.judging import picture, verdict_on, verdict_on_file
from tests.labs.judge.made import TO_SELF
from tests.labs.judge.stored import failed

WAITS_MS = dict.fromkeys((*LEARNING, *SINCE), 10.0) | {"B learns": 240.0}


def observed(waits_ms: dict = WAITS_MS, payload_bytes: int = 1428, asked_in: tuple = ("B learns",)) -> Observed:
    """Exchanges a second apart; a segment leaves in each, and in some an ICMP comes."""
    names = list(WAITS_MS)
    segment = Packet(0, CLIENT, VIP, "tcp", interface="client-eth0", payload_bytes=1428)
    sizes = [payload_bytes if name in SINCE else 1428 for name in names]
    packets = [replace(segment, time_s=at + 0.002, payload_bytes=size) for at, size in enumerate(sizes)]
    packets += [replace(TO_SELF, time_s=names.index(name) + 0.001) for name in asked_in]
    exchanges = [Exchange(name, name[0], 1448, float(at), waits_ms[name]) for at, name in enumerate(names)]
    return Observed(exchanges, packets, {})


KEPT = f"{VIP} dev client-eth0 src {CLIENT} uid 0 \n    cache expires 2sec mtu 1480"
ROUTES = [KEPT, *[KEPT.replace("expires 2sec ", "")] * (2 * ROUNDS)]
AS_SET = str(EXPIRES_S)
LASTING = Lasting(observed(), [AS_SET] * 3, [], ROUTES, 0)
RIGHT = Evidence(
    "frag-needed/4", "on client true", "6.1", Script(0, ""), [Settings("balancer"), Settings("server")], "", LASTING
)


def seen(*words, **changed) -> Evidence:
    return replace(RIGHT, seen=replace(RIGHT.seen, observed=observed(*words, **changed)))


def between(*times_s: float) -> Evidence:
    """ICMPs at these times, which come out of the client and to it."""
    told = [replace(TO_SELF, time_s=at_s, outgoing=outgoing) for at_s in times_s for outgoing in (True, False)]
    packets = sorted([*LASTING.observed.packets, *told], key=lambda packet: packet.time_s)
    return replace(RIGHT, seen=replace(LASTING, observed=replace(LASTING.observed, packets=packets)))


def test_who_writes_again_what_is_there_changes_nothing():
    assert verdict_on(replace(RIGHT, seen=replace(LASTING, written=[AS_SET]))).verdict == "PASS"


def test_what_is_right_passes():
    for verdict in (verdict_on(RIGHT), verdict_on_file(RIGHT.text().encode())):
        assert verdict.verdict == "PASS" and len(verdict.reasons) == 10, verdict.text()


LATER = "B after expiry 2"


@pytest.mark.parametrize(
    "evidence, id",
    [
        (seen(WAITS_MS | {LATER: 230.0}), "no-stall"),
        (seen(asked_in=("B learns", LATER)), "no-frag-needed"),
        (seen(payload_bytes=48), "full-segments"),
        (replace(RIGHT, seen=replace(LASTING, expires=[AS_SET, "600", AS_SET])), "expiry-unchanged"),
        (replace(RIGHT, seen=replace(LASTING, written=["600", AS_SET])), "expiry-unchanged"),
        (
            replace(RIGHT, seen=replace(LASTING, routes=[KEPT.replace("2sec", "595sec"), *ROUTES[1:]])),
            "exceptions-expire",
        ),
        (replace(RIGHT, seen=replace(LASTING, fragments=8)), "no-fragments"),
        (between(1.5), "no-frag-needed"),
        (between(2.5, 2.6, 9.5), "no-frag-needed"),
        (replace(RIGHT, unanswered="reset", seen=Lasting()), "requests-answered"),
    ],
)
def test_what_is_wrong_fails_for_its_reason(evidence, id):
    verdict = verdict_on(evidence)
    assert verdict.verdict == "FAIL" and id in failed(verdict), verdict.text()


@pytest.mark.parametrize(
    "changed",
    [
        replace(LASTING, expires=[AS_SET] * 2),
        replace(LASTING, routes=ROUTES[1:]),
        replace(LASTING, fragments=None),
        replace(LASTING, observed=replace(LASTING.observed, exchanges=LASTING.observed.exchanges[:-1])),
        replace(LASTING, observed=None),
    ],
)
def test_a_part_that_is_missing_could_not_tell(changed):
    verdict = verdict_on_file(replace(RIGHT, seen=changed).text().encode())
    assert verdict.verdict == "COULD NOT TELL" and "it lacks a part" in verdict.reasons[0]


@pytest.mark.parametrize(
    "waited_ms, deserved", [(60, "PASS"), (61, "COULD NOT TELL"), (199, "COULD NOT TELL"), (200, "FAIL")]
)
def test_a_wait_that_no_timer_ended_is_no_stall(waited_ms, deserved):
    """A right answer's A once took 89 ms beside a stall of 234, on a machine with ten others' work."""
    verdict = verdict_on(seen(WAITS_MS | {SINCE[0]: float(waited_ms)}))
    assert verdict.verdict == deserved, verdict.text()


def test_a_slow_machine_hides_no_other_fault():
    assert verdict_on(seen(WAITS_MS | {SINCE[0]: 89.0}, 1428, ("B learns", LATER))).verdict == "FAIL"


def late(by_s: float, script_s: float, *asked_in: str) -> Evidence:
    """All since the answer acted happens so many seconds later; the script itself took that long; ICMPs come there."""
    then = observed(WAITS_MS | {"A before expiry 1": 460.0}, asked_in=("B learns", *asked_in))
    moved = [replace(each, at_s=each.at_s + by_s) if each.name in SINCE else each for each in then.exchanges]
    first_s = then[SINCE[0]].at_s
    packets = [replace(each, time_s=each.time_s + by_s * (each.time_s >= first_s)) for each in then.packets]
    seen = replace(LASTING, observed=replace(then, exchanges=moved, packets=packets))
    return replace(RIGHT, script=Script(0, "", took_s=script_s), seen=seen)


@pytest.mark.parametrize(
    "evidence, deserved",
    [
        (late(EXPIRES_S, 1, *SINCE[:2]), "COULD NOT TELL"),
        (late(EXPIRES_S, EXPIRES_S, *SINCE[:2]), "COULD NOT TELL"),  # a script of 0.7 s, nine times slower
        (late(EXPIRES_S, EXPIRES_S, *SINCE[:2], LATER), "FAIL"),  # told again, however late the first round was
        (late(0, 1, *SINCE[:2]), "FAIL"),  # in time, and told
    ],
)
def test_who_acts_after_the_expiry_could_not_tell(evidence, deserved):
    assert verdict_on(evidence).verdict == deserved, verdict_on(evidence).text()


def test_it_is_said_how_late_the_first_round_was_and_how_long_the_script_ran():
    verdict = verdict_on(late(EXPIRES_S, 6.2, *SINCE[:2]))
    assert failed(verdict) == [RAN_ON] and "came 6.8 s after it; the script ran for 6.2 s of them" in verdict.reasons[0]


def test_a_notebook_shows_what_came_after_an_expiry():
    assert "<svg" in picture(RIGHT)._repr_html_() and picture(replace(RIGHT, seen=Lasting())) is None
