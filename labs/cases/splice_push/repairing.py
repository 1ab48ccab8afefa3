"""Does a reader's livepatch bring the push back, and leave the batching as it is? Exercise 4.

The regression is loaded first and the answer on top of it. What the answer does is compared with the
kernel's own function in the same guest.
"""

from __future__ import annotations

import itertools
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from dataclasses import replace

from labs.cases.splice_push.network import LOOPBACK, Network
from labs.cases.splice_push.regression import REGRESSION
from labs.cases.splice_push.tracing import push_tracer
from labs.cases.splice_push.workload import WAYS, Fetched, fetch, with_events
from labs.errors import CannotTry
from labs.judge.exercise import Exercise
from labs.judge.verdict import Judged, Verdict
from labs.trace import module

UNTOUCHED = WAYS[0]
OVER_LO = replace(UNTOUCHED, client="server", address=LOOPBACK)
REQUESTS = (
    replace(UNTOUCHED, name="too much"),
    replace(OVER_LO, name="too much, over lo"),
    replace(OVER_LO, name="more in the pipe than asked for", query="asked=exact&surplus=8192", size=6000),
    replace(OVER_LO, name="exact", query="asked=exact"),
    replace(UNTOUCHED, name="with MORE", query="more=1"),
)


def judge_livepatch(exercise: Exercise, answer: str, verdict: Verdict) -> None:
    """Exercise 4: compiled, loaded, and held to the kernel's own function."""
    module.tidy()
    with ExitStack() as stack:
        pool = stack.enter_context(ThreadPoolExecutor(3))
        theirs, ours = pool.submit(module.build, answer, "answer"), pool.submit(module.build, REGRESSION)
        making = pool.submit(Network)
        stack.callback(lambda: making.exception() or making.result().close())
        tracer = stack.enter_context(push_tracer())
        built = compiled(theirs, verdict)
        net = making.result()
        fixed = fetch(net, REQUESTS, tracer, "fixed")
        with module.livepatched(ours.result()):
            broken = fetch(net, REQUESTS[:1])["too much"][1]
            if not broken.missing_bytes:
                raise CannotTry("the regression loses nothing: nothing can be judged", "./lab run splice-push")
            repaired = fetch_patched(net, built, tracer, verdict)
    weigh(verdict, with_events(repaired, tracer.events), with_events(fixed, tracer.events))


def compiled(building, verdict: Verdict) -> module.Module:
    """The answer's module; the compiler's first error, at the reader's line, if there is none."""
    try:
        return building.result()
    except module.DoesNotCompile as error:
        lines = error.said.replace("lab_answer.c", "answer.c").splitlines()
        cause = next((line for line in lines if "error:" in line), lines[0])
        verdict.expect(False, "", f"it does not compile: {cause}")
        raise Judged from None


def fetch_patched(net: Network, built: module.Module, tracer, verdict: Verdict) -> dict:
    """The requests with the answer loaded; the kernel's own words if it refuses it."""
    with ExitStack() as stack:
        try:
            stack.enter_context(module.livepatched(built))
        except module.DoesNotLoad as error:
            verdict.expect(False, "", f"the kernel refuses the livepatch: {error}")
            raise Judged from None
        return fetch(net, REQUESTS, tracer, "repaired")


def weigh(verdict: Verdict, repaired: dict[str, Fetched], fixed: dict[str, Fetched]) -> None:
    """Symptom, mechanism, batching, and the caller's flag."""
    for name, one in repaired.items():
        was = fixed[name]
        verdict.expect(
            not one.missing_bytes,
            f"{name}: all came",
            f"{name}: {one.missing_bytes} of {one.way.size} bytes are missing",
        )
        verdict.expect(
            one.pushes == was.pushes,
            f"{name}: {one.pushes} push for {len(one.pages)} pages",
            f"{name}: {one.pushes} pushes where the kernel's own function makes {was.pushes}"
            + ": pages are no longer put together" * (one.pushes > was.pushes),
        )
        flags = [[page.words for page in state.pages] for state in (one, was)]
        verdict.expect(
            flags[0] == flags[1],
            f"{name}: the flags of each page are right",
            f"{name}: pages go with {shown(flags[0])}; the kernel's own function gives {shown(flags[1])}",
        )
    lo = "too much, over lo"
    verdict.measured.update(
        segments=repaired[lo].segments,
        fixed_segments=fixed[lo].segments,
        pushes={name: one.pushes for name, one in repaired.items()},
    )
    verdict.expect(
        repaired[lo].segments <= fixed[lo].segments,
        f"{lo}: {repaired[lo].segments} segments on the wire",
        f"{lo}: {repaired[lo].segments} segments on the wire, expected {fixed[lo].segments}",
    )


def shown(words: list[str]) -> str:
    """Flags of all pages, in few words."""
    groups = [(word, len(list(same))) for word, same in itertools.groupby(words)]
    return ", ".join(f"{word} ({count} pages)" if count > 1 else word for word, count in groups)
