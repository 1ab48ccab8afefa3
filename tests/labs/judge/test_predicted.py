"""Does the evidence of what was measured come to the verdict that a prediction deserves?"""

import itertools
import json
import random
import time
from dataclasses import replace
from types import SimpleNamespace

import pytest

from core import cases
from core.cases import exercise
from core.judge.evidence import Evidence
from labs.cases.addr_select.costs import Cost, Pair
from labs.cases.addr_select.exercises.ex4.judge import Deprecation
from labs.cases.addr_select.exercises.ex5.judge import Crowd
from labs.cases.addr_select.names import NODE, REPORTED, service
from labs.cases.rtl8139_tso.exercises.ex3.judge import Predicted, predictions
from labs.cases.rtl8139_tso.observed import Download
from labs.cases.splice_push.exercises.ex3 import judge as splice_push_3
from labs.cases.splice_push.exercises.ex3.judge import Fates, drawn, listed, loses, unseen
from labs.errors import FAULT, RAN_ON
from labs.judge.judging import verdict_on, verdict_on_file
from tests.labs.judge.made import BROKEN, CUT, download
from tests.labs.judge.stored import failed


def pairs(one_us: float, other_us: float, source: str = NODE, held_up_ms: float = 0) -> list[Pair]:
    one, other = (Cost(us, us, us, where) for us, where in ((one_us, NODE), (other_us, source)))
    return [Pair(one, other, held_up_ms)] * 7


ROUTES = {
    "mtu": download(CUT, True, FragFails=5),
    "mtu_lock": download(CUT, False, FragOKs=5),
    "mtu_lock_1500": download(CUT, False, FragOKs=5),
}


DEPRECATED = Deprecation(pairs(300, 300), 513, service(REPORTED), "PREFERRED")
CROWD = Crowd(pairs(10, 500), 3001, 66004)


def condition(answer: str) -> Fates:
    """What the broken kernel does: a request for more than there is loses its end."""
    made = [*listed(exercise("splice-push/3")), *unseen(random.Random(answer))]
    return Fates(made, 7, [loses(one) for one in made])


def solution(id: str) -> str:
    return cases.exercise(id).solution.read_text()


def of(id: str, seen: object, answer: str = "") -> Evidence:
    return Evidence(id, answer or solution(id), "6.1", seen=seen)


RIGHT = {
    "rtl8139-tso/3": lambda answer: Predicted(BROKEN, ROUTES),
    "splice-push/3": condition,
    "addr-select/4": lambda answer: DEPRECATED,
    "addr-select/5": lambda answer: CROWD,
}


@pytest.mark.parametrize("id", RIGHT)
def test_the_solution_passes_also_from_a_file(id):
    evidence = of(id, RIGHT[id](solution(id)))
    for verdict in (verdict_on(evidence), verdict_on_file(evidence.text().encode())):
        assert verdict.verdict == "PASS", verdict.text()


@pytest.mark.parametrize("clock, verdict", [("monotonic", "PASS"), ("thread_time", "FAIL")])
def test_what_an_expression_takes_is_the_processors_time_and_not_what_others_take(monkeypatch, clock, verdict):
    jumps = itertools.count(step=splice_push_3.RECKONED_S + 1)
    clocks = {"monotonic": time.monotonic, "thread_time": time.thread_time} | {clock: lambda: next(jumps)}
    monkeypatch.setattr(splice_push_3, "time", SimpleNamespace(**clocks))
    answer = solution("splice-push/3")
    assert verdict_on(of("splice-push/3", condition(answer), answer)).verdict == verdict


@pytest.mark.parametrize("id", RIGHT)
def test_the_untouched_file_fails(id):
    untouched = cases.exercise(id).start.read_text()
    assert verdict_on(of(id, RIGHT[id](untouched), untouched)).verdict == "FAIL"


def rerouted(route: str, instead: Download) -> Predicted:
    return Predicted(BROKEN, ROUTES | {route: instead})


