"""Does the evidence of a reader's tracing program come to the verdict that it deserves?"""

from dataclasses import replace

import pytest

from core.judge.evidence import Evidence
from core.judge.report import Event, Program
from labs.cases.addr_select.exercises.ex6.judge import FAR, Choice, Choices
from labs.cases.frag_needed.exercises.ex5.judge import AT_ONCE, DEFERRED, Ways
from labs.cases.frag_needed.names import BALANCER, CLIENT
from labs.cases.splice_push.exercises.ex5.judge import PUSHES, Unpushed
from labs.judge.judging import judged, judged_file

WAYS = [Event("A1", AT_ONCE), Event("B1", DEFERRED), Event("B1", AT_ONCE), Event("A1", DEFERRED)]
SENDER, IDLE = 4711, 0
CURRENT = [IDLE, SENDER, SENDER, SENDER]
TELLERS, IN_FLIGHT = [BALANCER, CLIENT, CLIENT, CLIENT], [1, 1, 0, 0]
SPLICES = [Event("A", 1000), Event("E", 2000)]
MADE = [Choice(number, f"RULE{number}", f"2001:db8::{number}", "A", number, number + 0.5) for number in range(6)]
for one, other, times in (("B", "C", (7, 10)), ("D", "E", (13, 16))):
    MADE += [Choice(0, "INIT", "2001:db8::1", one, at, at + 2) for at in times]
    MADE += [Choice(1, "LOCAL", "2001:db8::2", other, at + 1, at + 3) for at in times]
THREADS = {"A": 4711, "B": 8192, "C": 8193, "D": 4096, "E": 4096 + FAR}
TOLD = [Event("A", number) for number in range(6)]
TOLD += [Event("B", 0), Event("C", 1), Event("C", 1), Event("B", 0)]  # as they end
TOLD += [Event("D", 0), Event("E", 1), Event("E", 1), Event("D", 0)]
RIGHT = {
    "frag-needed/5": lambda program: Ways(program, WAYS, CURRENT, SENDER, TELLERS, IN_FLIGHT),
    "splice-push/5": lambda program: Unpushed(program, SPLICES, PUSHES),
    "addr-select/6": lambda program: Choices(program, MADE, THREADS),
}
TOLD = {"frag-needed/5": WAYS, "splice-push/5": SPLICES, "addr-select/6": TOLD}


def of(id: str, program: Program) -> Evidence:
    return Evidence(id, "int on(void *ctx) {}", "6.1", seen=RIGHT[id](program))


@pytest.mark.parametrize("id", RIGHT)
def test_what_is_right_passes_also_from_a_file(id):
    evidence = of(id, Program(told=TOLD[id]))
    for verdict in (judged(evidence), judged_file(evidence.text().encode())):
        assert verdict.verdict == "PASS", verdict.text()


@pytest.mark.parametrize("id", RIGHT)
def test_what_was_refused_lost_or_not_told_is_wrong(id):
    told = TOLD[id]
    wrong = [replace(told[0], value=99), *told[1:]]
    for program, said in (
        (Program(refused="x.c:1: error: no"), "the program does not load: x.c:1: error: no"),
        (Program(lost="found 3"), "the program reports more than can be read: found 3"),
        (Program(told=told[:-1]), f"{len(told) - 1} events were reported"),
        (Program(told=[*told, told[0]]), f"{len(told) + 1} events were reported"),
        (Program(), "nothing was told"),
        (Program(told=wrong), f"1 of {len(told)} are reported wrong; "),
    ):
        verdict = judged(of(id, program))
        assert verdict.verdict == "FAIL" and any(said in reason for reason in verdict.reasons), verdict.text()


@pytest.mark.parametrize(
    "id, said",
    [
        ("frag-needed/5", "connection A1: told 99, was at once (0)"),
        ("splice-push/5", "A: 99 bytes told, 1000 handed over"),
        ("addr-select/6", "choice 1, of A: told 99 of A, was 0 (RULE0, 2001:db8::0)"),
    ],
)
def test_the_first_that_is_wrong_is_named(id, said):
    told = [replace(TOLD[id][0], value=99), *TOLD[id][1:]]
    assert said in judged(of(id, Program(told=told))).reasons[0]


