"""Does a reader's server deliver everything, at once, and at the cost it says? What the evidence of answers to
exercises 1 and 2 is held to."""

from __future__ import annotations

import hashlib
import re
from dataclasses import dataclass, field

from labs.cases.splice_push.pages import Call, of, pages
from labs.cases.splice_push.server import PATTERN
from labs.errors import CannotTry
from labs.judge.evidence import Evidence
from labs.judge.judging import seen_in
from labs.judge.plain import Damaged
from labs.judge.verdict import Judged, Verdict

SIZES = (20_000, 4_000, 65_536, 150_000)
PIPE_BYTES = 65_536  # PIPE_DEF_BUFFERS pages, include/linux/pipe_fs_i.h
COSTS = ("CALLS", "COPIED_BYTES")


@dataclass
class Object:
    """One that was asked for: what of it was missing at the deadline, after how long, the SHA-256 of what came, and the
    calls of kernel functions on its connection, from its first byte on."""

    size: int
    missing_bytes: int
    took_ms: float
    sha256: str
    calls: list[Call] = field(default_factory=list)

    @property
    def splices(self) -> int:
        return len(of(self.calls, "generic_splice_sendpage"))


@dataclass
class Served:
    """What the server said if it did not start; else what the untouched one left out of its object, this one's objects
    in the order of SIZES, whether a connection answered a second request, and strace's lines for the first object's
    connection, from the header on."""

    refused: str = ""
    untouched_missing_bytes: int = 0
    objects: list[Object] = field(default_factory=list)
    again: bool = False
    strace: list[str] = field(default_factory=list)


def judge_exact(evidence: Evidence, verdict: Verdict) -> None:
    """Exercise 1: by splice(2), with the length of what there is."""
    seen = delivered(evidence, verdict)
    size = SIZES[0]
    verdict.expect(
        len(seen.strace) <= pipefuls(size),
        f"{len(seen.strace)} system call on the connection for {size} bytes, as now",
        f"{len(seen.strace)} system calls on the connection for {size} bytes, where {pipefuls(size)} is made now",
    )
    others = sorted({line.partition("(")[0] for line in seen.strace} - {"splice"})
    verdict.expect(not others, "no call but splice(2) sends", f"{', '.join(others)}() instead of, or beside, splice(2)")
    for one in seen.objects:
        spliced = sum(page.size_bytes for page in pages(one.calls))
        verdict.expect(
            spliced == one.size,
            f"{one.size} bytes went by splice(2)",
            f"{spliced} of {one.size} bytes went by splice(2), expected all",
        )
        verdict.expect(
            one.splices <= pipefuls(one.size),
            f"{one.splices} splices for {one.size} bytes",
            f"{one.splices} splices where {pipefuls(one.size)} pipefuls are sent: pages are pushed one by one",
        )
        greedy = [splice for splice in splices(one) if splice[0] > splice[1]]
        verdict.expect(
            not greedy,
            f"every splice of {one.size} bytes asks for what the pipe holds",
            f"a splice asks for more than the pipe holds: {greedy[0] if greedy else ''} bytes",
        )


def pipefuls(size: int) -> int:
    """In how many parts an object goes through a pipe."""
    return -(-size // PIPE_BYTES)


def splices(one: Object) -> list[tuple[int, int]]:
    """(bytes asked for, bytes handed over) of each splice."""
    found: list[list[int]] = []
    for call in of(one.calls, "generic_splice_sendpage", "do_tcp_sendpages"):
        if call.function == "generic_splice_sendpage":
            found.append([call.value, 0])
        elif found:
            found[-1][1] += call.value & 0xFFFFFFFF
    return [(asked, handed) for asked, handed in found]


def lengths(line: str) -> tuple[int, int]:
    """(bytes asked for, bytes moved or -1) by strace's line of a splice(2), whatever its flags."""
    found = re.search(r", (\d+), [^,]*\) += (-?\d+)", line)
    if not found:
        raise Damaged(f"expected a whole line of strace, found {line}")
    return int(found[1]), int(found[2])


def costs(answer: str) -> dict[str, int]:
    """By name what an answer says that it costs, as far as it does."""
    said = {name: re.search(rf"^{name}\s*=\s*(\d+)", answer, re.MULTILINE) for name in COSTS}
    return {name: int(match[1]) for name, match in said.items() if match}


def judge_cost(evidence: Evidence, verdict: Verdict) -> None:
    """Exercise 2: not by the exact length, and the costs are as said."""
    said = costs(evidence.answer)
    missing = [name for name in COSTS if name not in said]
    if not verdict.expect(
        not missing,
        "the file says what it costs",
        f"the file has to say what it costs: no line `{' = …`, `'.join(missing)} = …`",
    ):
        raise Judged
    calls = delivered(evidence, verdict).strace
    exact = [line for line in calls if line.startswith("splice(") and len({*lengths(line)}) == 1]
    verdict.expect(
        not exact,
        "splice(2) is not given the exact length",
        "splice(2) is given the exact length, which is exercise 1's way",
    )
    copied = sum(
        int(line.rpartition("= ")[2].split()[0])
        for line in calls
        if line.startswith(("sendto(", "sendmsg(", "write(", "writev("))
    )
    verdict.measured.update(calls=calls, copied_bytes=copied)
    for name, found in zip(COSTS, (len(calls), copied)):
        verdict.expect(
            said[name] == found, f"{name} = {found}", f"{name} is {said[name]} in the file, and {found} by strace"
        )


def delivered(evidence: Evidence, verdict: Verdict) -> Served:
    """Every object, requested of the answer on the broken kernel. What is missing or comes late is judged."""
    seen: Served = seen_in(evidence)
    if seen.refused:
        verdict.expect(False, "", f"the server does not start: {seen.refused}")
        raise Judged
    if [one.size for one in seen.objects] != [*SIZES]:
        raise Damaged(f"expected objects of {', '.join(map(str, SIZES))} bytes")
    if not seen.untouched_missing_bytes:
        raise CannotTry("the untouched server delivers everything: nothing can be judged", "./lab run splice-push")
    for one in seen.objects:
        verdict.expect(
            not one.missing_bytes,
            f"all of {one.size} bytes came after {one.took_ms:.0f} ms",
            f"of {one.size} bytes {one.missing_bytes} are missing after {one.took_ms:.0f} ms",
        )
        if not one.missing_bytes:
            verdict.expect(
                one.sha256 == hashlib.sha256(PATTERN[: one.size]).hexdigest(),
                f"the {one.size} bytes are the object's",
                f"what came is not the object of {one.size} bytes",
            )
        late = len(of(one.calls, "tcp_write_wakeup"))
        verdict.expect(not late, "no timer had to help", f"{one.size} bytes: the probe timer had to help {late} times")
    verdict.expect(
        seen.again,
        "the connection answers a second request",
        "expected the connection to answer a second request, found no answer",
    )
    return seen