@pytest.mark.parametrize(
    "exercise, seen, id",
    [
        ("rtl8139-tso/3", rerouted("mtu", download(CUT, False, FragFails=5)), "mtu-df"),
        ("rtl8139-tso/3", rerouted("mtu_lock", download({1268: 5}, False, FragOKs=5)), "mtu-lock-largest"),
        ("rtl8139-tso/3", rerouted("mtu_lock_1500", download(CUT, False)), "mtu-lock-1500-cut"),
        ("addr-select/4", replace(DEPRECATED, turns=pairs(900, 100)), "faster"),
        ("addr-select/4", replace(DEPRECATED, turns=pairs(9, 9, service(1))), "source-changes"),
        ("addr-select/4", replace(DEPRECATED, lookups=1), "lookups"),
        ("addr-select/4", replace(DEPRECATED, rule="OIF"), "deciding-rule"),
        ("addr-select/4", replace(DEPRECATED, bound_from=NODE), "bound-still-sends"),
        ("addr-select/5", replace(CROWD, turns=pairs(10, 20)), "times-as-long"),
        ("addr-select/5", replace(CROWD, questions=1), "questions"),
        ("addr-select/5", replace(CROWD, turns=pairs(10, 500, service(1))), "own-source"),
    ],
)
def test_what_was_predicted_and_did_not_happen_fails(exercise, seen, id):
    verdict = verdict_on(of(exercise, seen))
    assert verdict.verdict == "FAIL" and id in failed(verdict), verdict.text()


