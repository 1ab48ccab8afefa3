"""Does the evidence of a server or a livepatch come to the verdict that it deserves?"""

import hashlib
from dataclasses import replace

import pytest

from core.judge.evidence import Evidence
from labs.cases.splice_push.delivery.judge import AGAIN, FIRST, SIZES, STOPPED_BYTES, TRACED_BYTES, Held, Object, Served
from labs.cases.splice_push.exercises.ex4.judge import ASKED, DRAWN, REQUESTS, Repaired, Response
from labs.cases.splice_push.pages import PIPE_BYTES, Call
from labs.cases.splice_push.server import PATTERN, SPLICE_F_MORE
from labs.errors import RAN_ON
from labs.judge.judging import verdict_on, verdict_on_file
from tests.labs.judge.stored import failed

MORE, NOTLAST = 0x8000 << 32, 0x20000 << 32
LARGEST = SIZES.index(max(SIZES))
PROBE = Call("tcp_write_wakeup", 0, 0)
SENDS = "sendfile() instead of, or beside,"
SLEEP = "clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, {tv_sec=1, tv_nsec=9}, NULL) = 0 <0.050100>"


def spliced(size: int, asked: int = 0, flags: int = NOTLAST) -> list[Call]:
    """One splice of one page, and its push."""
    return [
        Call("generic_splice_sendpage", asked or size, 0),
        Call("pipe_to_sendpage", asked or size, 1),
        Call("do_tcp_sendpages", size | flags, 0),
        Call("tcp_push", 0, 0),
    ]


def delivered(size: int, calls: list[Call], **changed) -> Object:
    return Object(size, **{"missing_bytes": 0, "took_ms": 9.0, "sha256": hash_of(size), "calls": calls} | changed)


def hash_of(size: int, first: int = 0) -> str:
    return hashlib.sha256(PATTERN[first : first + size]).hexdigest()


def parts(size: int) -> list[int]:
    return [min(65_536, size - at) for at in range(0, size, 65_536)]


def by_pipefuls(size: int) -> list[Call]:
    return [call for part in parts(size) for call in spliced(part)] if size <= TRACED_BYTES else []


SOCKET = "4<TCP:[10.0.2.3:8010->10.0.2.2:20101]>"


WAIT = "futex(0x7f, FUTEX_WAIT_BITSET|FUTEX_CLOCK_REALTIME, 0, {}, NULL) = -1 ETIMEDOUT (timed out) <0.050200>"
SNAPSHOT = "sendfile(7</memfd:snapshot>(deleted), 6</memfd:object>(deleted), [0] => [20000], 20000) = 20000 <0.000102>"
POLLED = f"getsockopt({SOCKET}, SOL_TCP, TCP_INFO, ..., [104]) = 0 <0.000048>"


def splice(asked: int, moved: int, flags: str = "0") -> str:
    """A splice(2), as strace says it."""
    return f"splice(7<pipe:[3]>, NULL, {SOCKET}, NULL, {asked}, {flags}) = {moved} <0.000103>"


def sent(size: int) -> list[str]:
    return [
        f'read(6</memfd:object>(deleted), "\\0\\1"..., {size}) = {size} <0.000012>',
        f'sendto({SOCKET}, "\\0\\1"..., {size}, 0, NULL, 0) = {size} <0.000012>',
        f"setsockopt({SOCKET}, SOL_TCP, TCP_NODELAY, [1], 4) = 0 <0.000012>",
    ]


def one(size: int) -> Object:
    return delivered(size, by_pipefuls(size), strace=[splice(part, part) for part in parts(size)])


def together(made) -> list[Object]:
    """Objects of several clients at the same time, each made so for its size, and of another part of the pattern."""
    sizes = enumerate((STOPPED_BYTES, 700, 50_000, 100_000), 1)
    return [replace(made(size), first=first, sha256=hash_of(size, first)) for first, size in sizes]


def by_send(size: int) -> Object:
    return delivered(size, spliced(size), strace=sent(size))


ONE = Evidence(
    "splice-push/1", "x", "6.1", seen=Served("", 20_000, [*map(one, SIZES)], [*map(one, AGAIN)], together(one))
)
TWO = Evidence(
    "splice-push/2",
    "CALLS = 2\nCOPIED_BYTES = 40_000\n",
    "6.1",
    seen=Served("", 20_000, [*map(by_send, SIZES)], [*map(by_send, AGAIN)], together(by_send)),
)


