"""Does the evidence of a reader's tracing program come to the verdict that it deserves?"""

import re
from dataclasses import replace

import pytest

from core.judge.evidence import Evidence
from core.judge.report import Event, Program
from labs.cases.addr_select.exercises.ex6.judge import (
    FAR,
    FARTHEST,
    MOST_APART,
    ONE_BIT,
    Choice,
    Choices,
    apart,
    moduli,
)
from labs.cases.frag_needed.exercises.ex5.judge import AT_ONCE, DEFERRED, MtuReductions
from labs.cases.frag_needed.names import BALANCER, CLIENT
from labs.cases.splice_push.exercises.ex5.judge import LEAST, PUSHES, WAITS, Unpushed
from labs.judge.judging import WHOLE, verdict_on, verdict_on_file
from tests.labs.judge.stored import failed

WAYS = [Event("A1", AT_ONCE), Event("B1", DEFERRED), Event("B1", AT_ONCE), Event("A1", DEFERRED)]
SENDER, IDLE = 4711, 0
CURRENT = [IDLE, SENDER, SENDER, SENDER]
TELLERS, IN_FLIGHT = [BALANCER, CLIENT, CLIENT, CLIENT], [1, 1, 0, 0]
SPLICES = [Event("A", 1000), Event("E", 2000)]
MADE = [Choice(number, f"RULE{number}", f"2001:db8::{number}", "A", number, number + 0.5) for number in range(6)]
for one, other, times in (("B", "C", (7, 10)), ("D", "E", (13, 16)), ("F", "G", (19, 22))):
    MADE += [Choice(0, "INIT", "2001:db8::1", one, at, at + 2) for at in times]
    MADE += [Choice(1, "LOCAL", "2001:db8::2", other, at + 1, at + 3) for at in times]
THREADS = {"A": 4711, "B": 8192, "C": 8193, "D": 4096, "E": 4096 + FAR, "F": 7, "G": 7 + ONE_BIT}
TOLD = [Event("A", number) for number in range(6)]
TOLD += [Event("B", 0), Event("C", 1), Event("C", 1), Event("B", 0)]  # as they end
TOLD += [Event("D", 0), Event("E", 1), Event("E", 1), Event("D", 0)]
TOLD += [Event("F", 0), Event("G", 1), Event("G", 1), Event("F", 0)]
RIGHT = {
    "frag-needed/5": lambda program: MtuReductions(program, WAYS, CURRENT, SENDER, TELLERS, IN_FLIGHT),
    "splice-push/5": lambda program: Unpushed(program, SPLICES, {**PUSHES, WAITS: LEAST}),
    "addr-select/6": lambda program: Choices(program, MADE, THREADS),
}
TOLD = {"frag-needed/5": WAYS, "splice-push/5": SPLICES, "addr-select/6": TOLD}


def of(id: str, program: Program) -> Evidence:
    return Evidence(id, "int on(void *ctx) {}", "6.1", seen=RIGHT[id](program))


@pytest.mark.parametrize("id", RIGHT)
def test_what_is_right_passes_also_from_a_file(id):
    evidence = of(id, Program(told=TOLD[id]))
    for verdict in (verdict_on(evidence), verdict_on_file(evidence.text().encode())):
        assert verdict.verdict == "PASS", verdict.text()


@pytest.mark.parametrize("id", RIGHT)
def test_what_was_refused_lost_or_not_told_is_wrong(id):
    told = TOLD[id]
    wrong = [replace(told[0], value=99), *told[1:]]
    for program, ids in (
        (Program(refused="x.c:1: error: no"), {"loads"}),
        (Program(lost="found 3"), {"read-in-time"}),
        (Program(told=told[:-1]), {"one-report-each"}),
        (Program(told=[*told, told[0]]), {"one-report-each"}),
        (Program(), {"one-report-each", "reports-right"}),
        (Program(told=wrong), {"reports-right"}),
    ):
        verdict = verdict_on(of(id, program))
        assert verdict.verdict == "FAIL" and ids <= {*failed(verdict)}, verdict.text()


@pytest.mark.parametrize(
    "id, named",
    [
        ("frag-needed/5", {"A1", "99", "0"}),
        ("splice-push/5", {"A", "99", "1000"}),
        ("addr-select/6", {"A", "99", "RULE0"}),
    ],
)
def test_the_first_that_is_wrong_is_named(id, named):
    told = [replace(TOLD[id][0], value=99), *TOLD[id][1:]]
    (check,) = [check for check in verdict_on(of(id, Program(told=told))).checks if not check.passed]
    assert check.id == "reports-right" and named <= {*re.findall(r"\w+", check.found)}


