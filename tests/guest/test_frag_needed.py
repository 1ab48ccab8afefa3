"""Does case 1 happen, by the mechanism that the page gives, and can its judge say no?"""

import json
from dataclasses import replace
from functools import partial

import pytest
from chapter_one import differences
from scapy.layers.inet import ICMP, IP, TCP

from core.cases import exercise
from core.judge.evidence import of_kind, read
from labs import __main__ as command
from labs.cases.frag_needed import announced, case, record, tracing
from labs.cases.frag_needed.cure import another
from labs.cases.frag_needed.cure import measure as curing
from labs.cases.frag_needed.cure.evidence import Another, Cure
from labs.cases.frag_needed.cure.judge import balanced_of
from labs.cases.frag_needed.exercises.ex4 import measure as lasting
from labs.cases.frag_needed.exercises.ex5 import measure as telling
from labs.cases.frag_needed.exercises.ex6 import measure as crafting
from labs.cases.frag_needed.exercises.ex6.judge import Message, Quote, message
from labs.errors import CouldNotTell
from labs.judge.judging import verdict_on_file
from labs.net.counters import counters
from labs.take.attempts import take_and_judge
from labs.trace.stacks import match
from labs.trace.symbols import Symbols
from labs.wire.capture import read as packets_of

PARTS = "frag-needed"


def test_what_was_learnt_is_announced_and_a_later_connection_is_safe():
    with case.Network() as net:
        seen = announced.measured(net)
    assert seen == {"before": 1460, "after": 1440, "later_segment_bytes": 1428, "later_icmps": 0}


def test_the_stall_is_reproduced(outcome):
    assert outcome.reproduced, outcome.text()
    direct = outcome.shown["direct"]
    assert [e.name for e in direct.exchanges] == ["A", "B", "B again"]
    assert direct["A"].before.snd_mss == direct["B"].before.snd_mss == 1448
    # Known when the call has returned, or on a busy machine a moment later: its ICMP comes by softirq.
    assert direct["B again"].before.snd_mss == 1428
    assert len(direct.icmp_to_self("B again")) == 0


def test_each_round_is_as_it_is_in_a_tab(outcome):
    run = outcome.to_json()
    assert [differences(each) for each in run["rounds"]["direct"]] == [[]] * 3
    assert [differences(each, told=True) for each in run["rounds"]["control"]["direct"]] == [[]] * 3


def test_without_the_cause_the_judge_says_no(outcome):
    healthy = replace(outcome, broken=outcome.control)
    assert not healthy.reproduced
    assert {claim.holds for claim in healthy.claims if "control" not in claim.what} == {False, True}
    only_slow = replace(outcome, control=outcome.broken)
    assert not only_slow.reproduced


def test_with_the_fault_not_switched_on_the_whole_run_says_no(main):
    status, out = main("run", "frag-needed", "--json", "--set", "tunnel=0")
    said = json.loads(out)
    assert status == 1
    assert said["reproduced"] is False and said["outcome"] == "not reproduced"
    assert said["icmp_to_self"] == said["direct"]["icmp_from_balancer"] == 0
    ways = [reason for reason in said["reasons"] if "B waits" in reason]
    assert len(ways) == 2 and all(reason.startswith("NO") for reason in ways)


@pytest.mark.parametrize("number, judge", [("1", curing), ("4", lasting), ("5", telling)])
def test_where_nothing_stalls_no_judge_says_yes_or_no(monkeypatch, number, judge):
    monkeypatch.setattr(judge, "Network", partial(case.Network, tunnel=False))
    right = sorted((exercise(f"frag-needed/{number}").folder / "solutions").iterdir())[0]
    verdict, _ = take_and_judge(f"frag-needed/{number}", right.read_text())
    assert verdict.verdict == "SKIP", verdict.text()


def test_what_scapy_packs_is_what_the_judge_reads():
    quoted = IP(src="10.0.0.1", dst="10.0.0.2", options=b"\1\1\1\0") / TCP(sport=40000, dport=7000, seq=2**32 - 1)
    packed = IP(dst="10.0.0.1") / ICMP(type=3, code=4, nexthopmtu=1400) / quoted
    segment = Quote("10.0.0.1", "10.0.0.2", 40000, 7000, 2**32 - 1)
    assert message(bytes(packed)) == Message(1400, 6, ("10.0.0.1", "10.0.0.2"), segment)


@pytest.mark.parametrize(
    "last",
    [
        "",
        "null",
        "[",
        "[" * 60_000,
        '{"ignored": "00"}',
        '{"ignored": 1, "heard": 2}',
        '{"ignored": "zz", "heard": "00"}',
    ],
)
def test_another_last_line_has_no_packets(last):
    made = '{"ignored": "00", "heard": "ff"}\n'
    assert crafting.packets(made) == {"ignored": b"\x00", "heard": b"\xff"}
    assert crafting.packets(made + last + "\n") == {}


def test_a_host_beside_the_path_changes_nothing_in_it():
    with crafting.beside_the_path() as net, case.Network(tunnel=False) as recorded:
        assert list(net.by_name) == [*recorded.by_name, "bystander"]
        both = net.describe(), recorded.describe()
        ours, theirs = ([port["addresses"] for port in one["ports"]] for one in both)
        assert ours[:-1] == theirs and both[0]["segments"] == both[1]["segments"]
        net.client.on("ping -n -c 1 10.0.0.9")