def drawn(name: str) -> Response:
    """A request in a kernel that puts pages together; one page is all, for all kinds."""
    how, more = DRAWN[name]
    asked, *others = spliced(20_000, ASKED[how](20_000)[0], MORE if more else 0)
    calls = [replace(asked, detail=11 | SPLICE_F_MORE * more), *others]
    return Response(name, 20_000, 0, 3, calls, f"asked={asked.value}")


MADE = [*(Response(name, 20_000, 0, 3, spliced(20_000)) for name in REQUESTS), *map(drawn, DRAWN)]
EXACT_AND_MORE = len(REQUESTS) + [*DRAWN].index("drawn: exact, with MORE")
FOUR = Evidence("splice-push/4", "x", "6.1", seen=Repaired("", MADE, 20_000, MADE))


def first(evidence: Evidence, **changed) -> Evidence:
    """With a change to its first object."""
    return of(evidence, 0, **changed)


def of(evidence: Evidence, number: int, **changed) -> Evidence:
    """With a change to an object; those that one connection got come behind the others."""
    every = evidence.seen.all
    every[number] = replace(every[number], **changed)
    return seen(evidence, objects=every[: len(SIZES)], again=every[len(SIZES) :])


def at_once(evidence: Evidence, number: int, **changed) -> Evidence:
    """With a change to one of the objects that several clients got at the same time."""
    objects = list(evidence.seen.together)
    objects[number] = replace(objects[number], **changed)
    return seen(evidence, together=objects)


def with_lines(evidence: Evidence, number: int, *lines: str) -> Evidence:
    return of(evidence, number, strace=[*evidence.seen.all[number].strace, *lines])


def request(number: int, **changed) -> Evidence:
    made = list(MADE)
    made[number] = replace(made[number], **changed)
    return replace(FOUR, seen=replace(FOUR.seen, repaired=made))


def seen(evidence: Evidence, **changed) -> Evidence:
    return replace(evidence, seen=replace(evidence.seen, **changed))


@pytest.mark.parametrize("evidence", [ONE, TWO, FOUR], ids="124")
def test_what_is_right_passes_also_from_a_file(evidence):
    for verdict in (verdict_on(evidence), verdict_on_file(evidence.text().encode())):
        assert verdict.verdict == "PASS", verdict.text()


