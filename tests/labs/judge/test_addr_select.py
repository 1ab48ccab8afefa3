"""Does the evidence of a script or a program for addr-select come to the verdict that it deserves?"""

from dataclasses import replace

import pytest

from core.judge.evidence import Evidence, Script, Settings
from labs.cases.addr_select.costs import Cost, Pair
from labs.cases.addr_select.cure.judge import EXPIRES, SERVICE, TRIED, Cure, Elsewhere, NodeSettings, Services, Use
from labs.cases.addr_select.exercises.ex3.judge import Sent
from labs.cases.addr_select.names import NODE, REPORTED, service
from labs.errors import RAN_ON
from labs.judge.judging import verdict_on, verdict_on_file
from tests.labs.judge.stored import failed


def turns(source: str = NODE, other_us: float = 40.0, held_up_ms: float = 0) -> list[Pair]:
    one, other = Cost(400.0, 400.0, 400.0, NODE), Cost(other_us, other_us, other_us, source)
    return [Pair(one, other, held_up_ms)] * 7


USED = [Use(each, each, each, each, each) for each in (*TRIED, service(300))]
SERVED = Services(REPORTED, REPORTED, USED)
CURE = Cure(11268, 26, turns(), SERVED, NodeSettings([Settings("node"), Settings("node")], []))
SENT = Sent(11268, 22000, [[NODE] * 10] * 2, [1, 1])
OTHERS = [Settings("router"), Settings("peer")]
ONE = Evidence("addr-select/1", "x", "6.1", Script(0, ""), OTHERS, "", CURE)
TWO = replace(ONE, exercise="addr-select/2")
THREE = replace(ONE, exercise="addr-select/3", seen=SENT, settings=[])


def cure(of: Evidence = ONE, **changed) -> Evidence:
    return replace(of, seen=replace(CURE, **changed))


def sent(**changed) -> Evidence:
    return replace(THREE, seen=replace(SENT, **changed))


def used(**changed) -> Evidence:
    """One of the services is used, and something else comes of it."""
    return cure(services=replace(SERVED, used=[*USED[:3], replace(USED[3], **changed)]))


@pytest.mark.parametrize("evidence", [ONE, TWO, THREE], ids="123")
def test_what_is_right_passes_also_from_a_file(evidence):
    for verdict in (verdict_on(evidence), verdict_on_file(evidence.text().encode())):
        assert verdict.verdict == "PASS", verdict.text()


CHANGED = NodeSettings([Settings("node"), Settings("node", [], ["a route"])], [])
SET = NodeSettings([Settings("node"), Settings("node")], ["net/ipv6/conf/node-eth0/use_oif_addrs_only = 1"])


@pytest.mark.parametrize(
    "evidence, id",
    [
        (cure(asked=11268), "few-questions"),
        (cure(turns=turns(other_us=300.0)), "faster"),
        (cure(turns=turns(service(9))), "own-source"),
        (cure(services=replace(SERVED, owned=511)), "services-owned"),
        (cure(services=replace(SERVED, learnt=0)), "services-announced"),
        (cure(services=replace(SERVED, elsewhere=Elsewhere(""))), "others-too"),
        (cure(services=replace(SERVED, elsewhere=Elsewhere(NODE))), "others-too"),
        (used(ping=""), "services-by-ping"),
        (used(tcp=""), "services-by-tcp"),
        (used(udp=NODE), "services-by-udp"),
        (used(sends=NODE), "services-by-sends"),
        (cure(node=CHANGED), "only-the-setting"),
        (cure(TWO, node=replace(SET, setting_on=["net/ipv6/conf/up0/use_oif_addrs_only = 1"])), "without-the-setting"),
        (cure(TWO, node=SET), "without-the-setting"),
        (cure(TWO, node=replace(CURE.node, passing=["a route expires 59sec", "the same expires 40sec"])), "stays"),
        (replace(ONE, settings=[Settings("router", ["x"]), OTHERS[1]]), "router-left-alone"),
        (replace(ONE, unanswered="timed out", seen=Cure(11268)), "requests-answered"),
        (replace(cure(asked=11268), script=Script(2, "")), "exit-status"),
        (sent(asked=99_999), "few-questions"),
        (sent(choices=[3, 1]), "few-choices"),
        (sent(choices=[0, 3]), "few-choices"),
        (sent(sources=[[NODE] * 10, [NODE] * 9]), "packets-arrive"),
        (sent(sources=[[NODE] * 10, [service(1)] * 10]), "own-source"),
        (replace(THREE, script=Script(1, "OSError: Permission denied")), "without-root"),
    ],
)
def test_what_is_wrong_fails_for_its_reason(evidence, id):
    for verdict in (verdict_on(evidence), verdict_on_file(evidence.text().encode())):
        assert verdict.verdict == "FAIL" and id in failed(verdict), verdict.text()


