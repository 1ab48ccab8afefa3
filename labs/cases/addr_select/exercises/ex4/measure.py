"""What does a deprecation change, as exercise 4 asks to predict? judge.py holds the table to it."""

from core.cases import Exercise
from core.judge.evidence import Evidence
from labs.cases.addr_select.addresses import assign
from labs.cases.addr_select.exercises.ex4.judge import DEPRECATED, Deprecation
from labs.cases.addr_select.experiments import services
from labs.cases.addr_select.names import LABEL, REPORTED, service
from labs.cases.addr_select.network import Silent
from labs.cases.addr_select.prediction import complete
from labs.cases.addr_select.tracing import FEW, scores
from labs.cases.addr_select.workload import Sender, by_turns, counting
from labs.errors import CouldNotTell
from labs.take.script import Taking


def take(exercise: Exercise, answer: str) -> Evidence:
    """Networks of its own, and nothing of the answer in them."""
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