@pytest.mark.parametrize(
    "evidence, id",
    [
        (seen(ONE, refused="SyntaxError: no"), "starts"),
        (first(ONE, missing_bytes=5), "delivered"),
        (of(ONE, LARGEST, missing_bytes=5), "delivered"),
        (first(ONE, sha256="0"), "same-bytes"),
        (first(ONE, missing_bytes=-1), "same-bytes"),
        (of(ONE, -2, sha256="0"), "same-bytes"),
        (first(ONE, calls=[*by_pipefuls(20_000), PROBE]), "no-timer"),
        (of(ONE, -1, calls=[*by_pipefuls(10), PROBE]), "no-timer"),
        (seen(ONE, again=[]), "answers-again"),
        (of(ONE, -1, missing_bytes=1), "answers-again"),
        (at_once(ONE, 2, missing_bytes=50_000), "several-clients"),
        (at_once(TWO, 1, missing_bytes=1), "several-clients"),
        (at_once(ONE, 0, sha256=hash_of(STOPPED_BYTES)), "several-clients"),
        (at_once(TWO, 3, sha256=hash_of(100_000, 3)), "several-clients"),
        (at_once(ONE, 1, strace=sent(700)), "splice-only"),
        (at_once(ONE, 3, strace=[splice(99, 99)]), "all-spliced"),
        (at_once(TWO, 1, strace=[splice(700, 700)]), "not-exact-length"),
        (with_lines(ONE, 0, splice(0, 0)), "few-calls"),
        (with_lines(ONE, 1, POLLED), "few-calls"),
        (with_lines(ONE, LARGEST, POLLED), "few-calls"),
        (with_lines(ONE, -1, POLLED), "few-calls"),
        (
            first(ONE, strace=[f"sendfile({SOCKET}, 6</memfd:object>(deleted), [0] => [20000], 20000) = 20000 <0.1>"]),
            "splice-only",
        ),
        (first(ONE, strace=[f"sendmmsg({SOCKET}, [{{msg_len=20000}}], 1, 0) = 1 <0.1>"]), "splice-only"),
        (first(ONE, calls=[]), "all-spliced"),
        (of(ONE, LARGEST, strace=[]), "all-spliced"),
        (first(ONE, calls=[*spliced(10_000), *spliced(10_000)]), "splice-a-pipeful"),
        (first(ONE, calls=spliced(20_000, 20_001)), "exact-length"),
        (of(ONE, 1, strace=[splice(2, 1)]), "exact-length"),
        (of(ONE, 4, strace=[splice(4000, 4000, "SPLICE_F_MOVE|SPLICE_F_MORE")]), "no-more-at-end"),
        (of(ONE, 4, took_ms=222, control_ms=30), "in-time"),
        (of(ONE, 4, took_ms=151), "in-time"),
        (of(ONE, -1, took_ms=222), "in-time"),
        (with_lines(ONE, 2, SLEEP), "no-sleep"),
        (with_lines(ONE, 0, WAIT), "no-sleep"),
        (with_lines(TWO, 2, SLEEP), "no-sleep"),
        (with_lines(ONE, -3, f"splice(7<pipe:[3]>, NULL, {SOCKET}, NULL, 9, 0 <unfinished ...>"), "calls-return"),
        (replace(TWO, answer="CALLS = 2"), "says-costs"),
        (replace(TWO, answer="CALLS = 2\nCOPIED_BYTES = "), "readable"),
        (replace(TWO, answer="CALLS = 3\nCOPIED_BYTES = 40000"), "calls"),
        (replace(TWO, answer="CALLS = 2\nCOPIED_BYTES = 0"), "copied-bytes"),
        (replace(TWO, answer="CALLS = 2\nCOPIED_BYTES = 20000"), "copied-bytes"),
        (with_lines(TWO, 0, SNAPSHOT), "copied-bytes"),
        (with_lines(TWO, 0, POLLED), "calls"),
        (first(TWO, strace=[splice(9, 9, "SPLICE_F_MORE")]), "not-exact-length"),
        (of(TWO, 8, strace=[splice(9, 9, "SPLICE_F_MOVE|SPLICE_F_NONBLOCK")]), "not-exact-length"),
        (of(TWO, -1, strace=[splice(99, 9), splice(1, 1), splice(5, 0)]), "not-exact-length"),
        (seen(FOUR, refused="it does not compile: answer.c:1: error: no"), "loads"),
        (request(0, missing_bytes=7), "delivered-too-much"),
        (request(0, calls=[*MADE[0].calls, Call("tcp_push", 0, 0)]), "pushes-too-much"),
        (request(4, calls=spliced(20_000, flags=MORE)), "flags-with-more"),
        (request(1, segments=4), "segments"),
        (request(0, differs_at=4096), "same-bytes"),
        (request(-1, differs_at=0), "same-bytes"),
        (request(EXACT_AND_MORE, calls=spliced(20_000, flags=0)), "drawn"),
        (request(-1, missing_bytes=9), "drawn"),
        (request(-2, calls=[]), "drawn"),
    ],
)
def test_what_is_wrong_fails_for_its_reason(evidence, id):
    for verdict in (verdict_on(evidence), verdict_on_file(evidence.text().encode())):
        assert verdict.verdict == "FAIL" and id in failed(verdict), verdict.text()


@pytest.mark.parametrize(
    "answer",
    [
        "CALLS: int = 2\nCOPIED_BYTES: int = 40_000",
        "CALLS, COPIED_BYTES = 2, 2 * 20_000",
        "SIZE = 20_000\n\nCALLS, COPIED_BYTES = (1 + 1, SIZE * 2)",
        "CALLS = COPIED_BYTES = 7\nCALLS = 2\nCOPIED_BYTES = 4e4",
    ],
)
def test_numbers_are_read_as_python_has_them(answer):
    assert verdict_on(replace(TWO, answer=answer)).verdict == "PASS"


