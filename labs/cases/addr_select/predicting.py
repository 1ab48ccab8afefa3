"""What comes of the things that exercises 4 and 5 ask to predict? predicted.py holds the tables to it."""

from __future__ import annotations

from core.cases import Exercise
from core.judge.evidence import Evidence
from labs.cases.addr_select.addresses import assign
from labs.cases.addr_select.experiments import services
from labs.cases.addr_select.names import EVAL, LABEL, REPORTED, service
from labs.cases.addr_select.network import Silent
from labs.cases.addr_select.predicted import DEPRECATED, MANY, Crowd, Deprecation, complete
from labs.cases.addr_select.tracing import FEW, scores
from labs.cases.addr_select.workload import Sender, by_turns, counting
from labs.errors import CouldNotTell
from labs.take.script import Taking

UNSEEN = 3000  # addresses; no point of the plot
# Sends of a turn with one address and with UNSEEN: both take about as long, so that what other programs take of the
# processor makes both longer by the same factor.
SENDS_ONE, SENDS_MANY = 1000, 20


def take_deprecated(exercise: Exercise, answer: str) -> Evidence:
    """Exercise 4, on networks of its own, and nothing of the answer in them."""
    return Taking(exercise, answer).evidence(deprecation() if complete(answer, DEPRECATED) else None)


def deprecation() -> Deprecation:
    """Preferred addresses beside deprecated ones."""
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
        rule = scores(net).chosen.decided
    if rule is None:
        raise CouldNotTell("the kernel chose an address, and no rule was seen to decide")
    return Deprecation(turns, lookups, bound_from, rule)


def take_many(exercise: Exercise, answer: str) -> Evidence:
    """Exercise 5, the same way."""
    return Taking(exercise, answer).evidence(crowd() if complete(answer, MANY) else None)


def crowd() -> Crowd:
    """One address beside UNSEEN of them."""
    with Silent() as alone, Silent() as among, Sender(alone) as one, Sender(among) as many:
        among.announce(UNSEEN)
        turns = by_turns(one, many, (SENDS_ONE, SENDS_MANY))
        with counting() as calls:
            counted = many.calls(calls)
    return Crowd(turns, counted[LABEL], counted[EVAL])
