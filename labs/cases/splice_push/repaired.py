"""Does a reader's livepatch bring the push back, and leave the batching as it is? What the evidence of an answer to
exercise 4 is held to: what the kernel's own function did in the same guest."""

from __future__ import annotations

import itertools
from dataclasses import dataclass, field

from core.judge.evidence import Evidence
from core.judge.plain import Damaged
from core.judge.verdict import Judged, Verdict
from labs.cases.splice_push.pages import Call, of, pages
from labs.errors import CannotTry
from labs.judge.judging import seen_in

OVER_LO = "too much, over lo"
REQUESTS = (
    "too much",
    OVER_LO,
    "more in the pipe than asked for",
    "exact",
    "with MORE",
    "too much, whole pages",  # the last page is as full as the others
    "too much, in pieces",  # none is
    "too much, from a used pipe",  # whose buffers went on to another, and left their lengths
    "too much, from a pipe by tee(2)",
    "too much, a full pipe",
    "too much, from a pipe of one page",  # its one buffer follows itself
)


@dataclass
class Request:
    """One, by its name: bytes of its object and how many of them were missing, segments on the wire, and calls of
    kernel functions on its connection."""

    name: str
    size: int
    missing_bytes: int
    segments: int
    calls: list[Call] = field(default_factory=list)

    @property
    def pushes(self) -> int:
        return len(of(self.calls, "tcp_push"))

    @property
    def flags(self) -> list[str]:
        """Of each page."""
        return [page.words for page in pages(self.calls)]


@dataclass
class Repaired:
    """Why the compiler or the kernel refused the livepatch, if one did; else the requests with the kernel's own
    function, what the regression left out of the first of them, and the requests with the answer."""

    refused: str = ""
    fixed: list[Request] = field(default_factory=list)
    broken_missing_bytes: int = 0
    repaired: list[Request] = field(default_factory=list)


def judge_livepatch(evidence: Evidence, verdict: Verdict) -> None:
    """Exercise 4: compiled, loaded, and held to the kernel's own function."""
    seen: Repaired = seen_in(evidence)
    if seen.refused:
        verdict.expect(False, "", seen.refused)
        raise Judged
    if any([one.name for one in requests] != [*REQUESTS] for requests in (seen.fixed, seen.repaired)):
        raise Damaged(f"expected the requests {', '.join(REQUESTS)}")
    if not seen.broken_missing_bytes:
        raise CannotTry("the regression loses nothing: nothing can be judged", "./lab run splice-push")
    for one, was in zip(seen.repaired, seen.fixed):
        verdict.expect(
            not one.missing_bytes,
            f"{one.name}: all came",
            f"{one.name}: {one.missing_bytes} of {one.size} bytes are missing",
        )
        verdict.expect(
            one.pushes == was.pushes,
            f"{one.name}: {one.pushes} push for {len(one.flags)} pages",
            f"{one.name}: {one.pushes} pushes where the kernel's own function makes {was.pushes}"
            + ": pages are no longer put together" * (one.pushes > was.pushes),
        )
        verdict.expect(
            one.flags == was.flags,
            f"{one.name}: the flags of each page are right",
            f"{one.name}: pages go with {shown(one.flags)}; the kernel's own function gives {shown(was.flags)}",
        )
    repaired, fixed = (next(one for one in found if one.name == OVER_LO) for found in (seen.repaired, seen.fixed))
    verdict.measured.update(
        segments=repaired.segments,
        fixed_segments=fixed.segments,
        pushes={one.name: one.pushes for one in seen.repaired},
    )
    verdict.expect(
        repaired.segments <= fixed.segments,
        f"{OVER_LO}: {repaired.segments} segments on the wire",
        f"{OVER_LO}: {repaired.segments} segments on the wire, expected {fixed.segments}",
    )


def shown(words: list[str]) -> str:
    """Flags of all pages, in few words."""
    groups = [(word, len(list(same))) for word, same in itertools.groupby(words)]
    return ", ".join(f"{word} ({count} pages)" if count > 1 else word for word, count in groups)