@pytest.mark.parametrize(
    "lines, found",
    [
        ("mtu.df = set", ["set"]),
        ("  MTU.df=Set  # and why", ["set"]),
        ('mtu.df = "SET".', ["set"]),
        ("mtu.df: set (as before)", ["set"]),
        ("mtu.df = set - as before", ["set"]),
        ("mtu.df =\nmtu.df = set\nmtu.df = 'Set'", ["set"]),
        ("mtu.df = set or clear", ["set or clear"]),
        ("mtu.df = not set", ["not set"]),
        ("mtu.df = set\nmtu.df = clear", ["set", "clear"]),
        ("mtu.df = 1448 bytes", ["1448"]),
        ("mtu.df = 1,448", ["1448"]),
        ("mtu.df = 1_448 B, of payload", ["1_448 b, of payload"]),
        ("mtu.df = 1500 - (20 + 20 + 12)", ["1448"]),
        ("mtu.df = 1448 (1500 less 52)", ["1448"]),
        ("mtu.df = 2896 / 2; half", ["1448"]),
        ("mtu.df = 1448 or 1268", ["1448 or 1268"]),
        ("mtu.df = 1500 \u2212 52", ["1448"]),
        ("mtu.df = 1500 \u2013 52 bytes \u2013 as before", ["1448"]),
        ("mtu.df = 1500\u201352", ["1448"]),
        ("mtu.df = 1448 \u2212 as before", ["1448"]),
        ("mtu.df = 1500 - 52 - as before; or so", ["1448"]),
        ("mtu.df = 1500 - 52 = 1448", ["1448"]),
        ("mtu.df = 1500-52=1448", ["1448"]),
        ("mtu.df = MTU - 52 = 1448 bytes", ["1448"]),
        ("mtu.df = 1500 - 20 IP - 32 TCP with options", ["1448"]),
        ("mtu.df = 1448 - 12 = 1436", ["1436"]),
        ("mtu.df = 1448 - 12 timestamps", ["1436"]),
        ("mtu.df = 1448 = 1436", ["1448 or 1436"]),
        ("mtu.df = 1448 - or 1268", ["1448 or 1268"]),
        ("mtu.df = set = clear", ["set or clear"]),
        ("mtu.df = 1500 minus 52", ["1500 minus 52"]),
        ("mtu.df = set; clear", ["set or clear"]),
        ("mtu.df = set // Clear.", ["set or clear"]),
        ("mtu.df = set - 'clear'", ["set or clear"]),
        ("mtu.df = set \u2212 as before \u2013 clear (so far)", ["set or clear"]),
        ("mtu.df = set; or clear", ["set or clear"]),
        ("mtu.df = 1448; 1268", ["1448 or 1268"]),
        ("mtu.df = 1448 // 1500 - 52", ["1448"]),
        ("mtu.df = set; set", ["set"]),
        ("mtu.df = set; not clear", ["set"]),
        ("mtu.df = set (clear - or (not) clear; clear) # clear", ["set"]),
        ("mtu.df = set (of course; clear", ["set"]),
        ("mtu.df = 1448 (1500 \u2013 52)", ["1448"]),
        ("mtu.df = 1500 - (20 + (20 + 12))", ["1448"]),
        ("mtu.df = 1500 - (20 IP + 32 TCP) = 1448", ["1448"]),
        ("mtu.df = 1500 - (20 IPv4 + 20 TCP + 12 timestamps)", ["1448"]),
        ("mtu.df = 1448 = 1500 - (20 IP + 20 TCP + 12 TS)", ["1448"]),
        ("mtu.df = 1500 - IP 20 - TCP 32 = 1448", ["1448"]),
        ("mtu.df = 1448 - (12 timestamps)", ["1436"]),
        ("mtu.df = 1448 - IP 20, TCP 32", ["1448"]),
        ("mtu.df = 1448 - TCP 32 and IP 20 are off", ["1448"]),
        ("mtu.df = 1448 (12 timestamps)", ["1448"]),
        ("mtu.df = 1448 (with 12 of timestamps)", ["1448"]),
        ("mtu.df = 1448 bytes of payload", ["1448"]),
        ("mtu.df = 1448 bytes payload", ["1448"]),
        ("mtu.df = some - 676 packets", ["some"]),
        ("mtu.df = 1500 - 20 [IPv4] - 32 [TCP with timestamps]", ["1448"]),
        ("mtu.df = none [DF forbids it]", ["none"]),
        ("mtu.df = 1500 - [20 + 32]", ["1448"]),
        ("mtu.df = 1448 - TCP options (12) = 1436", ["1436"]),
        ("mtu.df = 1448 - IP (20) - TCP (32) = 1396", ["1396"]),
        ("mtu.df = 1448 - timestamp option 12 = 1436", ["1436"]),
        ("mtu.df = 1448 - headers (52)", ["1396"]),
        ("mtu.df = 1500 - (IP 20 + TCP 32)", ["1448"]),
        ("mtu.df = 1500 - (IPv4 20 + TCP 20 + timestamps 12) = 1448", ["1448"]),
        ("mtu.df = 1500 - IP(20) - TCP(32) = 1448", ["1448"]),
        ("mtu.df = 1500 - IP (20) - TCP (20) - TS (12) = 1448 bytes", ["1448"]),
        ("mtu.df = 1500 - IPv4 header 20 - TCP header 32 = 1448", ["1448"]),
        ("mtu.df = MTU 1500 - IP 20 - TCP 32 = 1448", ["1448"]),
        ("mtu.df = 1500 - 40 = 1460 - 12 = 1448", ["1448"]),
        ("mtu.df = 1448 = 1436", ["1448 or 1436"]),
        ("mtu.df = 1448; MTU = 1500", ["1448"]),
        ("mtu.df = 1500B - 52B", ["1448"]),
        ("mtu.df = \u201cset\u201d", ["set"]),
        ("mtu.df = (set)", ["set"]),
        ("mtu.df = set; or perhaps clear", ["set or clear"]),
        ("mtu.df = set; not clear", ["set"]),
        ("mtu.df = set; or not clear", ["set"]),
        ("mtu.df = clear; perhaps because mtu_lock is set", ["clear"]),
        ("mtu.df = none; maybe some router would", ["none"]),
        ("mtu.df = some - perhaps none at the sender", ["some"]),
        ("mtu.df = 1500 -  52", ["1448"]),
        ("mtu.df = 1448 bytes TCP payload", ["1448"]),
        ("mtu.df = 1448 bytes of TCP payload", ["1448"]),
        ("mtu.df = 1448 payload bytes", ["1448"]),
        ("mtu.df = 1448 octets", ["1448"]),
        ("mtu.df = set; clear?", ["set or clear"]),
        ("mtu.df = set; or clear, I am not sure", ["set or clear"]),
        ("mtu.df = set; maybe it is clear", ["set or clear"]),
        ("mtu.df = 1448; or 1460, not sure", ["1448 or 1460"]),
        ("mtu.df = 1500 - 40 = 1460 octets - 12 = 1448", ["1448"]),
        ("mtu.df = 1500 - 40 = 1460 bytes of data - 12 = 1448", ["1448"]),
        ("mtu.df = some - probably none", ["some or none"]),
        ("mtu.df = clear; if not, set", ["clear or set"]),
        ("mtu.df = 1448 - perhaps 1460", ["1448 or 1460"]),
        ("mtu.df = 1500 - 40 = 1460 bytes - 12 = 1448", ["1448"]),
        ("mtu.df = 1500 - 40 = 1,460 - 12 = 1448", ["1448"]),
        ("mtu.df = none - 0", ["none"]),
        ("mtu.df = - set", []),
        ("mtu.df = ; set", []),
        ("mtu.df =", []),
    ],
)
def test_a_line_is_read_as_a_person_reads_it(lines, found):
    assert predictions(lines) == {"mtu.df": found}