@pytest.mark.parametrize(
    "id, seen",
    [
        ("frag-needed/5", MtuReductions(Program(), WAYS[:1], CURRENT[:1], SENDER, TELLERS[:1], IN_FLIGHT[:1])),
        ("splice-push/5", Unpushed(Program(), SPLICES, {"A": 1})),
        ("splice-push/5", Unpushed(Program(), SPLICES, {**PUSHES, WAITS: 1})),
        ("addr-select/6", Choices(Program(), MADE[:5], THREADS)),
    ],
)
def test_a_kernel_that_did_not_what_was_asked_is_no_verdict(id, seen):
    assert verdict_on(replace(of(id, Program()), seen=seen)).verdict == "SKIP"


@pytest.mark.parametrize(
    "changed, id",
    [
        (dict(current=[IDLE, SENDER, IDLE, SENDER]), "sender-at-work"),
        (dict(current=[SENDER, SENDER, IDLE, SENDER]), "both-ways-alike"),
        (dict(tellers=[BALANCER, CLIENT, BALANCER, CLIENT]), "both-ways-alike"),
        (dict(in_flight=[1, 1, 2, 0]), "both-ways-alike"),
        (dict(truth=[*WAYS[:3], Event("C", DEFERRED)]), "both-ways-on-one"),
        (dict(truth=[Event("C", AT_ONCE), WAYS[3], WAYS[2], WAYS[1]]), "both-ways-on-one"),
        (dict(released=[True, True, True, True]), "no-release-between"),
        (dict(released=[False, True, True, False]), "no-release-between"),
        (dict(current=CURRENT[1:]), WHOLE),
        (dict(tellers=[]), WHOLE),
        (dict(in_flight=IN_FLIGHT[1:]), WHOLE),
        (dict(owned=[True]), WHOLE),
        (dict(released=[True]), WHOLE),
    ],
)
def test_events_that_cannot_tell_two_programs_are_no_verdict(changed, id):
    seen = replace(RIGHT["frag-needed/5"](Program(told=changed.get("truth", WAYS))), **changed)
    verdict = verdict_on_file(replace(of("frag-needed/5", Program()), seen=seen).text().encode())
    assert verdict.verdict == "COULD NOT TELL" and failed(verdict) == [id], verdict.text()


@pytest.mark.parametrize(
    "owned, said",
    [
        ([], False),  # kept before it was looked at
        ([False] * 4, False),  # tcp_release_cb() gives the socket up first
        ([True] * 4, False),
        ([False, True, False, True], True),  # it does not
    ],
)
def test_it_is_said_where_the_socket_s_owner_tells_the_ways_too(owned, said):
    evidence = of("frag-needed/5", Program(told=WAYS))
    evidence = replace(evidence, seen=replace(evidence.seen, owned=owned))
    verdict = verdict_on_file(evidence.text().encode())
    assert verdict.verdict == "PASS"
    assert ("told-by-owner-too" in [check.id for check in verdict.checks]) == said


def test_an_event_that_no_release_came_before_tells_what_is_remembered_too_long():
    seen = replace(RIGHT["frag-needed/5"](Program(told=WAYS)), released=[False, True, False, True])
    evidence = replace(of("frag-needed/5", Program()), seen=seen)
    assert verdict_on_file(evidence.text().encode()).verdict == "PASS"


def later(thread: str) -> list[Choice]:
    """A thread's choices so late that they meet nobody's."""
    return [
        replace(one, first_s=one.first_s + 99, last_s=one.last_s + 99) if one.thread == thread else one for one in MADE
    ]


LAST_BIT, END, FIRST_BIT = ("threads-but-for-their-last-bit", "threads-at-their-end", "threads-but-for-their-first-bit")


@pytest.mark.parametrize(
    "made, threads, id",
    [
        (MADE[:8], THREADS, LAST_BIT),
        (MADE[:10], THREADS, END),
        (MADE[:14], THREADS, FIRST_BIT),
        (later("C"), THREADS, LAST_BIT),
        (later("E"), THREADS, END),
        ([replace(one, thread="A") for one in MADE], THREADS, LAST_BIT),
        ([*MADE[:6], *(replace(one, number=1) for one in MADE[6:])], THREADS, LAST_BIT),
        (MADE, THREADS | {"B": 8193, "C": 8194}, LAST_BIT),  # neighbours, and half of either is another number
        (MADE, THREADS | {"E": 4097}, END),
        (MADE, THREADS | {"E": 4096 + (1 << 14)}, END),
        (MADE, THREADS | {"E": 4096 + 1000}, END),
        (MADE, THREADS | {"G": 7 + (1 << 16)}, FIRST_BIT),
        (MADE, {}, WHOLE),
    ],
)
def test_choices_that_did_not_meet_tell_nothing(made, threads, id):
    evidence = replace(of("addr-select/6", Program()), seen=Choices(Program(told=TOLD["addr-select/6"]), made, threads))
    verdict = verdict_on_file(evidence.text().encode())
    assert verdict.verdict == "COULD NOT TELL" and failed(verdict) == [id], verdict.text()


