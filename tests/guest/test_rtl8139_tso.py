"""Does case 2 happen, by the mechanism that the page gives, and can its judge say no?"""

import json
from dataclasses import replace
from functools import partial

import pytest

from core.cases import exercise
from core.wire.packet import Packet
from labs.cases.rtl8139_tso import case, on_call, over_ipv6, remedies, tracing
from labs.cases.rtl8139_tso.exercises.ex1 import measure as firewall
from labs.cases.rtl8139_tso.exercises.ex2 import measure as offload
from labs.cases.rtl8139_tso.exercises.ex3 import measure as predictions
from labs.cases.rtl8139_tso.judge import CUT_BYTES, FIXED_RATIO, ROUNDS, faster
from labs.cases.rtl8139_tso.retransmissions import SentAgain
from labs.take.attempts import take_and_judge
from labs.trace.stacks import match
from labs.trace.symbols import Symbols

PROFILE = "rtl8139"
PARTS = "rtl8139-tso"


def test_the_fault_is_reproduced(outcome):
    assert outcome.reproduced, outcome.text()
    broken = outcome.seen["as_it_is"]
    assert broken.largest_bytes == CUT_BYTES == 1448 and broken.mss == 1320
    assert broken.router("FragFails") == broken.too_long == broken.above_mss
    for key in ("tso_off", "mended", "beside"):
        assert outcome.seen[key].largest_bytes == 1308
        assert faster(outcome.rounds["as_it_is"], outcome.rounds[key]) >= FIXED_RATIO


def test_without_the_cause_the_judge_says_no(outcome):
    for fix in ("tso_off", "mended", "beside"):
        assert replace(outcome, rounds=outcome.rounds | {"as_it_is": outcome.rounds[fix]}).reproduced is False
    only_slow = outcome.rounds | dict.fromkeys(("tso_off", "mended", "beside"), outcome.rounds["as_it_is"])
    assert replace(outcome, rounds=only_slow).reproduced is False


def test_one_round_without_the_mechanism_and_the_judge_says_no(outcome):
    rounds = outcome.rounds["as_it_is"]
    one = replace(rounds, every=[*rounds.every[:-1], replace(outcome.seen["tso_off"], held_up_ms=0)])
    assert replace(outcome, rounds=outcome.rounds | {"as_it_is": one}).reproduced is False


def test_a_download_that_was_not_even_connected_is_one_of_no_bytes_unless_the_machine_stood_still(outcome):
    rounds = outcome.rounds["tso_off"]
    nothing = replace(rounds.every[0], got_bytes=0, took_s=1, packets=[], router_counters={}, held_up_ms=0)
    held_up = replace(nothing, held_up_ms=1000)
    for seen, said in ((nothing, False), (held_up, None)):
        slow = replace(rounds, every=[seen, *[replace(one, held_up_ms=0) for one in rounds.every[1:]]], needed=ROUNDS)
        assert replace(outcome, rounds=outcome.rounds | {"tso_off": slow}).reproduced is said


def test_with_the_fault_not_switched_on_the_whole_run_says_no(main):
    status, out = main("run", "rtl8139-tso", "--json", "--set", "tso=0")
    said = json.loads(out)
    assert status == 1
    assert said["reproduced"] is False and said["outcome"] == "not reproduced"
    assert said["states"]["as_it_is"]["above_mss"] == said["states"]["as_it_is"]["frag_needed"] == 0
    ratios = [reason for reason in said["reasons"] if "times as fast as broken" in reason]
    assert len(ratios) == 4 and all(reason.startswith("NO") for reason in ratios)


def test_over_ipv6_the_kernel_cuts_and_the_judge_can_say_no(told):
    def run():
        with over_ipv6.DualStack() as net:
            return over_ipv6.over_ipv6(net)

    both = told(run)
    assert both.reproduced, both.claims
    for same in (replace(both, ipv6=both.ipv4), replace(both, ipv4=both.ipv6)):
        assert same.reproduced is False, same.claims


@pytest.mark.parametrize("number, measure", [("1", firewall), ("2", offload), ("3", predictions)])
def test_where_nothing_is_cut_no_judge_says_yes_or_no(monkeypatch, number, measure):
    monkeypatch.setattr(measure, "Network", partial(case.Network, tso=False))
    right = sorted((exercise(f"rtl8139-tso/{number}").folder / "solutions").iterdir())[0]
    verdict, _ = take_and_judge(f"rtl8139-tso/{number}", right.read_text())
    assert verdict.verdict == "SKIP", verdict.text()


def test_a_busy_machines_rate_says_nothing_and_a_slow_one_with_drops_says_no(outcome):
    broken = outcome.seen["as_it_is"]
    rounds = outcome.rounds["tso_off"]
    slow = [replace(one, got_bytes=2 * broken.got_bytes, took_s=broken.took_s, held_up_ms=0) for one in rounds.every]
    busy = replace(outcome, rounds=outcome.rounds | {"tso_off": replace(rounds, every=slow)})
    assert busy.reproduced is None and "the processor was busy" in busy.missing
    dropped = [replace(one, router_counters={"IpFragFails": 1}) for one in slow]
    assert replace(outcome, rounds=outcome.rounds | {"tso_off": replace(rounds, every=dropped)}).reproduced is False


def test_hiding_is_no_fix_to_the_judge(outcome):
    hidden = outcome.rounds | {"tso_off": outcome.rounds["mtu_lock"]}
    failed = [claim.what for claim in replace(outcome, rounds=hidden).claims if not claim.holds]
    assert len(failed) == 1 and "cut or drop" in failed[0]


