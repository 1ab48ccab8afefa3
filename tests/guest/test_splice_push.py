"""Does case 3 happen, by the mechanism that the page gives, and can its judge say no?"""

import contextlib
import json
import math
from dataclasses import replace

import pytest

from core.cases import exercise
from labs.cases.splice_push import case, sixteenth, tracing
from labs.cases.splice_push.exercises.ex5 import measure
from labs.cases.splice_push.judge import ROUNDS
from labs.cases.splice_push.workload import KEPT, WHOLE
from labs.net import sockets
from labs.take.attempts import take_and_judge
from labs.trace import module
from labs.trace.stacks import match
from labs.trace.symbols import Symbols

PARTS = "splice-push"


def test_the_end_is_lost(outcome):
    assert outcome.reproduced, outcome.text()
    lost = outcome.shown["asked too much"]
    assert lost.missing_bytes == 20_000 and lost.pushes == 0 and math.isinf(lost.stayed_ms)
    assert [held.timer for held in lost.held] == ["none"]
    assert [page.following for page in lost.pages] == [4, 3, 2, 1, 0]
    assert [page.not_last for page in outcome.shown_fixed["asked too much"].pages] == [True] * 4 + [False]


def test_connections_of_different_hosts_have_ports_of_our_choice(outcome):
    states = (outcome.fixed, outcome.broken)
    ports = sorted(one.port for state in states for rounds in state.values() for one in rounds.every)
    assert ports == list(range(ports[0], ports[0] + len(ports)))  # the kernel's own may be the same on two hosts


def test_no_two_senders_of_exercise_5_have_one_port():
    with contextlib.ExitStack() as stack:
        senders = [stack.enter_context(measure.open_pair(stack)) for _ in range(400)]  # connect() gives 3 to 8 twice
        ports = [sender.getsockname()[1] for sender in senders]
    assert len(set(ports)) == len(ports)


def test_a_row_that_the_kernel_writes_twice_is_one_connection(monkeypatch, tmp_path):
    row = "0: 0302000A:1F40 0202000A:4E84 01 00004E20:00000000 00:00000000 00000000 0 0 5 1 x\n"
    table = tmp_path / "tcp"
    table.write_text("head\n" + row + row)
    monkeypatch.setattr(sockets, "Path", lambda _: table)
    assert sockets.sockets(1, "tcp") == [sockets.Socket(8000, 20100, "01", 20_000, "none")]


def test_without_the_cause_the_judge_says_no(outcome):
    assert not replace(outcome, broken=outcome.fixed).reproduced
    assert not replace(outcome, fixed=outcome.broken).reproduced
    for unseen in (range(ROUNDS), [1]):  # in one round is enough
        without = {
            name: replace(
                rounds,
                every=[replace(one, events=[]) if number in unseen else one for number, one in enumerate(rounds.every)],
                bound_ms=math.inf,
            )
            for name, rounds in outcome.broken.items()
        }
        assert replace(outcome, broken=without).reproduced is False


def test_a_machine_that_stands_still_in_most_rounds_could_not_tell(outcome):
    for name, said in (("asked too much", None), ("send()", True)):  # of which no time is judged
        rounds = outcome.fixed[name]
        held_up = replace(rounds, every=[replace(one, held_up_ms=1000) for one in rounds.every])
        untold = replace(outcome, fixed=outcome.fixed | {name: held_up})
        assert untold.reproduced is said, untold.text()
        assert said or f"fixed, {name}: in 3 of 3 rounds" in untold.to_json()["reasons"][0]


def test_with_the_fault_not_switched_on_the_whole_run_says_no(main):
    status, out = main("run", "splice-push", "--json", "--set", "condition=0")
    said = json.loads(out)
    assert status == 1
    assert said["reproduced"] is False and said["outcome"] == "not reproduced"
    assert not any(one["missing_bytes"] for one in said["broken"].values())
    stays = [reason for reason in said["reasons"] if "times as long at least" in reason]
    assert len(stays) == 3 and all(reason.startswith("NO") for reason in stays)


@pytest.mark.parametrize("number", ["1", "2", "3", "4", "5"])
def test_where_nothing_is_lost_no_judge_says_yes_or_no(monkeypatch, number):
    monkeypatch.setattr(module, "livepatched", lambda _: contextlib.nullcontext())
    right = sorted((exercise(f"splice-push/{number}").folder / "solutions").iterdir())[0]
    verdict, _ = take_and_judge(f"splice-push/{number}", right.read_text())
    assert verdict.verdict == "SKIP", verdict.text()


SMALL = [f"buffers_{count}" for count in sixteenth.COUNTS]