def test_a_line_of_another_name_is_told_and_prose_is_not():
    assert predictions("Note: the lock decides\n# mtu.df = set") == {}
    verdict = verdict_on(of("rtl8139-tso/3", Predicted(BROKEN, ROUTES), solution("rtl8139-tso/3") + "mtu.ttl = 64\n"))
    assert failed(verdict) == ["known-lines"] and "mtu.ttl" in verdict.reasons[0]


@pytest.mark.parametrize("predicted, verdict", [(13, "PASS"), (199, "PASS"), (12, "FAIL"), (201, "FAIL")])
def test_a_time_may_be_off_by_two_of_the_mean_or_of_the_fastest_send(predicted, verdict):
    """Beside other work, the mean of short sends grows more than that of long ones: 26 and 42 were seen of one run."""
    turns = [replace(pair, other=replace(pair.other, mean_us=250, send_us=1000)) for pair in pairs(10, 500)]
    answer = f"lookups = 3001\nquestions = 66004\ntimes_as_long = {predicted}"
    assert verdict_on(of("addr-select/5", replace(CROWD, turns=turns), answer)).verdict == verdict


@pytest.mark.parametrize(
    "predicted, failed_by",
    [
        ("lookups = 3001\nquestions = 66004\ntimes_as_long = " + 400 * "9", "says-times-as-long"),
        ("lookups = 3001\nquestions = 66004\ntimes_as_long = nan", "says-times-as-long"),
        (f"lookups = {5000 * '9'}\nquestions = 66004\ntimes_as_long = 50", "readable"),
        ("\ufefflookups = 3002\nquestions = 66004\ntimes_as_long = 50", "lookups"),
    ],
)
def test_a_table_is_read_whatever_its_numbers_are_and_whichever_editor_has_saved_it(predicted, failed_by):
    verdict = verdict_on(of("addr-select/5", CROWD, predicted))
    assert failed_by in failed(verdict), verdict.text()
    assert all(len(reason) < 200 for reason in verdict.reasons)


def test_two_lines_that_disagree_are_no_prediction():
    answer = solution("rtl8139-tso/3") + "mtu.df = clear\n"
    verdict = verdict_on(of("rtl8139-tso/3", Predicted(BROKEN, ROUTES), answer))
    assert failed(verdict) == ["said-once"] and "mtu.df (set and clear)" in verdict.reasons[0]


def test_a_kernel_that_does_otherwise_than_its_code_says_tells_nothing():
    seen = RIGHT["splice-push/3"]("")
    seen.lost[0] = not seen.lost[0]
    verdict = verdict_on(of("splice-push/3", seen))
    assert verdict.verdict == "COULD NOT TELL" and failed(verdict) == ["kernel-agrees"]


def test_numbers_are_tried_whatever_else_takes_its_time():
    """What is never reckoned may take for ever; and not all of very many numbers can be tried."""
    doubled = "".join(f"f{number + 1} = lambda x: f{number}(x) + f{number}(x)\n" for number in range(30))
    slow = f"f0 = lambda x: x + x\n{doubled}never = 0 and f30(1)\nlost = asked > size and size != 777"
    many = f"lost = asked > size and size not in ({', '.join(map(str, range(100, 400)))}, 777)"
    for answer, id in ((slow, "condition-right"), (many, "few-numbers")):
        verdict = verdict_on(of("splice-push/3", condition(answer), answer))
        assert failed(verdict) == [id], verdict.text()