@pytest.mark.parametrize(
    "evidence",
    [
        of(ONE, 8, strace=[splice(65_536, 65_536, "SPLICE_F_MORE")] * 2 + [splice(18_928, 18_928)]),
        of(TWO, 6, strace=[splice(65_536, 65_536)]),
        of(TWO, 8, strace=[splice(65_536, 65_536)] * 2 + [splice(65_536, 18_928)]),
        of(ONE, LARGEST, took_ms=590, control_ms=100),
        with_lines(ONE, 0, *["futex(0x7f, FUTEX_WAIT_BITSET, 0, {}, NULL) = -1 ETIMEDOUT (timed out) <0.0052>"] * 9),
    ],
)
def test_what_does_no_harm_passes(evidence):
    assert verdict_on(evidence).verdict == "PASS", verdict_on(evidence).text()


def test_no_part_of_the_pattern_is_like_another():
    """So a pipeful that comes twice, or to another client, is seen; and none of the objects ends beyond it."""
    parts = [PATTERN[at : at + 8] for at in range(0, len(PATTERN), 8)]
    assert (
        len(set(parts)) == len(parts) and PATTERN[0] != PATTERN[PIPE_BYTES]
    )  # a byte more than a pipeful is asked for
    assert max(FIRST) + STOPPED_BYTES <= len(PATTERN)


def test_late_on_a_machine_that_stood_still_says_nothing():
    verdict = verdict_on(of(ONE, 1, took_ms=222, held_up_ms=60))
    assert verdict.verdict == "COULD NOT TELL" and failed(verdict) == [RAN_ON]
    assert verdict_on(of(ONE, 1, took_ms=22, held_up_ms=60)).verdict == "PASS"


def test_asleep_for_as_long_as_the_machine_stood_still_says_nothing():
    slept_ms = with_lines(ONE, 1, SLEEP).seen.objects[1].slept_ms
    for stop_ms, verdict in ((slept_ms, "COULD NOT TELL"), (slept_ms / 10, "FAIL")):
        held_up = of(with_lines(ONE, 1, SLEEP), 1, held_up_ms=stop_ms)
        assert verdict_on(held_up).verdict == verdict, verdict_on(held_up).text()


STOPPED = {"missing_bytes": 1, "held_up_ms": 600.0}


@pytest.mark.parametrize(
    "evidence",
    [of(ONE, LARGEST, **STOPPED), of(ONE, -1, **STOPPED), of(TWO, 0, **STOPPED)]
    + [at_once(ONE, 0, **STOPPED), at_once(TWO, 1, **STOPPED)],
)
def test_missing_on_a_machine_that_stood_still_says_nothing(evidence):
    verdict = verdict_on(evidence)
    assert verdict.verdict == "COULD NOT TELL" and failed(verdict) == [RAN_ON], verdict.text()


@pytest.mark.parametrize(
    "evidence, id",
    [
        (first(of(ONE, LARGEST, **STOPPED), missing_bytes=5), "delivered"),
        (of(at_once(ONE, 2, **STOPPED), -1, missing_bytes=1), "answers-again"),
        (at_once(at_once(TWO, 2, **STOPPED), 3, missing_bytes=1), "several-clients"),
        (at_once(ONE, 2, sha256="0", held_up_ms=600.0), "several-clients"),
        (with_lines(of(ONE, -1, **STOPPED), 0, splice(0, 0)), "few-calls"),
        (of(of(ONE, 1, took_ms=222, held_up_ms=60), 2, missing_bytes=1), "delivered"),
        (of(of(ONE, 1, took_ms=22, tried_ms=[222]), 2, missing_bytes=1), "delivered"),
        (of(of(ONE, 1, tried_ms=[22], tried_slept_ms=[50]), 2, took_ms=222), "in-time"),
        (with_lines(of(TWO, 1, took_ms=22, tried_ms=[222]), 2, SLEEP), "no-sleep"),
        (replace(of(TWO, LARGEST, **STOPPED), answer="CALLS = 3\nCOPIED_BYTES = 40000"), "calls"),
    ],
)
def test_what_else_is_wrong_there_fails_all_the_same(evidence, id):
    assert verdict_on(evidence).verdict == "FAIL" and id in failed(verdict_on(evidence))


def test_a_stop_that_leaves_most_of_the_patience_excuses_nothing_that_is_missing():
    verdict = verdict_on(at_once(ONE, 2, missing_bytes=1, held_up_ms=400.0))
    assert verdict.verdict == "FAIL" and failed(verdict) == ["several-clients"]