@pytest.mark.parametrize(
    "id, seen",
    [
        ("frag-needed/5", Ways(Program(), WAYS[:1], CURRENT[:1], SENDER, TELLERS[:1], IN_FLIGHT[:1])),
        ("splice-push/5", Unpushed(Program(), SPLICES, {"A": 1})),
        ("addr-select/6", Choices(Program(), MADE[:5], THREADS)),
    ],
)
def test_a_kernel_that_did_not_do_what_was_to_be_told_is_no_verdict(id, seen):
    assert judged(replace(of(id, Program()), seen=seen)).verdict == "SKIP"


@pytest.mark.parametrize(
    "changed, said",
    [
        (dict(current=[IDLE, SENDER, IDLE, SENDER]), "the sender was never at work"),
        (dict(current=[SENDER, SENDER, IDLE, SENDER]), "no message that was acted on at once was like one"),
        (dict(tellers=[BALANCER, CLIENT, BALANCER, CLIENT]), "no message that was acted on at once was like one"),
        (dict(in_flight=[1, 1, 2, 0]), "no message that was acted on at once was like one"),
        (dict(truth=[*WAYS[:3], Event("C", DEFERRED)]), "no connection has gone both ways"),
        (dict(truth=[Event("C", AT_ONCE), WAYS[3], WAYS[2], WAYS[1]]), "no connection has gone both ways"),
        (dict(current=CURRENT[1:]), "it lacks a part"),
        (dict(tellers=[]), "it lacks a part"),
        (dict(in_flight=IN_FLIGHT[1:]), "it lacks a part"),
    ],
)
def test_events_that_tell_no_right_program_from_a_wrong_one_are_no_verdict(changed, said):
    seen = replace(RIGHT["frag-needed/5"](Program(told=changed.get("truth", WAYS))), **changed)
    verdict = judged_file(replace(of("frag-needed/5", Program()), seen=seen).text().encode())
    assert verdict.verdict == "COULD NOT TELL" and said in verdict.reasons[0], verdict.text()


def later(thread: str) -> list[Choice]:
    """This thread's choices so late that they meet nobody's."""
    return [
        replace(one, first_s=one.first_s + 99, last_s=one.last_s + 99) if one.thread == thread else one for one in MADE
    ]


LAST_BIT, END = "threads with ids that agree but for their last bit", "threads with ids that agree at their end"


@pytest.mark.parametrize(
    "made, threads, said",
    [
        (MADE[:8], THREADS, LAST_BIT),
        (MADE[:10], THREADS, END),
        (later("C"), THREADS, LAST_BIT),
        (later("E"), THREADS, END),
        ([replace(one, thread="A") for one in MADE], THREADS, LAST_BIT),
        ([*MADE[:6], *(replace(one, number=1) for one in MADE[6:])], THREADS, LAST_BIT),
        (MADE, THREADS | {"B": 8193, "C": 8194}, LAST_BIT),  # neighbours, and half of either is another number
        (MADE, THREADS | {"E": 4097}, END),
        (MADE, THREADS | {"E": 4096 + (1 << 14)}, END),
        (MADE, THREADS | {"E": 4096 + 1000}, END),
        (MADE, {}, "it lacks a part"),
    ],
)
def test_choices_that_did_not_meet_tell_nothing(made, threads, said):
    evidence = replace(of("addr-select/6", Program()), seen=Choices(Program(told=TOLD["addr-select/6"]), made, threads))
    verdict = judged_file(evidence.text().encode())
    assert verdict.verdict == "COULD NOT TELL" and said in verdict.reasons[0], verdict.text()


@pytest.mark.parametrize("first, threads, was", [(6, "BC", 7), (10, "DE", 11)])
def test_a_thread_that_is_told_anothers_rule_is_wrong(first, threads, was):
    told, (one, other) = TOLD["addr-select/6"], threads
    wrong = [Event(one, 1), Event(other, 0), Event(other, 1), Event(one, 0)]
    verdict = judged(of("addr-select/6", Program(told=[*told[:first], *wrong, *told[first + 4 :]])))
    fault = f"choice {was}, of {one}: told 1 of {one}, was 0 (INIT, 2001:db8::1)"
    assert verdict.reasons == [f"2 of 14 are reported wrong; {fault}"]


@pytest.mark.parametrize("id", RIGHT)
def test_without_what_was_seen_it_could_not_tell(id):
    assert judged_file(replace(of(id, Program()), seen=None).text().encode()).verdict == "COULD NOT TELL"