def test_on_this_kernel_no_answer_of_small_buffers_waits():
    with case.Network() as net:
        found = sixteenth.measured(net)
    every = [found[buffers][length] for buffers in SMALL for length in sixteenth.LENGTHS]
    assert not any(any(each["missing_bytes"]) or any(each["timers"]) for each in every), found


def test_one_that_is_corked_is_seen_to_wait_for_the_probe_timer(monkeypatch):
    monkeypatch.setitem(sixteenth.LENGTHS, "too_long", "&more=1")
    with case.Network() as net:
        found = sixteenth.measured(net)
    for buffers in SMALL:
        corked, exact = found[buffers]["too_long"], found[buffers]["exact"]
        assert min(corked["took_ms"]) > 3 * exact["median_ms"] and "zero-window probe" in corked["timers"], found


def test_json_has_what_it_promises(outcome):
    read = json.loads(json.dumps(outcome.to_json()))
    assert read["reproduced"] is True
    for state in ("broken", "fixed"):
        for way in ("asked_too_much", "exact_length", "send", "through_the_proxy", "pv"):
            assert {"took_ms", "missing_bytes", "pushes", "splices", "segments"} <= set(read[state][way])
            assert len(read["rounds"][state][way]) == ROUNDS and read[state][way] in read["rounds"][state][way]
    assert {one["ended"] for one in read["rounds"]["broken"]["asked_too_much"]} == {KEPT}
    assert {one["ended"] for one in read["rounds"]["fixed"]["asked_too_much"]} == {WHOLE}
    assert {port["node"] for port in read["topology"]["ports"]} == {"client", "proxy", "server"}


def test_people_read_80_columns(outcome, traced):
    for text in (outcome.text(), traced.text(), str(outcome.shown), str(outcome.shown["pv"].flags())):
        assert max(map(len, text.splitlines())) <= 80, text


def test_stacks_and_flags_are_as_expected(traced):
    assert traced.reproduced, traced.text()
    assert len(traced.stacks) == len(tracing.EXPECTED) == 4
    assert any("page_to_socket" in frame for frame in tracing.EXPECTED[1].event(traced.events).stack)
    assert not replace(traced, events=[]).reproduced
    assert not replace(traced, broken=traced.fixed).reproduced


def test_a_stack_of_another_kernel_is_missing_frames(traced):
    expected = tracing.EXPECTED[0]
    event = expected.event(traced.events)
    wrong = expected.file.read_text().replace("sock_sendpage ", "tcp_retransmit_skb ")
    assert match(wrong, event.stack, Symbols()).missing == ["tcp_retransmit_skb"]


def test_what_is_written_and_not_sent(traced):
    fixed = traced.unsent("fixed asked too much")
    broken = [held for ms, held in traced.unsent("broken asked too much") if ms < 900]
    assert max(held for _, held in fixed) == 20_000 and fixed[-1][1] == 0
    assert broken[-1] == 20_000


def test_the_reports_own_trace(net):
    rows = {one.name: one for one in case.report(net)}
    for name in ("fixed, corked", "broken, corked"):
        first, late = rows[name].data
        assert (first.payload_bytes, late.payload_bytes) == (4096, 61796)
        assert "PSH" not in first.flags and "PSH" in late.flags
    assert rows["fixed"].missing_bytes == 0


def test_what_frees_the_tail(net):
    rows = dict(case.freed(net))
    for nothing in ("nothing", "keepalive each second", "a byte from the peer"):
        assert rows[nothing].missing_bytes == 20_000
    assert rows["the peer's end"].missing_bytes == 0


def test_the_reduction(net):
    found = {one.name: one.outcome for one in case.reduction(net)}
    for moves_nothing in (
        "three machines",
        "without the proxy",
        "one machine, lo",
        "lo, MTU 16384",
        "offloads on",
        "SPLICE_F_MORE",
        "TCP_NODELAY",
        "60000 bytes, lo",
        "16 pieces of 50",
    ):
        assert found[moves_nothing] == "lost"
    for fixes in ("closed at the end", "send()", "exact length"):
        assert found[fixes] == "not there"
    assert found["header with MORE"] == "late" and found["the same, SO_SNDBUF"] == "tail lost"


def test_in_the_words_of_a_notebook(net):
    with case.broken():
        seen = case.fetched(net, ["asked too much", "exact length"])
    assert seen["asked too much"].missing_bytes == 20_000 and seen["exact length"].missing_bytes == 0
    assert str(seen["exact length"].flags()).endswith("yes")


def test_one_object_on_stdout(main):
    status, out = main("run", "splice-push", "--json")
    assert status == 0 and json.loads(out)["reproduced"] is True