def test_json_has_what_it_promises(outcome):
    read = json.loads(json.dumps(outcome.to_json()))
    assert read["reproduced"] is True
    for key in ("as_it_is", "opened", "mtu", "mtu_lock", "tso_off", "mended", "beside"):
        assert {
            "rate_kb_s",
            "frag_fails",
            "frag_oks",
            "frag_creates",
            "mss",
            "largest_payload",
            "retransmissions",
        } <= set(read["states"][key])
        assert len(read["rounds"][key]) == ROUNDS
        assert read["states"][key] in read["rounds"][key]
    assert {card["node"] for card in read["topology"]["cards"]} == {"server", "mended", "beside", "router"}


def test_people_read_80_columns(outcome, traced):
    for text in (outcome.text(), traced.text()):
        assert max(map(len, text.splitlines())) <= 80


def test_every_look_tells_the_fault_from_health_and_from_its_look_alike():
    taken = on_call.taken()
    assert taken.reproduced, f"{taken.claims}\n{taken}\n{taken.healthy}\n{taken.alike}"
    for wrong in ({"broken": taken.healthy}, {"alike": taken.broken}, {"alike": taken.healthy}):
        assert not replace(taken, **wrong).reproduced


def test_what_the_router_merges_is_longer_than_a_frame_and_nothing_is_refused(net):
    with remedies.merging(net):
        merged = remedies.under(net, "tso_off")
    assert merged.largest_bytes > 1500 and merged.router("FragFails") == 0
    assert remedies.under(net, "tso_off").above_mss == 0  # the card is sound, and the router merges no more


def test_stacks_are_as_expected(traced):
    assert traced.reproduced, traced.text()
    assert len(traced.stacks) == 5


def test_a_stack_of_another_kernel_is_missing_frames(traced):
    expected = tracing.expected(traced.plain.events)[0]
    wrong = expected.file.read_text().replace("tcp_write_xmit ", "tcp_retransmit_skb ")
    assert match(wrong, expected.event(traced.plain.events).stack, Symbols()).missing == ["tcp_retransmit_skb"]


def test_claims_of_the_trace_can_fail(traced):
    without = replace(traced, plain=replace(traced.plain, events=[]))
    assert not any(claim.holds for claim in without.claims if "lock 1500" not in claim.what)
    swapped = replace(traced, plain=traced.locked, locked=traced.plain)
    assert sum(not claim.holds for claim in swapped.claims) >= 3


def test_each_byte_asked_for_arrives_in_other_pieces(traced):
    for watched in (traced.plain, traced.locked):
        for send in watched.large:
            assert sum(send.asked) == sum(send.arrived) == send.payload_bytes
            # Two segments that are asked for may fit in one of the card's: 1308 and 36 arrive as 1344.
            assert send.arrived[0] == min(CUT_BYTES, send.payload_bytes) and send.arrived != send.asked
    assert any(len(send.arrived) > 2 for send in traced.locked.large)


def test_the_steps_show_what_the_report_saw(net):
    """By what is dropped, sent again and heard: rates are the judge's, which takes the median of rounds."""
    slow, fast = case.slow(net)
    assert slow.router("FragFails") == slow.too_long > 0 and fast.router("FragFails") == fast.too_long == 0
    client, home, router = case.where(net)
    assert client.router("FragFails") and home.router("FragFails")
    assert router.router("FragFails") == 0  # its own packets need not pass the narrow link
    deaf, hearing = case.opened(net)
    assert deaf.heard == 0 and hearing.heard == len(hearing.frag_needed) > 0
    assert min(seen.router("FragFails") for seen in (deaf, hearing)) > 0
    assert deaf.largest_bytes == hearing.largest_bytes == CUT_BYTES


def test_it_is_the_lock_and_not_the_number(net):
    unlocked, small, large, _ = case.locked(net)
    for seen in (small, large):
        assert seen.without_df == len(seen.data) and seen.router("FragFails") == 0
        assert seen.router("FragCreates") == 2 * seen.router("FragOKs") > 0
        assert seen.largest_bytes == CUT_BYTES
    assert unlocked.without_df == 0 and unlocked.router("FragFails") > 0


def test_nothing_gets_40_bytes_smaller_each_time(net):
    again = case.sent_again(net)
    assert again.lower_by[140] > 0 and set(again.lower_by) <= {0, 140}
    arrived = [sizes[-1] <= 1308 for sizes in again.tries]
    assert arrived == sorted(arrived, reverse=True)  # the last may be cut off by the clock, however many


def test_what_is_undone_is_undone(net):
    case.locked(net)
    assert "lock" not in net["server"].on("ip route")
    assert net["server"].on("iptables-legacy", "-S", "INPUT").count("ACCEPT") == 3
    assert "tcp-segmentation-offload: on" in net["server"].on("ethtool -k server-eth0")


def test_retransmissions_are_followed_by_byte():
    def data(seq, size, again=False):
        return Packet(0, "10.8.1.2", "10.8.9.2", "tcp", size + 52, seq=seq, payload_bytes=size, retransmission=again)

    seen = case.Download(
        "made up",
        "server",
        "client",
        1,
        1,
        [
            data(1, 1448),
            data(1449, 1168),
            data(1, 1448, True),
            data(1449, 1168, True),
            data(1, 1308, True),
            data(1309, 1308, True),
            data(2617, 1448),
        ],
        {},
        {},
        {},
    )
    again = SentAgain(seen)
    assert again.tries == [(1448, 1448, 1308), (1448,)] and again.lower_by == {0: 1, 140: 1}
