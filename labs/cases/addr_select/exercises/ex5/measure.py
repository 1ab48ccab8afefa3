"""What does a packet take with many addresses, as exercise 5 asks to predict? judge.py holds the table to it."""

from core.cases import Exercise
from core.judge.evidence import Evidence
from labs.cases.addr_select.exercises.ex5.judge import MANY, Crowd
from labs.cases.addr_select.names import EVAL, LABEL
from labs.cases.addr_select.network import Silent
from labs.cases.addr_select.prediction import complete
from labs.cases.addr_select.workload import Sender, by_turns, counting
from labs.take.script import Taking

UNSEEN = 3000  # addresses; no point of the plot
# Sends of a turn with one address and with UNSEEN: both take about as long, so that what other programs take of the
# processor makes both longer by the same factor.
SENDS_ONE, SENDS_MANY = 1000, 20


def take(exercise: Exercise, answer: str) -> Evidence:
    """Networks of its own, and nothing of the answer in them."""
    return Taking(exercise, answer).evidence(crowd() if complete(answer, MANY) else None)


def crowd() -> Crowd:
    """One address beside UNSEEN of them."""
    with Silent() as alone, Silent() as among, Sender(alone) as one, Sender(among) as many:
        among.announce(UNSEEN)
        turns = by_turns(one, many, (SENDS_ONE, SENDS_MANY))
        with counting() as calls:
            counted = many.calls(calls)
    return Crowd(turns, counted[LABEL], counted[EVAL])
