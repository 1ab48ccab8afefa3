"""Does case 4 happen, by the mechanism that the page gives, and can its judge say no?"""

import copy
import json
import re
import threading
from dataclasses import replace
from functools import partial

import pytest

from core.cases import exercise
from labs import __main__ as command
from labs.cases.addr_select import case, experiments, routes, scores, shell, tracing
from labs.cases.addr_select.cure import measure as curing
from labs.cases.addr_select.exercises.ex3 import measure as running
from labs.cases.addr_select.exercises.ex4 import measure as deprecating
from labs.cases.addr_select.exercises.ex5 import measure as multiplying
from labs.cases.addr_select.exercises.ex6 import thread_ids
from labs.cases.addr_select.exercises.ex6.judge import FAR, NEAR, congruent, neighbours
from labs.cases.addr_select.judge import judge
from labs.cases.addr_select.names import EVAL, LABEL, NODE, PEER, REPORTED, SELECT
from labs.cases.addr_select.sweep import Line, counts
from labs.cases.addr_select.workload import Sender, counting
from labs.take.attempts import take_and_judge
from labs.trace.stacks import State

PARTS = "addr-select"
MOST = 512


run = partial(case.run, MOST)


def test_it_is_reproduced(outcome):
    assert outcome.reproduced, outcome.text()
    seen = outcome.seen
    assert list(seen.broken) == [1, 2, 4, 8, 16, 32, 64, 128, 256, 512]
    assert seen.broken[512].calls == {SELECT: 1, EVAL: 22 * 512 + 4, LABEL: 513}
    assert seen.fixed[512].calls == seen.fixed[1].calls
    assert seen.learnt == 512  # by the router, in a BGP session


def test_without_the_cause_the_judge_says_no(outcome):
    healthy = copy.copy(outcome.seen)
    healthy.broken = outcome.seen.fixed
    healthy.turns = {
        count: replace(turns, every=[replace(turn, broken=turn.fixed) for turn in turns.every])
        for count, turns in outcome.seen.turns.items()
    }
    assert sum(not claim.holds for claim in judge(healthy)) >= 3
    everyone_pays = copy.copy(outcome.seen)
    everyone_pays.socket_calls = dict.fromkeys(outcome.seen.socket_calls, {SELECT: 1})
    assert not all(claim.holds for claim in judge(everyone_pays))


def test_with_the_fault_not_switched_on_the_whole_run_says_no(main):
    status, out = main("run", "addr-select", "--json", "--set", f"addresses={MOST}", "--set", "all_interfaces=0")
    said = json.loads(out)
    assert status == 1
    assert said["reproduced"] is False and said["outcome"] == "not reproduced"
    assert said["addresses"][str(MOST)]["calls"] == said["addresses"]["1"]["fixed"]["calls"]
    ratios = [reason for reason in said["reasons"] if f"at {MOST} addresses" in reason]
    assert len(ratios) == 2 and all(reason.startswith("NO") for reason in ratios)


@pytest.mark.parametrize("number", ["1", "2", "3"])
def test_where_nothing_is_slow_no_judge_says_yes_or_no(monkeypatch, number):
    monkeypatch.setattr(curing, "Network", partial(case.Network, all_interfaces=False))
    monkeypatch.setattr(running, "Silent", partial(case.Silent, all_interfaces=False))
    right = sorted((exercise(f"addr-select/{number}").folder / "solutions").iterdir())[0]
    verdict, _ = take_and_judge(f"addr-select/{number}", right.read_text())
    assert verdict.verdict == "SKIP", verdict.text()


@pytest.mark.parametrize("number, measure", [("4", deprecating), ("5", multiplying)])
def test_where_nothing_is_slow_what_was_rightly_predicted_is_wrong(monkeypatch, number, measure):
    monkeypatch.setattr(measure, "Silent", partial(case.Silent, all_interfaces=False))
    right = sorted((exercise(f"addr-select/{number}").folder / "solutions").iterdir())[0]
    verdict, _ = take_and_judge(f"addr-select/{number}", right.read_text())
    assert verdict.verdict == "FAIL" and "lookups" in [check.id for check in verdict.checks if not check.passed], (
        verdict.text()
    )


