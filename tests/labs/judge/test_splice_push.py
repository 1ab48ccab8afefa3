"""Does the evidence of a server or a livepatch come to the verdict that it deserves?"""

import hashlib
from dataclasses import replace

import pytest

from core.judge.evidence import Evidence
from labs.cases.splice_push.delivery.judge import AGAIN, FIRST, SIZES, STOPPED_BYTES, TRACED_BYTES, Object, Served
from labs.cases.splice_push.exercises.ex4.judge import ASKED, DRAWN, OVER_LO, REQUESTS, Repaired, Request
from labs.cases.splice_push.pages import PIPE_BYTES, Call
from labs.cases.splice_push.server import PATTERN, SPLICE_F_MORE
from labs.judge.judging import judged, judged_file

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
    """As strace says it."""
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


def drawn(name: str) -> Request:
    """As a kernel has it that puts pages together; one page is all, for all kinds."""
    how, more = DRAWN[name]
    asked, *others = spliced(20_000, ASKED[how](20_000)[0], MORE if more else 0)
    calls = [replace(asked, detail=11 | SPLICE_F_MORE * more), *others]
    return Request(name, 20_000, 0, 3, calls, f"asked={asked.value}")


MADE = [*(Request(name, 20_000, 0, 3, spliced(20_000)) for name in REQUESTS), *map(drawn, DRAWN)]
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
    for verdict in (judged(evidence), judged_file(evidence.text().encode())):
        assert verdict.verdict == "PASS", verdict.text()


@pytest.mark.parametrize(
    "evidence, said",
    [
        (seen(ONE, refused="SyntaxError: no"), "the server does not start: SyntaxError: no"),
        (first(ONE, missing_bytes=5), "of 20000 bytes 5 are missing after 9 ms"),
        (of(ONE, LARGEST, missing_bytes=5), "of 1000003 bytes 5 are missing after 9 ms"),
        (first(ONE, sha256="0"), "what came is not the object of 20000 bytes"),
        (of(ONE, -2, sha256="0"), "what came is not the object of 20000 bytes"),
        (first(ONE, calls=[*by_pipefuls(20_000), PROBE]), "the probe timer had to help 1 times"),
        (of(ONE, -1, calls=[*by_pipefuls(10), PROBE]), "10 bytes: the probe timer had to help 1 times"),
        (seen(ONE, again=[]), "expected the connection to answer a second request"),
        (of(ONE, -1, missing_bytes=1), "expected the connection to answer a second request, and a third"),
        (
            at_once(ONE, 2, missing_bytes=50_000),
            "with several clients at the same time, of 50000 bytes 50000 are missing",
        ),
        (at_once(TWO, 1, missing_bytes=1), "with several clients at the same time, of 700 bytes 1 are missing"),
        (at_once(ONE, 0, sha256=hash_of(STOPPED_BYTES)), "same time, what came is not the object of 1000003 bytes"),
        (at_once(TWO, 3, sha256=hash_of(100_000, 3)), "same time, what came is not the object of 100000 bytes"),
        (at_once(ONE, 1, strace=sent(700)), "sendto, setsockopt() instead of, or beside, splice(2)"),
        (at_once(ONE, 3, strace=[splice(99, 99)]), "99 of 100000 bytes went by splice(2), expected all"),
        (at_once(TWO, 1, strace=[splice(700, 700)]), "splice(2) is given the exact length for 700 bytes"),
        (with_lines(ONE, 0, splice(0, 0)), "2 system calls on the connection for 20000 bytes, where 1 is made now"),
        (with_lines(ONE, 1, POLLED), "2 system calls on the connection for 1 bytes, where 1 is made now"),
        (with_lines(ONE, LARGEST, POLLED), "17 system calls on the connection for 1000003 bytes, where 16 is made now"),
        (with_lines(ONE, LARGEST, POLLED), "getsockopt() instead of, or beside, splice(2)"),
        (with_lines(ONE, -1, POLLED), "2 system calls on the connection for 10 bytes"),
        (
            first(ONE, strace=[f"sendfile({SOCKET}, 6</memfd:object>(deleted), [0] => [20000], 20000) = 20000 <0.1>"]),
            SENDS,
        ),
        (first(ONE, strace=[f"sendmmsg({SOCKET}, [{{msg_len=20000}}], 1, 0) = 1 <0.1>"]), "sendmmsg() instead of"),
        (first(ONE, calls=[]), "0 of 20000 bytes went by splice(2)"),
        (of(ONE, LARGEST, strace=[]), "0 of 1000003 bytes went by splice(2)"),
        (first(ONE, calls=[*spliced(10_000), *spliced(10_000)]), "2 splices where 1 pipefuls are sent"),
        (first(ONE, calls=spliced(20_000, 20_001)), "asks for more than the pipe holds: (20001, 20000)"),
        (of(ONE, 1, strace=[splice(2, 1)]), "asks for more than the pipe holds: (2, 1)"),
        (of(ONE, 4, strace=[splice(4000, 4000, "SPLICE_F_MOVE|SPLICE_F_MORE")]), "4000 bytes: the last splice says"),
        (of(ONE, 4, took_ms=222, control_ms=30), "4000 bytes came after 222 ms, expected 180 at most"),
        (of(ONE, 4, took_ms=151), "4000 bytes came after 151 ms, expected 150 at most"),
        (of(ONE, -1, took_ms=222), "10 bytes came after 222 ms"),
        (with_lines(ONE, 2, SLEEP), "10 bytes: the server sleeps for 50 ms"),
        (with_lines(ONE, 0, WAIT), "20000 bytes: the server sleeps for 50 ms"),
        (with_lines(TWO, 2, SLEEP), "10 bytes: the server sleeps for 50 ms"),
        (
            with_lines(ONE, -3, f"splice(7<pipe:[3]>, NULL, {SOCKET}, NULL, 9, 0 <unfinished ...>"),
            "splice() does not re",
        ),
        (replace(TWO, answer="CALLS = 2"), "no line `COPIED_BYTES = …`"),
        (replace(TWO, answer="CALLS = 2\nCOPIED_BYTES = "), "the file is no Python: invalid syntax"),
        (replace(TWO, answer="CALLS = 3\nCOPIED_BYTES = 40000"), "CALLS is 3 in the file, and 2 by strace"),
        (replace(TWO, answer="CALLS = 2\nCOPIED_BYTES = 0"), "COPIED_BYTES is 0 in the file, and 40000 by strace"),
        (replace(TWO, answer="CALLS = 2\nCOPIED_BYTES = 20000"), "COPIED_BYTES is 20000 in the file, and 40000 by st"),
        (with_lines(TWO, 0, SNAPSHOT), "COPIED_BYTES is 40000 in the file, and 60000 by strace"),
        (with_lines(TWO, 0, POLLED), "CALLS is 2 in the file, and 3 by strace"),
        (first(TWO, strace=[splice(9, 9, "SPLICE_F_MORE")]), "splice(2) is given the exact length for 20000 bytes"),
        (of(TWO, 8, strace=[splice(9, 9, "SPLICE_F_MOVE|SPLICE_F_NONBLOCK")]), "is given the exact length for 150000"),
        (of(TWO, -1, strace=[splice(99, 9), splice(1, 1), splice(5, 0)]), "is given the exact length for 10 bytes"),
        (seen(FOUR, refused="it does not compile: answer.c:1: error: no"), "it does not compile: answer.c:1"),
        (request(0, missing_bytes=7), "too much: 7 of 20000 bytes are missing"),
        (
            request(0, calls=[*MADE[0].calls, Call("tcp_push", 0, 0)]),
            "2 pushes where the kernel's own function makes 1",
        ),
        (
            request(4, calls=spliced(20_000, flags=MORE)),
            "with MORE: pages go with MORE; the kernel's own function gives",
        ),
        (request(1, segments=4), f"{OVER_LO}: 4 segments on the wire, expected 3"),
        (request(0, differs_at=4096), "too much: byte 4096 of what came is not the object's"),
        (request(-1, differs_at=0), "drawn: 4 GiB, with MORE (/20000?asked=4294967296): byte 0 of what came is not"),
        (
            request(EXACT_AND_MORE, calls=spliced(20_000, flags=0)),
            "drawn: exact, with MORE (/20000?asked=20000): pages go with -; the kernel's own function gives MORE",
        ),
        (
            request(-1, missing_bytes=9),
            "drawn: 4 GiB, with MORE (/20000?asked=4294967296): 9 of 20000 bytes are missing",
        ),
        (
            request(-2, calls=[]),
            "drawn: 4 GiB (/20000?asked=4294967296): 0 pushes where the kernel's own function makes 1",
        ),
    ],
)
def test_what_is_wrong_fails_for_its_reason(evidence, said):
    for verdict in (judged(evidence), judged_file(evidence.text().encode())):
        assert verdict.verdict == "FAIL" and any(said in reason for reason in verdict.reasons), verdict.text()


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
    assert judged(replace(TWO, answer=answer)).verdict == "PASS"


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
    assert judged(evidence).verdict == "PASS", judged(evidence).text()