WAYS = ("ping", "tcp", "udp", "sends")


@pytest.mark.parametrize("way", WAYS)
def test_what_did_not_come_while_the_machine_stood_still_says_nothing(way):
    verdict = verdict_on(used(**{way: "", "held_up_ms": {way: 1100.0}}))
    assert verdict.verdict == "COULD NOT TELL" and failed(verdict) == [RAN_ON], verdict.text()


@pytest.mark.parametrize("way", WAYS)
def test_nor_does_it_cover_anything_else(way):
    stood_still = dict.fromkeys(WAYS, 1100.0)
    another = used(**{way: NODE, "held_up_ms": stood_still})
    ran_on = used(**{way: "", "held_up_ms": stood_still | {way: 400.0}})
    for evidence in (another, ran_on):
        assert failed(verdict_on(evidence)) == [f"services-by-{way}"]
    elsewhere = used(**{way: "", "held_up_ms": stood_still})
    elsewhere = replace(elsewhere, seen=replace(elsewhere.seen, asked=11268))
    assert verdict_on(elsewhere).verdict == "FAIL" and failed(verdict_on(elsewhere)) == ["few-questions"]


def test_two_choices_for_each_peer_are_not_one_for_each_packet():
    assert [verdict_on(sent(asked=choices * 11268)).verdict for choices in (0, 2, 4, 5, 20)] == ["PASS"] * 3 + [
        "FAIL"
    ] * 2


@pytest.mark.parametrize("choices", [[0, 0], [1, 0], [2, 2]])
def test_of_up_to_two_choices_for_a_peer_none_is_too_many(choices):
    assert verdict_on(sent(choices=choices)).verdict == "PASS"


@pytest.mark.parametrize(
    "line, expires",
    [
        ("default via 2001:db8:1::1 dev node-eth0 src 2001:db8:1::2 metric 1024 expires 59sec pref medium", True),
        ("default via 2001:db8:1::1 dev node-eth0 src 2001:db8:1::2 metric 1024 pref medium", False),
        ("inet6 2001:db8:1::2/64 scope global \\       valid_lft forever preferred_lft forever", False),
        ("inet6 2001:db8:1::2/64 scope global deprecated \\       valid_lft forever preferred_lft 0sec", False),
        ("inet6 2001:db8:1::2/64 scope global dynamic \\       valid_lft 60sec preferred_lft forever", True),
        ("inet6 2001:db8:1::2/64 scope global \\       valid_lft forever preferred_lft 60sec", True),
        ("net/ipv4/route/mtu_expires = 600", False),
    ],
)
def test_a_line_of_ip_says_whether_it_expires(line, expires):
    assert bool(EXPIRES.search(line)) is expires


def test_either_exercise_has_its_own_means():
    assert verdict_on(cure(node=SET)).verdict == verdict_on(cure(TWO, node=CHANGED)).verdict == "PASS"


def test_a_client_elsewhere_that_is_answered_is_no_fault():
    verdict = verdict_on_file(cure(services=replace(SERVED, elsewhere=Elsewhere(SERVICE))).text().encode())
    assert verdict.verdict == "PASS", verdict.text()


@pytest.mark.parametrize("evidence", [cure(asked_before=26), sent(asked_before=26)])
def test_where_nothing_is_slow_nothing_is_judged(evidence):
    assert verdict_on(evidence).verdict == "SKIP"


@pytest.mark.parametrize(
    "evidence",
    [
        cure(turns=turns(held_up_ms=1e3)),
        cure(node=None),
        cure(services=replace(SERVED, used=USED[1:])),
        cure(services=replace(SERVED, elsewhere=Elsewhere("", 1e4))),
        cure(node=NodeSettings([], [])),
        sent(asked=None),
        sent(choices=[]),
        sent(choices=[1]),
        cure(asked=None),
        sent(sources=[]),
        replace(THREE, script=None),
    ],
)
def test_what_was_not_measured_could_not_tell(evidence):
    assert verdict_on_file(evidence.text().encode()).verdict == "COULD NOT TELL"