def test_a_machine_that_stands_still_in_most_turns_could_not_tell(outcome):
    turns = outcome.seen.turns[MOST]
    held_up = replace(turns, every=[replace(turn, held_up_ms=1000) for turn in turns.every])
    seen = copy.copy(outcome.seen)
    seen.turns = outcome.seen.turns | {MOST: held_up}
    untold = replace(outcome, seen=seen)
    assert untold.reproduced is None and f"{MOST} addresses: in 3 of 3 rounds" in untold.to_json()["reasons"][0]


def test_json_has_what_it_promises(outcome):
    read = json.loads(json.dumps(outcome.to_json()))
    assert read["reproduced"] is True and set(read["addresses"]) == {str(1 << power) for power in range(10)}
    for count, point in read["addresses"].items():
        assert len(read["rounds"][count]) == 3
        assert point["send_us"] in [turn["broken"]["send_us"] for turn in read["rounds"][count]]
        assert {"send_us", "ping_ms", "calls", "source", "fixed", "ipv4"} <= set(point)
        assert point["source"] == point["fixed"]["source"] == NODE
    assert read["slope_ns"] > 0 and read["correlation_of_ratios"] > 0.9 and read["ratio"]["512"] >= 2
    assert read["packets_per_second"]["512"]["fixed"] > read["packets_per_second"]["512"]["broken"]
    assert set(read["sockets"]) == {"unconnected", "connected", "bound", "pktinfo"}


def test_people_read_80_columns(outcome, traced):
    for text in (outcome.text(), traced.text(), traced.flame.text()):
        assert max(map(len, text.splitlines())) <= 80


def test_numbers_of_addresses_to_stop_at():
    assert counts(1) == [1] and counts(6) == [1, 2, 4, 6] and counts(8192)[-2:] == [4096, 8192]


def test_a_line_is_a_line():
    line = Line.through({count: 30 + 0.5 * count for count in (1, 10, 100, 1000)})
    assert line.slope_ns == pytest.approx(500) and line.at(3000) == pytest.approx(1530)
    assert line.correlation == pytest.approx(1)
    assert Line.through(dict.fromkeys((1, 10, 100), 30.0)) == Line(0.0, 30.0, 0.0)  # what does not grow


def test_one_address_is_enough_to_count():
    assert case.run(1).reproduced


def test_the_told_stack_and_the_choice(traced):
    assert traced.reproduced, traced.text()
    assert traced.stacks[0].count(State.SEEN) >= 8
    assert [one.outcome() for one in traced.choice.candidates[:3]] == ["the first"] + ["equal: the earlier stays"] * 2
    assert traced.choice.chosen.address == NODE and traced.choice.chosen.decided == "OIF"
    assert traced.choice.questions == 22 * tracing.FEW + 4


def test_the_profile_agrees_with_the_counters(traced):
    assert traced.part(LABEL).calls == traced.addresses + 1
    assert traced.part("ipv6_dev_get_saddr").with_callees > 0.5
    assert 0.02 < traced.label_share < 0.5  # where the report has all of it


def test_a_judge_of_another_kernel_says_no(traced):
    by_label = copy.deepcopy(traced.choice)
    winner = by_label.chosen
    winner.own, winner.best = {"INIT": 1, "LABEL": 1}, {"INIT": 1, "LABEL": 0}
    assert not replace(traced, choice=by_label).reproduced
    assert not replace(traced, events=[]).reproduced


def test_the_kernels_rules_are_asked_of_the_kernel():
    named = scores.rules()
    assert named[0] == "INIT" and named.index("OIF") < named.index("LABEL") < named.index("PREFIX")
    assert not set(named) - set(scores.RFC)  # a rule that we have no words for


@pytest.mark.parametrize(
    "apart, alike", [(NEAR, neighbours), (FAR, partial(congruent, FAR)), (1021, partial(congruent, 1021))]
)
def test_two_threads_get_ids_that_agree_in_part(apart, alike):
    limit = thread_ids.LIMIT.read_text()
    with thread_ids.any_id(), thread_ids.two_threads(apart) as pools:
        ids = [pool.submit(threading.get_native_id).result() for pool in pools]
    assert ids[1] - ids[0] == apart and alike(*ids)
    assert thread_ids.LIMIT.read_text() == limit and int(thread_ids.LAST.read_text()) < FAR


