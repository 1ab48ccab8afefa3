"""Does a prediction hold? What the tables of exercises 4 and 5 are held to: a measurement made now."""

from __future__ import annotations

import tomllib

from labs.cases.addr_select.addresses import assign
from labs.cases.addr_select.experiments import services
from labs.cases.addr_select.network import NODE, Silent, service
from labs.cases.addr_select.scores import RFC
from labs.cases.addr_select.sweep import REPORTED
from labs.cases.addr_select.tracing import FEW, scores
from labs.cases.addr_select.workload import BOUNDS, EVAL, LABEL, Sender, by_turns, counting
from labs.judge.exercise import Exercise
from labs.judge.verdict import Judged, Verdict
from labs.take.script import undisturbed

UNSEEN = 3000  # addresses; no point of the plot
# Sends of a turn with one address and with UNSEEN: both take about as long, so that what other programs take of the
# processor makes both longer by the same factor.
SENDS_ONE, SENDS_MANY = 1000, 20
# What an answer has to say, and of what type it is.
DEPRECATED = {"source_changes": bool, "faster": bool, "lookups": int, "deciding_rule": int, "bound_still_sends": bool}
MANY = {"lookups": int, "questions": int, "times_as_long": float}
WITHIN, FASTER = BOUNDS["within_ratio"], BOUNDS["deprecated_ratio"]


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
    undisturbed(verdict, lambda: attempt_deprecated(typed(answer, verdict, DEPRECATED), verdict))


def attempt_deprecated(said: dict, verdict: Verdict) -> None:
    """What was predicted beside what comes of networks of its own."""
    measured = deprecation()
    verdict.measured.update(measured)
    for name in DEPRECATED:
        verdict.expect(
            said[name] == measured[name],
            f"{name}: {measured[name]}",
            f"{name}: predicted {said[name]}, measured {measured[name]}",
        )


def deprecation() -> dict:
    """Two nodes with 512 service addresses, of one they are deprecated; and the rule that decides there, read off with
    a few of them."""
    with Silent() as preferred, Silent() as deprecated, Sender(preferred) as was, Sender(deprecated) as now:
        preferred.announce(REPORTED)
        deprecated.announce(REPORTED)
        assign(deprecated.node, services(1, REPORTED), "lo", preferred_s=0)
        turns = by_turns(was, now)
        with counting() as calls:
            lookups = now.calls(calls)[LABEL]
        with Sender(deprecated, "bound", source=service(REPORTED)) as bound:
            bound_from = bound.cost(1).source
    with Silent() as net:
        assign(net.node, services(1, FEW), "lo", preferred_s=0)
        decided = scores(net).chosen.decided
    number = RFC[decided][0]
    before, after = (
        {cost.source for cost in costs} for costs in zip(*((pair.one, pair.other) for pair in turns.measured))
    )
    return {
        "source_changes": after != before,
        "lookups": lookups,
        "faster": turns.median(lambda pair: pair.one.send_us / pair.other.send_us) >= FASTER,
        "deciding_rule": int(number) if number.isdigit() else 0,  # 0: one of the kernel's own
        "bound_still_sends": bound_from == service(REPORTED),
        "source": ", ".join(sorted(after)),
        "before_us": round(turns.median(lambda pair: pair.one.send_us)),
        "after_us": round(turns.median(lambda pair: pair.other.send_us)),
    }


def judge_many(exercise: Exercise, answer: str, verdict: Verdict) -> None:
    """Exercise 5: what one packet takes with a number of addresses that is not in the plot."""
    undisturbed(verdict, lambda: attempt_many(typed(answer, verdict, MANY), verdict))


def attempt_many(said: dict, verdict: Verdict) -> None:
    """What was predicted beside what comes of networks of its own."""
    with Silent() as alone, Silent() as crowd, Sender(alone) as one, Sender(crowd) as many:
        crowd.announce(UNSEEN)
        turns = by_turns(one, many, (SENDS_ONE, SENDS_MANY))
        with counting() as calls:
            counted = many.calls(calls)
    ratio = turns.median(lambda pair: pair.other.mean_us / pair.one.mean_us)
    sources = ", ".join(sorted({pair.other.source for pair in turns.measured}))
    verdict.measured.update(
        lookups=counted[LABEL],
        questions=counted[EVAL],
        times_as_long=round(ratio, 1),
        one_us=round(turns.median(lambda pair: pair.one.send_us), 1),
        many_us=round(turns.median(lambda pair: pair.other.send_us), 1),
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
    verdict.expect(sources == NODE, f"the source is {NODE}", f"the source is {sources}")
