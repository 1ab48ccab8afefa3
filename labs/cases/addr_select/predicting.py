"""Does a prediction hold? What the tables of exercises 4 and 5 are held to: a measurement made now."""

from __future__ import annotations

import statistics
import sys
import tomllib

from labs.cases.addr_select.addresses import assign
from labs.cases.addr_select.experiments import services
from labs.cases.addr_select.network import NODE, Silent, service
from labs.cases.addr_select.scores import RFC
from labs.cases.addr_select.sweep import REPORTED
from labs.cases.addr_select.tracing import FEW, scores
from labs.cases.addr_select.workload import EVAL, LABEL, Sender, counting, fastest
from labs.judge.exercise import Exercise
from labs.judge.verdict import Judged, Verdict

UNSEEN = 3000  # addresses; no point of the plot
TURNS = 7
ANY_NUMBER = sys.maxsize  # of sends: a turn ends by its length, see Sender.cost()
WITHIN = 2  # a factor: the reader reads a plot, and the machine may be busy
FASTER = 2  # a send that takes half the time is faster, for this exercise


def typed(answer: str, verdict: Verdict, names: dict[str, type]) -> dict:
    """The answer's values, each of its type; else the verdict says what is missing."""
    try:
        read = tomllib.loads(answer)
    except tomllib.TOMLDecodeError as error:
        verdict.expect(False, "", f"the answer cannot be read: {error}")
        raise Judged from error
    for name, kind in names.items():
        fits = type(read.get(name)) in ((int, float) if kind is float else (kind,))
        if not fits:
            words = {bool: "true or false", int: "a whole number", float: "a number"}[kind]
            verdict.expect(False, "", f"{name}: expected {words}, found {read.get(name, 'nothing')!r}")
    if verdict.checks:
        raise Judged
    return read


def judge_deprecated(exercise: Exercise, answer: str, verdict: Verdict) -> None:
    """Exercise 4: what changes when all service addresses are deprecated."""
    names = {"source_changes": bool, "faster": bool, "lookups": int, "deciding_rule": int, "bound_still_sends": bool}
    said = typed(answer, verdict, names)
    measured = deprecation()
    verdict.measured.update(measured)
    for name in names:
        verdict.expect(
            said[name] == measured[name],
            f"{name}: {measured[name]}",
            f"{name}: predicted {said[name]}, measured {measured[name]}",
        )


def deprecation() -> dict:
    """A node with 512 service addresses before and after they are deprecated, and the rule that
    decides after it, read off with a few of them."""
    with Silent() as net, Sender(net) as sender:
        net.announce(REPORTED)
        before = sender.best_cost()
        assign(net.node, services(1, REPORTED), "lo", preferred_s=0)
        after = sender.best_cost()
        with counting() as calls:
            lookups = sender.calls(calls)[LABEL]
        with Sender(net, "bound", source=service(REPORTED)) as bound:
            bound_from = bound.cost(1).source
    with Silent() as net:
        assign(net.node, services(1, FEW), "lo", preferred_s=0)
        decided = scores(net).chosen.decided
    return {
        "source_changes": after.source != before.source,
        "lookups": lookups,
        "faster": after.send_us * FASTER <= before.send_us,
        "deciding_rule": int(RFC[decided][0]),
        "bound_still_sends": bound_from == service(REPORTED),
        "source": after.source,
        "before_us": round(before.send_us),
        "after_us": round(after.send_us),
    }


def judge_many(exercise: Exercise, answer: str, verdict: Verdict) -> None:
    """Exercise 5: what one packet takes with a number of addresses that is not in the plot."""
    said = typed(answer, verdict, {"lookups": int, "questions": int, "times_as_long": float})
    with Silent() as alone, Silent() as crowd, Sender(alone) as one, Sender(crowd) as many:
        crowd.announce(UNSEEN)
        rounds = [(one.cost(ANY_NUMBER), many.cost(ANY_NUMBER)) for _ in range(TURNS)]
        with counting() as calls:
            counted = many.calls(calls)
    # By turns, each for as long: a busy machine makes both longer by the same factor.
    ratio = statistics.median(crowded.mean_us / single.mean_us for single, crowded in rounds)
    best_one, best_many = map(fastest, zip(*rounds))
    verdict.measured.update(
        lookups=counted[LABEL],
        questions=counted[EVAL],
        times_as_long=round(ratio, 1),
        one_us=round(best_one.send_us, 1),
        many_us=round(best_many.send_us, 1),
    )
    for name, function in (("lookups", LABEL), ("questions", EVAL)):
        verdict.expect(
            said[name] == counted[function],
            f"{name}: {counted[function]}",
            f"{name}: predicted {said[name]}, counted {counted[function]}",
        )
    off = max(said["times_as_long"], 1e-9) / ratio
    verdict.expect(
        1 / WITHIN <= off <= WITHIN,
        f"{ratio:.0f} times as long, predicted {said['times_as_long']:.0f}",
        f"times_as_long: predicted {said['times_as_long']:g}, measured {ratio:.0f}",
    )
    verdict.expect(best_many.source == NODE, f"the source is {NODE}", f"the source is {best_many.source}")