def test_no_part_of_the_pattern_is_like_another():
    """So a pipeful that comes twice, or to another client, is seen; and none of the objects ends beyond it."""
    parts = [PATTERN[at : at + 8] for at in range(0, len(PATTERN), 8)]
    assert (
        len(set(parts)) == len(parts) and PATTERN[0] != PATTERN[PIPE_BYTES]
    )  # a byte more than a pipeful is asked for
    assert max(FIRST) + STOPPED_BYTES <= len(PATTERN)


def test_late_on_a_machine_that_stood_still_says_nothing():
    verdict = judged(of(ONE, 1, took_ms=222, held_up_ms=60))
    assert verdict.verdict == "COULD NOT TELL" and "stood still for 60 ms" in verdict.reasons[0]
    assert judged(of(ONE, 1, took_ms=22, held_up_ms=60)).verdict == "PASS"


def test_late_and_then_in_time_says_nothing_and_late_each_time_fails():
    verdict = judged(of(ONE, 1, took_ms=22, tried_ms=[222]))
    assert verdict.verdict == "COULD NOT TELL" and "after 222, 22 ms, late and then in time" in verdict.reasons[0]
    verdict = judged(of(ONE, 1, took_ms=223, tried_ms=[222, 224]))
    assert verdict.verdict == "FAIL" and "after 222, 224, 223 ms" in verdict.text()


@pytest.mark.parametrize("evidence", [seen(ONE, untouched_missing_bytes=0), seen(FOUR, broken_missing_bytes=0)])
def test_a_kernel_that_loses_nothing_is_nothing_to_judge_on(evidence):
    assert judged(evidence).verdict == "SKIP"


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
    assert judged_file(evidence.text().encode()).verdict == "COULD NOT TELL"
