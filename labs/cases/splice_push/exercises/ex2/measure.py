"""What does an answer to exercise 2 deliver, if it says what it costs? See delivery/measure.py."""

from core.cases import Exercise
from core.judge.evidence import Evidence
from core.judge.expression import NoExpression
from labs.cases.splice_push.delivery.measure import served
from labs.cases.splice_push.exercises.ex2.judge import COSTS, costs
from labs.take.script import Taking


def take(exercise: Exercise, answer: str) -> Evidence:
    """The answer, if it says what it costs."""
    try:
        said = len(costs(answer)) == len(COSTS)
    except NoExpression:
        said = False
    return Taking(exercise, answer).evidence(served(answer) if said else None)
