"""What does an answer to exercise 1 deliver? See delivery/measure.py."""

from core.cases import Exercise
from core.judge.evidence import Evidence
from labs.cases.splice_push.delivery.measure import served
from labs.take.script import Taking


def take(exercise: Exercise, answer: str) -> Evidence:
    """The answer as it is."""
    return Taking(exercise, answer).evidence(served(answer))