def test_labels_that_the_lookups_return():
    as_told, to_teredo, one_teredo = experiments.labels(addresses=8)
    assert as_told.labels == {1: 9}
    assert to_teredo.labels == {6: 1, 1: 8} and one_teredo.labels == {6: 1, 1: 9}
    assert sum(as_told.interfaces.values()) == 9 and set(as_told.interfaces) != set(as_told.misread)


def test_rule_six_is_not_the_cause(monkeypatch):
    monkeypatch.setattr(experiments, "MANY", 256)
    rows = {row.key: row for row in experiments.rules()}
    assert all(rows[key].calls == rows["as_told"].calls for key in ("no_labels", "another_label", "same_label"))
    assert rows["later"].calls[LABEL] == 1 and rows["later"].calls[EVAL] > 10 * 256  # no lookup, still a walk
    assert rows["uplink_setting"].calls[EVAL] > 20 * 256  # the setting cuts interfaces, not addresses
    assert rows["setting"].calls[EVAL] < 20 and rows["route"].calls[SELECT] == 0
    assert rows["labels_1000"].cost.send_us > 3 * rows["no_labels"].cost.send_us
    assert {row.cost.source for row in rows.values()} == {NODE}


def test_a_route_keeps_a_source_that_was_deleted_from_another_device():
    on_uplink, on_lo = routes.kept()
    assert (on_uplink.said, on_uplink.source, on_uplink.owned) == ("", NODE, True) and on_uplink.choices > 0
    assert (on_lo.said, on_lo.source, on_lo.choices, on_lo.owned) == (routes.SOURCE, routes.SOURCE, 0, False)


def test_services_answer_in_their_own_name():
    with case.Network() as net:
        net.announce(5)
        assert net.learnt() == 5
        said = net.peer.on("ping -n -c 1 2001:db8:5::5")
        assert re.search(r"bytes from 2001:db8:5::5:", said)
        net.only_outgoing(True)
        with Sender(net) as sender, counting() as calls:
            assert sender.cost(3).source == NODE and sender.calls(calls)[LABEL] == 1
        assert net.node.on(f"ip route get {PEER}")


def test_the_session_at_the_prompt_has_the_fault_and_can_do_without():
    """By what the kernel asks for one packet."""
    with shell.session() as it:
        for state, lookups in ((it.fault, REPORTED + 1), (it.health, 1)):
            with state(), Sender(it.net) as sender, counting() as calls:
                assert sender.calls(calls)[LABEL] == lookups


def test_the_lines_to_try_at_the_prompt_are_answered(with_fault_and_without):
    said = with_fault_and_without("addr-select")
    for each in said:  # it has as many addresses, and is answered
        assert "5 received" in each and re.search(rf"^{REPORTED + 1}$", each, re.MULTILINE), each
    with_fault, without = (int(re.search(r"^@\[ping\]: (\d+)", each, re.MULTILINE)[1]) for each in said)
    assert with_fault > REPORTED and 0 < without < REPORTED / 10, said


def test_one_object_on_stdout(main):
    status, out = main("run", "addr-select", "--set", "addresses=2", "--json")
    assert status == 0 and json.loads(out)["reproduced"] is True


def test_what_cannot_be_tried_is_said(capsys, monkeypatch):
    monkeypatch.setattr(case.Network, "modules", ("no_such_module",))
    assert command.main(["run", "addr-select", "--json"]) == 3
    said = json.loads(capsys.readouterr().out)
    assert said["reproduced"] is None and "no_such_module" in said["reasons"][0]


@pytest.mark.parametrize("word", ["addresses=many", "addresses"])
def test_a_setting_that_is_no_number_is_a_wrong_call(capsys, word):
    with pytest.raises(SystemExit) as stop:
        command.main(["run", "addr-select", "--set", word])
    assert stop.value.code == 2 and "--set" in capsys.readouterr().err
