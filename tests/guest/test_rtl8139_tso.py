"""Does case 2 happen, by the mechanism that the page gives, and can its judge say no?"""

import json
from dataclasses import replace

from labs.cases.rtl8139_tso import case, on_call, tracing
from labs.cases.rtl8139_tso.judge import CUT_BYTES, FIXED_RATIO
from labs.cases.rtl8139_tso.retransmissions import SentAgain
from labs.trace.stacks import match
from labs.trace.symbols import Symbols
from labs.wire.packet import Packet

PROFILE = "rtl8139"
PARTS = "rtl8139-tso"


def test_the_fault_is_reproduced(outcome):
    assert outcome.reproduced, outcome.text()
    broken = outcome.seen["as_it_is"]
    assert broken.largest_bytes == CUT_BYTES == 1448 and broken.mss == 1320
    assert broken.router("FragFails") == broken.too_long == broken.above_mss
    for key in ("tso_off", "mended", "beside"):
        assert outcome.seen[key].largest_bytes == 1308
        assert broken.rate_kb_s <= outcome.seen[key].rate_kb_s / FIXED_RATIO


def test_without_the_cause_the_judge_says_no(outcome):
    for fix in ("tso_off", "mended", "beside"):
        assert not replace(outcome, seen=outcome.seen | {"as_it_is": outcome.seen[fix]}).reproduced
    only_slow = outcome.seen | dict.fromkeys(("tso_off", "mended", "beside"), outcome.seen["as_it_is"])
    assert not replace(outcome, seen=only_slow).reproduced


def test_hiding_is_no_fix_to_the_judge(outcome):
    hidden = outcome.seen | {"tso_off": outcome.seen["mtu_lock"]}
    failed = [check.what for check in replace(outcome, seen=hidden).checks if not check.held]
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
    assert {card["node"] for card in read["topology"]["cards"]} == {"server", "mended", "beside", "router"}


def test_people_read_80_columns(outcome, traced):
    for text in (outcome.text(), traced.text()):
        assert max(map(len, text.splitlines())) <= 80


def test_every_look_tells_the_fault_from_health():
    taken = on_call.taken()
    assert taken.reproduced, f"{taken.checks}\n{taken}\n{taken.healthy}"
    assert not replace(taken, broken=taken.healthy).reproduced


def test_stacks_are_as_expected(traced):
    assert traced.reproduced, traced.text()
    assert len(traced.stacks) == 5


def test_a_stack_of_another_kernel_is_missing_frames(traced):
    expected = tracing.expected(traced.plain.events)[0]
    wrong = expected.file.read_text().replace("tcp_write_xmit ", "tcp_retransmit_skb ")
    assert match(wrong, expected.event(traced.plain.events).stack, Symbols()).missing == ["tcp_retransmit_skb"]


def test_claims_of_the_trace_can_fail(traced):
    without = replace(traced, plain=replace(traced.plain, events=[]))
    assert not any(check.held for check in without.checks if "lock 1500" not in check.what)
    swapped = replace(traced, plain=traced.locked, locked=traced.plain)
    assert sum(not check.held for check in swapped.checks) >= 3


def test_each_byte_asked_for_arrives_in_other_pieces(traced):
    for watched in (traced.plain, traced.locked):
        for send in watched.large:
            assert sum(send.asked) == sum(send.arrived) == send.payload_bytes
            # Two segments that are asked for may fit in one of the card's: 1308 and 36 arrive as 1344.
            assert send.arrived[0] == min(CUT_BYTES, send.payload_bytes) and send.arrived != send.asked
    assert any(len(send.arrived) > 2 for send in traced.locked.large)


def test_the_steps_show_what_the_report_saw(net):
    """By what is dropped, sent again and heard: rates are the judge's, which takes the faster of two."""
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