def test_late_once_says_nothing_and_late_each_time_fails():
    verdict = verdict_on(of(ONE, 1, took_ms=22, tried_ms=[222]))
    assert verdict.verdict == "COULD NOT TELL" and failed(verdict) == ["in-time"] and verdict.by_the_answer
    verdict = verdict_on(of(ONE, 1, took_ms=223, tried_ms=[222, 224]))
    assert verdict.verdict == "FAIL" and failed(verdict) == ["in-time"] and "222, 224, 223" in verdict.reasons[0]


def test_asleep_once_says_nothing_and_asleep_each_time_fails():
    asleep = with_lines(ONE, -1, SLEEP).seen.all[-1]
    verdict = verdict_on(of(ONE, -1, tried_ms=[22], tried_slept_ms=[50]))
    assert verdict.verdict == "COULD NOT TELL" and failed(verdict) == ["no-sleep"] and verdict.by_the_answer
    verdict = verdict_on(of(ONE, -1, tried_ms=[22, 23], tried_slept_ms=[41, 42], strace=asleep.strace))
    assert verdict.verdict == "FAIL" and failed(verdict) == ["no-sleep"] and "41, 42, 50" in verdict.reasons[0]


@pytest.mark.parametrize("evidence", [seen(ONE, untouched_missing_bytes=0), seen(FOUR, broken_missing_bytes=0)])
def test_a_kernel_that_loses_nothing_is_nothing_to_judge_on(evidence):
    assert verdict_on(evidence).verdict == "SKIP"


@pytest.mark.parametrize(
    "evidence",
    [
        replace(ONE, seen=None),
        seen(ONE, objects=ONE.seen.objects[1:]),
        replace(TWO, seen=None),
        seen(ONE, together=[]),
        seen(TWO, together=TWO.seen.together[1:]),
        at_once(ONE, 2, first=1),
        at_once(TWO, 1, size=1_448),
        seen(ONE, again=[*map(one, AGAIN), one(10)]),
        first(TWO, strace=[f"splice(7<pipe:[3]>, NULL, {SOCKET}, NULL, 20000"]),
        replace(FOUR, seen=None),
        seen(FOUR, fixed=MADE[1:], repaired=MADE[1:]),
        seen(FOUR, fixed=MADE[:-1], repaired=MADE[:-1]),
        seen(FOUR, fixed=[*MADE[:-1], replace(MADE[-1], calls=MADE[-2].calls)]),
        seen(FOUR, fixed=[replace(each, size=each.size + 1) for each in MADE]),
        seen(FOUR, fixed=[replace(each, calls=spliced(20_000)) for each in MADE]),
    ],
)
def test_what_was_not_measured_could_not_tell(evidence):
    assert verdict_on_file(evidence.text().encode()).verdict == "COULD NOT TELL"


@pytest.mark.parametrize("evidence", [ONE, TWO])
@pytest.mark.parametrize(
    "left, deserves",
    [
        (Held(2, 1), []),  # a pipe that is used again, and a thread that is about to end
        (Held(2 * len(SIZES) - 2, 0), ["leaves-nothing"]),
        (Held(0, len(SIZES) - 1), ["leaves-nothing"]),
    ],
)
def test_what_is_left_behind_for_each_object_is_wrong(evidence, left, deserves):
    found = verdict_on_file(seen(evidence, left=left).text().encode())
    assert failed(found) == deserves, found.text()


@pytest.mark.parametrize(
    "by_more, deserves", [(Held(1, 0), []), (Held(2, 0), ["leaves-nothing"]), (Held(0, 2), ["leaves-nothing"])]
)
def test_what_the_small_ones_leave_behind_or_the_large_is_wrong_too(by_more, deserves):
    found = verdict_on_file(seen(ONE, left=Held(6, 3), left_by_more=by_more).text().encode())  # three pipes are kept
    assert failed(found) == deserves, found.text()


def test_what_a_server_holds_while_something_is_missing_is_not_held_against_it():
    found = verdict_on(seen(first(ONE, missing_bytes=1_000), left=Held(100, 100)))
    assert "leaves-nothing" not in failed(found)