def test_another_client_asks_by_its_own_address():
    with case.Network(tunnel=False) as net:
        net.extend(another.HostsAndAnother())
        assert [*net.by_name] == ["client", "balancer", "server", "client2"]
        seen, before = Another(net.client2.IP()), {name: counters(node) for name, node in net.by_name.items()}
        curing.ask_as_another(seen, net)
        curing.count(Cure(another=seen), before, net)
    assert int(seen.address.rpartition(".")[2]) in another.LAST
    assert seen.whole(rounds=0) and seen.told == 0
    made, balanced = balanced_of(seen.address, seen.each().values(), seen.balanced)
    assert len(made) == len(balanced) == 4
    assert all(each.largest("B", seen.address, "10.0.0.2") == 1448 for each in seen.each().values())


def test_evidence_comes_back_as_it_was_with_the_capture_beside_it():
    right = sorted((exercise("frag-needed/1").folder / "solutions").iterdir())[0]
    verdict, evidence = take_and_judge("frag-needed/1", right.read_text())
    text = evidence.text().encode()
    again = of_kind(Cure, read(text))
    assert again == evidence and verdict_on_file(text).to_json() == verdict.to_json()
    for seen in (*again.seen.untouched.each().values(), *again.seen.mended.each().values()):
        told = [(packet.src, packet.dst, packet.length_bytes, packet.flags) for packet in seen.packets]
        assert told == [(p.src, p.dst, p.length_bytes, p.flags) for p in packets_of(seen.pcap)] and told


def test_json_has_what_it_promises(outcome):
    read = json.loads(json.dumps(outcome.to_json()))
    assert read["reproduced"] is True and read["icmp_to_self"] >= 2
    for way in ("direct", "sidecar"):
        assert {"a_ms", "b_ms", "b_again_ms", "b_left_after_ms", "counters"} <= set(read[way])
        assert read["control"][way]["icmp_to_self"] == 0
        rounds, controls = read["rounds"][way], read["rounds"]["control"][way]
        assert len(rounds) == len(controls) == 3 and read[way] in rounds and read["control"][way] in controls
    assert [p["proto"] for p in read["captures"]["direct_b"]][0] == "icmp"
    assert {port["node"] for port in read["topology"]["ports"]} == {"client", "balancer", "server"}


def test_people_read_80_columns(outcome, traced):
    for text in (outcome.text(), traced.text(), str(outcome.shown["direct"])):
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


def test_a_message_that_a_thread_received_could_not_tell(traced):
    """As on a processor with more softirqs than it gets done: the stack of B's message ends in a thread, not in B's
    call. Without the thread, the same stack is missing frames."""

    def received(*caller):
        return replace(
            traced,
            events=[
                replace(event, stack=[*event.stack[: event.functions.index("handle_softirqs") + 1], *caller])
                if (event.connection, event.function) == ("B", "tcp_v4_err")
                else event
                for event in traced.events
            ],
        )

    busy = received("run_ksoftirqd+0x2d", "smpboot_thread_fn+0xd5", "kthread+0xd7", "ret_from_fork+0x1f")
    assert busy.reproduced is None and "ksoftirqd" in busy.text() and max(map(len, busy.text().splitlines())) <= 80
    assert received().reproduced is False


def test_order_tells_a_from_b(traced):
    assert all(claim.holds for claim in traced.claims)
    swapped = {"A": "B", "B": "A"}
    other = [replace(event, connection=swapped[event.connection]) for event in traced.events]
    assert not any(claim.holds for claim in replace(traced, events=other).claims)


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
    # The dead route's device has an MTU of 68: one congestion window of small packets, then the rest in one piece. The
    # MSS that is read right after the write is small, too, unless the window has been acknowledged by then.
    small = [packet for packet in seen.sent("A expired, looked up") if packet.payload_bytes <= 48]
    assert 1 < len(small) < 20


def test_one_object_on_stdout(main):
    status, out = main("run", "frag-needed", "--json")
    assert status == 0 and json.loads(out)["reproduced"] is True


def test_a_trace_that_could_not_tell_is_said(capsys, monkeypatch):
    def trace():
        raise CouldNotTell("expected no event lost, found 3")

    monkeypatch.setattr(case, "trace", trace)
    assert command.main(["trace", "frag-needed", "--json"]) == 4
    said = json.loads(capsys.readouterr().out)
    assert said["reproduced"] is None and said["outcome"] == "could not tell" and "found 3" in said["reasons"][0]


def test_what_cannot_be_tried_is_said(capsys, monkeypatch):
    monkeypatch.setattr(case.Network, "modules", ("no_such_module",))
    assert command.main(["run", "frag-needed", "--json"]) == 3
    said = json.loads(capsys.readouterr().out)
    assert said["reproduced"] is None and "no_such_module" in said["reasons"][0]


def test_an_unknown_case_names_the_known(capsys):
    with pytest.raises(SystemExit) as stop:
        command.main(["run", "no-such-case"])
    assert stop.value.code == 2 and "frag-needed" in capsys.readouterr().err


def test_what_is_recorded_of_the_prompt_is_what_it_said():
    """The line that was typed says IpFragFails, too; and what failed has no number."""
    ask = "mininet> client nstat -n; time (ask); nstat -z IpFragFails\n"
    answers = "1448\n0.154 s\n1448\n0.286 s\n#kernel\nIpFragFails    1   0.0\n"
    typed = f"{ask}{answers}mininet> fault_off\n{ask}*** no host\n"
    assert record.waited(typed) == {"with_fault": {"first_s": 0.154, "second_s": 0.286, "refused": 1}, "without": {}}