@pytest.mark.parametrize(
    "code, found",
    [
        ("int slot = thread() % 1021;", [1021]),
        ("#define SLOTS 0x3fdU\n thread() % SLOTS", [1021]),
        ("slot = thread() % 01775L", [1021]),
        ("// GPL-2.0, 1021\n/* 1021\n 1021 */ u32 one_1021 = ARGUMENT_4(ctx);", []),
        ('char *text = "/* \\" //", quote = \'"\'; slot = thread() % 1021; // "', [1021]),
        (f"{'9' * 5000} /* 1021", []),
        ("#define SLOTS ((1 << 12) - 1)", [12, 4095]),
        ("thread() % (1020 + 1)", [1020, 1021]),
        ("#define SLOTS 4096\n thread() % (SLOTS - 1)", [4095]),
        ("enum { SLOTS = 4096 }; thread() % (SLOTS - 1)", [4095]),
        (f"#define A {'1 - ' * 40}1\n{'A ' * 30_000}", []),
        (f"#define A {'1 - ' * 40}1\n{'A ' * 300_000}", []),
        ("#define A B B\n#define B A A\n A % (8190 / 2)", [4095, 8190]),
        ("thread() % (0x3FE - 1)", [1021, 1022]),
        (f"{'1 - ' * 5000}1, 0x{'f' * 9000} * 2", []),
        ("asked % 2, >> 32, % 256, % 1000, 0", []),  # FAR is a multiple
        (f"% {FARTHEST}; % {FARTHEST + 1}; % {1 << 40}", [FARTHEST]),  # no two ids are so far apart
    ],
)
def test_numbers_of_an_answer_are_those_that_may_merge_threads(code, found):
    assert moduli(code) == found


def test_each_number_divides_one_of_few_distances_between_ids():
    numbers = [3, 7, 13, 1021, 65537, FARTHEST - 1]
    distances = apart(" ".join(map(str, numbers)))
    assert len(distances) == 3 and max(distances) <= FARTHEST
    assert all(any(distance % number == 0 for distance in distances) for number in numbers)


A_PRIME = "int on(void *ctx) { int slot = thread() % 1021; }"


@pytest.mark.parametrize("distance, passes", [(1021, True), (3 * 1021, True), (1020, False), (FAR, False)])
def test_threads_that_agree_by_a_number_have_to_have_met(distance, passes):
    made = [replace(one, first_s=one.first_s + 99, last_s=one.last_s + 99) for one in MADE[-4:]]
    made = [*MADE, *(replace(one, thread={"F": "H", "G": "I"}[one.thread]) for one in made)]
    told = [*TOLD["addr-select/6"], Event("H", 0), Event("I", 1), Event("I", 1), Event("H", 0)]
    seen = Choices(Program(told=told), made, THREADS | {"H": 6000, "I": 6000 + distance})
    verdict = verdict_on(replace(of("addr-select/6", Program()), answer=A_PRIME, seen=seen))
    assert verdict.verdict == ("PASS" if passes else "COULD NOT TELL"), verdict.text()
    assert failed(verdict) == ([] if passes else ["threads-modulo-1021"])


def test_more_numbers_than_can_be_tried_are_too_many():
    primes = [number for number in range(2100, 2300) if all(number % each for each in range(2, 48))]
    assert len(apart(answer := " ".join(map(str, primes)))) > MOST_APART
    verdict = verdict_on(replace(of("addr-select/6", Program(told=TOLD["addr-select/6"])), answer=answer))
    assert failed(verdict) == ["few-numbers"], verdict.text()


@pytest.mark.parametrize("first, threads, was", [(6, "BC", 7), (10, "DE", 11)])
def test_a_thread_that_is_told_anothers_rule_is_wrong(first, threads, was):
    told, (one, other) = TOLD["addr-select/6"], threads
    wrong = [Event(one, 1), Event(other, 0), Event(other, 1), Event(one, 0)]
    verdict = verdict_on(of("addr-select/6", Program(told=[*told[:first], *wrong, *told[first + 4 :]])))
    assert failed(verdict) == ["reports-right"] and f"choice {was}, of {one}:" in verdict.reasons[0]


@pytest.mark.parametrize("id", RIGHT)
def test_without_what_was_seen_it_could_not_tell(id):
    assert verdict_on_file(replace(of(id, Program()), seen=None).text().encode()).verdict == "COULD NOT TELL"
