"""Does case 1 happen, by the mechanism that the page gives, and can its judge say no?"""

import json
from dataclasses import replace

import pytest

from labs import __main__ as command
from labs.cases.frag_needed import case, tracing
from labs.trace.stacks import match
from labs.trace.symbols import Symbols

PARTS = "frag-needed"


def test_the_stall_is_reproduced(outcome):
    assert outcome.reproduced, outcome.text()
    direct = outcome.broken["direct"]
    assert [e.name for e in direct.exchanges] == ["A", "B", "B again"]
    assert direct["A"].before.snd_mss == direct["B"].before.snd_mss == 1448
    # Known when the call has returned, or on a busy machine a moment later: its ICMP comes by softirq.
    assert direct["B again"].before.snd_mss == 1428
    assert len(direct.icmp_to_self("B again")) == 0


def test_without_the_cause_the_judge_says_no(outcome):
    healthy = replace(outcome, broken=outcome.control)
    assert not healthy.reproduced
    assert {check.held for check in healthy.checks if "control" not in check.what} == {False, True}
    only_slow = replace(outcome, control=outcome.broken)
    assert not only_slow.reproduced


def test_json_has_what_it_promises(outcome):
    read = json.loads(json.dumps(outcome.to_json()))
    assert read["reproduced"] is True and read["icmp_to_self"] >= 2
    for way in ("direct", "sidecar"):
        assert {"a_ms", "b_ms", "b_again_ms", "b_left_after_ms", "counters"} <= set(read[way])
        assert read["control"][way]["icmp_to_self"] == 0
    assert [p["proto"] for p in read["captures"]["direct_b"]][0] == "icmp"
    assert {port["node"] for port in read["topology"]["ports"]} == {"client", "balancer", "server"}


def test_people_read_80_columns(outcome, traced):
    for text in (outcome.text(), traced.text(), str(outcome.broken["direct"])):
        assert max(map(len, text.splitlines())) <= 80


def test_stacks_are_as_expected(traced):
    assert traced.reproduced, traced.text()
    assert len(traced.stacks) == len(tracing.EXPECTED) == 6
    proven = [row.reason for stack in traced.stacks for row in stack.rows if "leaves no frame" in (row.reason or "")]
    assert len(proven) > 10


def test_a_stack_of_another_kernel_is_missing_frames(traced):
    expected = tracing.EXPECTED[0]
    event = expected.event(traced.events)
    wrong = expected.file.read_text().replace("tcp_write_xmit ", "tcp_retransmit_skb ")
    assert match(wrong, event.stack, Symbols()).missing == ["tcp_retransmit_skb"]
    assert not replace(traced, events=[]).reproduced


def test_order_tells_a_from_b(traced):
    assert all(check.held for check in traced.checks)
    swapped = {"A": "B", "B": "A"}
    other = [replace(event, connection=swapped[event.connection]) for event in traced.events]
    assert not any(check.held for check in replace(traced, events=other).checks)


def test_why_a_second_run_is_fast():
    with case.Network() as net:
        first, nothing, flushed, renewed = case.again(net)
    for slow in (first, renewed):
        assert slow.route.startswith("stale") and slow.told_by == "the ICMP"
        assert len(slow.seen.icmp_to_self()) == 1
    for fast in (nothing, flushed):
        assert fast.route.startswith("valid") and fast.route_mtu == 1480
        assert len(fast.seen.icmp_to_self()) == 0
    assert len(flushed.seen.icmp_from_balancer()) == 1  # so A had to learn, and B did not suffer
    assert min(slow.seen["B"].waited_ms for slow in (first, renewed)) > max(
        fast.seen["B"].waited_ms for fast in (nothing, flushed)
    )


def test_established_connections_suffer_after_the_expiry():
    with case.Network() as net:
        seen = case.expiry(net, expires_s=8).seen  # four times as long as a reader waits: A and B have to ask meanwhile
    assert seen["A expired"].before.snd_mss == 1428 and seen["A expired"].info.snd_mss == 1448
    stalled = [e.name for e in seen.exchanges if seen.icmp_to_self(e.name)]
    assert stalled == ["B at first", "B after that"]
    assert seen["A expired, looked up"].info.snd_mss < 100  # the dead route's device has an MTU of 68
    small = [packet for packet in seen.sent("A expired, looked up") if packet.payload_bytes <= 48]
    assert 1 < len(small) < 20  # one congestion window of them, then the rest in one piece


def test_one_object_on_stdout(capsys):
    assert command.main(["run", "frag-needed", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["reproduced"] is True


def test_what_cannot_be_tried_is_said(capsys, monkeypatch):
    monkeypatch.setattr(case.Network, "modules", ("no_such_module",))
    assert command.main(["run", "frag-needed", "--json"]) == 3
    said = json.loads(capsys.readouterr().out)
    assert said["reproduced"] is None and "no_such_module" in said["reasons"][0]


def test_an_unknown_case_names_the_known(capsys):
    with pytest.raises(SystemExit) as stop:
        command.main(["run", "no-such-case"])
    assert stop.value.code == 2 and "frag-needed" in capsys.readouterr().err
