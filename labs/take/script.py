"""What does every judge of a script need? An untouched topology beside the one that the answer acts
on, the hosts that the answer may not change, a workload that may get no answer at all, and a machine that
holds still meanwhile."""

from __future__ import annotations

import contextlib
import ssl
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

from labs.errors import CouldNotTell
from labs.judge.exercise import Exercise
from labs.judge.verdict import Judged, Verdict
from labs.measure.rounds import Round
from labs.net.topology import CommandFailed, NotReady, Topology
from labs.take.answer import applied
from labs.take.settings import first_change, settings
from labs.wire.capture import CaptureError

# What a network that an answer has broken does to a workload.
BROKEN = (OSError, ssl.SSLError, NotReady, CommandFailed, CaptureError, IndexError, StopIteration)
TRIES = 3


def undisturbed(verdict: Verdict, attempt: Callable[[], None]) -> None:
    """Has the answer tried on new networks, and tried again if the machine stood still while it was measured
    (see `held_still`) or an instrument lost something. What came out has no part in it."""
    for left in reversed(range(TRIES)):
        verdict.checks.clear()
        verdict.measured.clear()
        try:
            return attempt()
        except CouldNotTell:
            if not left:
                raise


def held_still(bound_ms: float, *measured: Round) -> None:
    """Raises CouldNotTell if the machine stood still for longer than this while one of these was measured."""
    longest_ms = max(each.held_up_ms for each in measured)
    if longest_ms > bound_ms:
        raise CouldNotTell(
            f"the machine stood still for {longest_ms:.0f} ms while the answer was measured, "
            f"expected {bound_ms:.0f} at most"
        )


@contextlib.contextmanager
def two(make: Callable[[], Topology]):
    """Two topologies, made at the same time and closed with the block."""
    with ThreadPoolExecutor(2) as pool:
        making = [pool.submit(make) for _ in range(2)]
    made = [future.result() for future in making if not future.exception()]
    try:
        yield [future.result() for future in making]
    finally:
        for network in made:
            network.close()


@contextlib.contextmanager
def acting(exercise: Exercise, answer: str, verdict: Verdict, net: Topology):
    """The answer's script, applied for the length of the block; one that fails in itself is judged
    by that alone."""
    pids = {name: node.pid for name, node in net.hosts.items()}
    with applied(answer, pids, set(exercise.allowed)) as script:
        problems = script.problems()
        if not verdict.expect(not problems, "the script ran to its end", "; ".join(problems)):
            raise Judged
        yield


@contextlib.contextmanager
def others_left_alone(exercise: Exercise, verdict: Verdict, net: Topology):
    """The hosts that are not the answer's to change have to be, after the block, what they were."""
    others = [node for name, node in net.hosts.items() if name not in exercise.allowed]
    before = {node.name: settings(node) for node in others}
    yield
    for node in others:
        change = first_change(before[node.name], settings(node))
        verdict.expect(
            change is None,
            f"{node.name} is as it was",
            f"{node.name} was changed, which this exercise leaves as it is: {change}",
        )


@contextlib.contextmanager
def expecting_answers(verdict: Verdict):
    """A workload that gets no answer fails the verdict, with what was found instead."""
    try:
        yield
    except BROKEN as error:
        said = str(error).splitlines()[0] if str(error) else type(error).__name__
        verdict.expect(False, "", f"expected every request to be answered, found: {said}")
