"""Does a reader's livepatch bring the push back, and leave the batching as it is? What the evidence of an answer to
exercise 4 is held to: what the kernel's own function did in the same guest."""

import itertools
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field

from core.judge.check import named
from core.judge.evidence import Evidence
from core.judge.verdict import Verdict, VerdictFinal
from core.serialization import Damaged
from labs.cases.splice_push.pages import HANDED_ON_FLAGS, Call, of, pages
from labs.cases.splice_push.server import PAGE_BYTES, SPLICE_F_MORE
from labs.errors import FAULT, CannotTry
from labs.judge.judging import Judge, none_of, observation

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
    "too much, from a larger pipe",  # whose ring is longer than a pipe's is by default
    "exact, in pieces",  # more is there than one of them, and less than a page is asked for
)
# And some whose size, pipe and length chance has, of each kind one without SPLICE_F_MORE and one with it: for how much
# splice(2) is asked at least and at most, for an object of so many bytes in two or more buffers. What 2 GiB leave is no
# int; of 4 GiB 32 bits have less than the first buffer holds.
LEAST_BUFFER_BYTES = 100
ASKED: Mapping[str, Callable[[int], tuple[int, int]]] = {
    "exact": lambda size: (size, size),
    "exact, and more in the pipe": lambda size: (size, size),
    "in parts": lambda size: (size // 4, size - 1),  # which begin and end within a page
    "a little too much": lambda size: (size + 1, size + PAGE_BYTES),
    "2 GiB": lambda size: ((1 << 31) + (1 << 20), (1 << 31) + (1 << 30)),
    "4 GiB": lambda size: (1 << 32, (1 << 32) + LEAST_BUFFER_BYTES - 1),
}
DRAWN = {f"drawn: {how}{', with MORE' * more}": (how, more) for how in ASKED for more in (False, True)}


@dataclass
class Response:
    """What came of a request, by its name: bytes of its object and how many of them were missing, segments on the wire,
    and calls of kernel functions on its connection; the `query` of one that was drawn, and the first byte of what came
    that is not the object's, -1 if there is none."""

    name: str
    size: int
    missing_bytes: int
    segments: int
    calls: list[Call] = field(default_factory=list)
    query: str = ""
    differs_at: int = -1

    @property
    def called(self) -> str:
        return f"{self.name} (/{self.size}?{self.query})" if self.query else self.name

    @property
    def pushes(self) -> int:
        return len(of(self.calls, "tcp_push"))

    @property
    def flags(self) -> list[str]:
        """The flags of each page; those without a name here as a number."""
        found = [(page.words, page.flags & ~sum(HANDED_ON_FLAGS)) for page in pages(self.calls)]
        return [f"{words} {other:#x}" if other else words for words, other in found]


@dataclass
class Repaired:
    """Why the compiler or the kernel refused the livepatch, if one did; else the requests with the kernel's own
    function, what the regression left out of the first of them, and the requests with the answer."""

    refused: str = ""
    fixed: list[Response] = field(default_factory=list)
    broken_missing_bytes: int = 0
    repaired: list[Response] = field(default_factory=list)


def judge(evidence: Evidence, verdict: Verdict) -> None:
    """Exercise 4: compiled, loaded, and held to the kernel's own function."""
    seen: Repaired = observation(evidence)
    if seen.refused:
        verdict.fail("loads", "a livepatch that compiles and loads", f"the livepatch does not load: {seen.refused}")
        raise VerdictFinal
    if any([one.name for one in requests] != [*REQUESTS, *DRAWN] for requests in (seen.fixed, seen.repaired)):
        raise Damaged(f"expected the requests {', '.join([*REQUESTS, *DRAWN])}")
    if strange := next((one.called for one in seen.fixed[len(REQUESTS) :] if not of_its_kind(one)), ""):
        raise Damaged(f"expected a request of its kind, found {strange}")
    if not seen.broken_missing_bytes:
        raise CannotTry("the regression loses nothing: nothing can be judged", "./lab run splice-push", FAULT)
    pairs = list(zip(seen.repaired, seen.fixed))
    for one, was in pairs[: len(REQUESTS)]:
        for what, passed, right, wrong in compared(one, was):
            verdict.expect(f"{what}-{named(one.name)}", passed, right, wrong)
    none_of(
        verdict,
        "drawn",
        (wrong for pair in pairs[len(REQUESTS) :] for _, passed, _, wrong in compared(*pair) if not passed),
        f"{len(DRAWN)} requests drawn at random: pushes and flags are right, with MORE and without",
    )
    none_of(
        verdict, "same-bytes", map(another, seen.repaired), "what came is, each time, the object that was asked for"
    )
    repaired, fixed = (next(one for one in found if one.name == OVER_LO) for found in (seen.repaired, seen.fixed))
    verdict.measured.update(
        segments=repaired.segments,
        fixed_segments=fixed.segments,
        pushes={one.name: one.pushes for one in seen.repaired},
    )
    on_the_wire = f"{OVER_LO}: {repaired.segments} segments on the wire"
    passed = repaired.segments <= fixed.segments
    verdict.expect("segments", passed, on_the_wire, on_the_wire, expected=f"{fixed.segments}")


def of_its_kind(one: Response) -> bool:
    """Whether a request that was drawn is what its name says, by what the kernel's own splices were asked for."""
    how, more = DRAWN[one.name]
    least, most = ASKED[how](one.size)
    splices = of(one.calls, "generic_splice_sendpage")
    fit = [least <= call.value <= most and bool(call.detail & SPLICE_F_MORE) is more for call in splices]
    return bool(fit) and all(fit)


def compared(one: Response, was: Response) -> Iterator[tuple[str, bool, str, str]]:
    """A request with the answer beside the same with the kernel's own function: of each thing what begins the check's
    id, whether it is right, and what was found then and else."""
    yield (
        "delivered",
        not one.missing_bytes,
        f"{one.called}: all {one.size} bytes came",
        f"{one.called}: {one.missing_bytes} of {one.size} bytes are missing",
    )
    yield (
        "pushes",
        one.pushes == was.pushes,
        f"{one.called}: {was.pushes} push for {len(one.flags)} pages",
        f"{one.called}: {one.pushes} pushes where the kernel's own function makes {was.pushes}"
        + ": pages are no longer put together" * (one.pushes > was.pushes),
    )
    yield (
        "flags",
        one.flags == was.flags,
        f"{one.called}: the flags of each page are right",
        f"{one.called}: pages go with {shown(one.flags)}; the kernel's own function gives {shown(was.flags)}",
    )


def another(one: Response) -> str:
    return f"{one.called}: byte {one.differs_at} of what came is not the object's" if one.differs_at >= 0 else ""


def shown(words: list[str]) -> str:
    """Flags of all pages, in few words."""
    groups = [(word, len(list(same))) for word, same in itertools.groupby(words)]
    return ", ".join(f"{word} ({count} pages)" if count > 1 else word for word, count in groups)


JUDGE = Judge(Repaired, judge)
