"""Does the evidence of a server or a livepatch come to the verdict that it deserves?"""

import hashlib
from dataclasses import replace

import pytest

from labs.cases.splice_push.pages import Call
from labs.cases.splice_push.repaired import OVER_LO, REQUESTS, Repaired, Request
from labs.cases.splice_push.served import SIZES, Object, Served
from labs.cases.splice_push.server import PATTERN
from labs.judge.evidence import Evidence
from labs.judge.judging import judged, judged_file

MORE, NOTLAST = 0x8000 << 32, 0x20000 << 32


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


def hash_of(size: int) -> str:
    return hashlib.sha256(PATTERN[:size]).hexdigest()


def by_pipefuls(size: int) -> list[Call]:
    parts = [min(65_536, size - at) for at in range(0, size, 65_536)]
    return [call for part in parts for call in spliced(part)]


OBJECTS = [delivered(size, by_pipefuls(size)) for size in SIZES]
ONE = Evidence(
    "splice-push/1", "x", "6.1", seen=Served("", 20_000, OBJECTS, True, ["splice(7, NULL, 8, NULL, 20000, 0) = 20000"])
)
TWO = Evidence(
    "splice-push/2",
    "CALLS = 2\nCOPIED_BYTES = 20000\n",
    "6.1",
    seen=replace(ONE.seen, strace=['sendto(8<x>, "", 20000, 0, NULL, 0) = 20000', "setsockopt(8<x>) = 0"]),
)
MADE = [Request(name, 20_000, 0, 3, spliced(20_000)) for name in REQUESTS]
FOUR = Evidence("splice-push/4", "x", "6.1", seen=Repaired("", MADE, 20_000, MADE))


def first(evidence: Evidence, **changed) -> Evidence:
    """With a change to its first object."""
    objects = evidence.seen.objects
    return replace(evidence, seen=replace(evidence.seen, objects=[replace(objects[0], **changed), *objects[1:]]))


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
        (first(ONE, sha256="0"), "what came is not the object of 20000 bytes"),
        (first(ONE, calls=[*OBJECTS[0].calls, Call("tcp_write_wakeup", 0, 0)]), "the probe timer had to help 1 times"),
        (seen(ONE, again=False), "expected the connection to answer a second request"),
        (seen(ONE, strace=["splice()"] * 2), "2 system calls on the connection for 20000 bytes, where 1 is made now"),
        (
            seen(ONE, strace=["sendfile(8<x>, 6<x>, [0] => [20000], 20000) = 20000"]),
            "sendfile() instead of, or beside,",
        ),
        (first(ONE, calls=[]), "0 of 20000 bytes went by splice(2)"),
        (first(ONE, calls=[*spliced(10_000), *spliced(10_000)]), "2 splices where 1 pipefuls are sent"),
        (first(ONE, calls=spliced(20_000, 20_001)), "asks for more than the pipe holds: (20001, 20000)"),
        (replace(TWO, answer="CALLS = 2"), "no line `COPIED_BYTES = …`"),
        (replace(TWO, answer="CALLS = 3\nCOPIED_BYTES = 20000"), "CALLS is 3 in the file, and 2 by strace"),
        (replace(TWO, answer="CALLS = 2\nCOPIED_BYTES = 0"), "COPIED_BYTES is 0 in the file, and 20000 by strace"),
        (
            seen(TWO, strace=["splice(7<x>, NULL, 8<x>, NULL, 9, SPLICE_F_MORE) = 9"]),
            "splice(2) is given the exact length",
        ),
        (
            seen(TWO, strace=["splice(7<x>, NULL, 8<x>, NULL, 9, SPLICE_F_MOVE|SPLICE_F_NONBLOCK) = 9"]),
            "splice(2) is given the exact length",
        ),
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
    ],
)
def test_what_is_wrong_fails_for_its_reason(evidence, said):
    for verdict in (judged(evidence), judged_file(evidence.text().encode())):
        assert verdict.verdict == "FAIL" and any(said in reason for reason in verdict.reasons), verdict.text()


@pytest.mark.parametrize("evidence", [seen(ONE, untouched_missing_bytes=0), seen(FOUR, broken_missing_bytes=0)])
def test_a_kernel_that_loses_nothing_is_nothing_to_judge_on(evidence):
    assert judged(evidence).verdict == "SKIP"


@pytest.mark.parametrize(
    "evidence",
    [
        replace(ONE, seen=None),
        seen(ONE, objects=OBJECTS[1:]),
        replace(TWO, seen=None),
        seen(TWO, strace=["splice(7<x>, NULL, 8<x>, NULL, 20000, 0 <unfinished ...>"]),
        replace(FOUR, seen=None),
        seen(FOUR, fixed=MADE[1:], repaired=MADE[1:]),
    ],
)
def test_what_was_not_measured_could_not_tell(evidence):
    assert judged_file(evidence.text().encode()).verdict == "COULD NOT TELL"