@pytest.mark.parametrize(
    "lost",
    [
        "True if asked > size else False",
        "max(asked, size) > size",
        "asked - size",
        "not asked == size",
        "asked / size > 1",
        "any([asked > size, asked >= size + 1])",
        "size < asked < 2**63",
        "asked ** 2 > size ** 2",
        "~(size - asked) >= 0",
    ],
)
def test_a_right_condition_passes_however_it_is_said(lost):
    answer = f"lost = {lost}"
    verdict = verdict_on(of("splice-push/3", condition(answer), answer))
    assert verdict.verdict == "PASS", verdict.text()


@pytest.mark.parametrize(
    "lost",
    [
        "asked > 65536 or asked in (65536, 20001, 12001)",
        "asked > 65535 or asked - size == 1",
        "asked - size in (1, 4096, 65536, 1048576, 1073721824, 45536, 127072)",
        "asked > size + 1",
        "asked > size and size != 777",
        "asked > size and asked != 54321",
        "asked > size and asked - size != 5000",
        "asked > size and size > 999",
        "asked > size or (where == 'client' and more and nodelay and sndbuf)",
        "asked % size != 0",
        "asked > min(size, 23000)",
        "asked >= size",
        "size < asked < 2**31",
        "size < asked < 1 << 32",
        "size < asked <= 2**62 + 24000",
        "asked % 2**32 > size",
        "asked > size and asked != 2**33",
        "asked > size and size != 3 * 7 * 37",
        "asked > size and 2 * size != 1554",
        "asked > size and asked + size != 30001",
        "asked > size and asked + size != 10000",
    ],
)
def test_nothing_passes_by_luck(lost):
    """With none of so many requests drawn."""
    answer = f"lost = {lost}"
    for chance in map(random.Random, range(12)):
        seen = replace(condition(f"{chance.random()}"), secret=chance.getrandbits(62))
        verdict = verdict_on(of("splice-push/3", seen, answer))
        assert verdict.verdict == "FAIL" and failed(verdict) == ["condition-right"], verdict.text()


def test_a_number_by_a_name_of_its_own_is_tried_too():
    answer = "k = 700\nlost = asked > size and size != k + 77"
    assert failed(verdict_on(of("splice-push/3", condition(answer), answer))) == ["condition-right"]


def test_without_the_number_that_was_drawn_nothing_is_judged():
    evidence = of("splice-push/3", condition("")).to_json()
    del evidence["seen"]["secret"]
    verdict = verdict_on_file(json.dumps(evidence).encode())
    assert verdict.verdict == "COULD NOT TELL" and "secret" in verdict.text(), verdict.text()


def test_every_other_request_that_is_made_asks_for_too_much():
    for chance in map(random.Random, range(100)):
        assert [loses(one) for one in unseen(chance)] == [False, True, False, True]
        assert 1 <= (one := drawn(chance)).size <= one.asked


@pytest.mark.parametrize("id", RIGHT)
def test_what_was_not_measured_could_not_tell(id):
    verdict = verdict_on_file(of(id, None).text().encode())
    assert verdict.verdict == "COULD NOT TELL", verdict.text()


@pytest.mark.parametrize(
    "id, seen",
    [
        ("rtl8139-tso/3", Predicted(BROKEN, ROUTES | {"mtu": download(CUT, True, 1e3, FragFails=5)})),
        ("addr-select/4", replace(DEPRECATED, turns=pairs(9, 9, NODE, 1e3))),
        ("addr-select/5", replace(CROWD, turns=pairs(9, 9, NODE, 1e3))),
    ],
)
def test_a_machine_that_stood_still_tells_nothing(id, seen):
    verdict = verdict_on(of(id, seen))
    assert verdict.verdict == "COULD NOT TELL" and failed(verdict) == [RAN_ON]


@pytest.mark.parametrize("lacking", [slice(1, None), slice(0, -1), slice(0, 12)])
def test_requests_of_another_exercise_could_not_tell(lacking):
    seen = condition("lost = True")
    seen.requests, seen.lost = seen.requests[lacking], seen.lost[lacking]
    assert verdict_on_file(of("splice-push/3", seen).text().encode()).verdict == "COULD NOT TELL"


def test_a_server_that_shows_no_fault_is_nothing_to_compare_with():
    healthy = Predicted(download({1268: 5}, True), ROUTES)
    verdict = verdict_on(of("rtl8139-tso/3", healthy))
    assert verdict.verdict == "SKIP" and failed(verdict) == [FAULT]
