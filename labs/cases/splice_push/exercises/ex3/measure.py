"""Which of exercise 3's requests lose their end? judge.py holds an answer to it."""

import random

from core.cases import Exercise
from core.judge.evidence import Evidence
from core.judge.expression import NoExpression
from labs.cases.splice_push.exercises.ex3.judge import Fates, Request, condition, listed, predicted, unseen
from labs.cases.splice_push.network import LOOPBACK, PORT, PROXY, PROXY_PORT, SERVER, Network
from labs.cases.splice_push.regression import REGRESSION
from labs.cases.splice_push.workload import Way, fetch
from labs.take.script import Taking
from labs.trace import module

PLACES = {"lo": ("server", LOOPBACK, PORT), "proxy": ("proxy", SERVER, PORT), "client": ("client", PROXY, PROXY_PORT)}


def take(exercise: Exercise, answer: str) -> Evidence:
    """Make all requests on the broken kernel, if there is a condition to hold to it. The requests that are not listed
    are drawn now: no answer chooses them."""
    chance = random.SystemRandom()
    taking = Taking(exercise, answer)
    seen = Fates([*listed(exercise), *unseen(chance)], chance.getrandbits(62))
    try:
        predicted(condition(answer), seen.requests[0])
    except NoExpression:
        return taking.evidence(None)
    with Network() as net, module.livepatched(REGRESSION):
        fetched = fetch(net, [way(str(number), one) for number, one in enumerate(seen.requests, 1)])
    seen.lost = [fetched[str(number)][1].missing_bytes > 0 for number in range(1, len(seen.requests) + 1)]
    return taking.evidence(seen)


def way(name: str, request: Request) -> Way:
    """The request as the workload makes it."""
    query = [
        f"asked={request.asked}",
        f"more={request.more}",
        *(["nodelay=1"] if request.nodelay else []),
        *(["sndbuf=32768"] if request.sndbuf else []),
    ]
    client, address, port = PLACES[request.where]
    return Way(name, "&".join(query), client, address, port, request.size)
