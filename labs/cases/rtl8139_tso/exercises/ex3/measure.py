"""What happens under the routes of exercise 3? judge.py holds the predictions to it."""

from core.cases import Exercise
from core.judge.evidence import Evidence
from labs.cases.rtl8139_tso.exercises.ex3.judge import ROUTES, Predicted, complete
from labs.cases.rtl8139_tso.network import Network
from labs.cases.rtl8139_tso.remedies import as_it_is, under
from labs.cases.rtl8139_tso.workload import served
from labs.take.script import Taking


def take(exercise: Exercise, answer: str) -> Evidence:
    """A network of its own, and nothing of the answer in it."""
    taking, seen = Taking(exercise, answer), Predicted()
    if not complete(answer):
        return taking.evidence(None)
    with Network() as net, taking.network_errors_noted():
        seen.broken = as_it_is(net)
        for route in ROUTES:
            seen.routes[route] = served(under(net, route))
    return taking.evidence(seen)
