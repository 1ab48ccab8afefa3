"""What happens with an answer to exercise 4? lasted.py judges it.

The connections are open and have met the small MTU before the answer acts; what they learnt expires soon.
"""

from __future__ import annotations

import time

from labs.cases.frag_needed.lasted import EXPIRES_S, LEARNING, ROUND, ROUNDS, Lasting
from labs.cases.frag_needed.names import VIP
from labs.cases.frag_needed.network import Network
from labs.cases.frag_needed.workload import Direct, Watch
from labs.judge.evidence import Evidence
from labs.judge.exercise import Exercise
from labs.measure.spent import CONTROL, spent
from labs.take.script import Taking

SYSCTL = "net/ipv4/route/mtu_expires"


def take_lasting(exercise: Exercise, answer: str) -> Evidence:
    """The answer on a network of its own."""
    taking, seen = Taking(exercise, answer), Lasting()
    with Network() as net:
        net.client.sysctl({SYSCTL: str(EXPIRES_S)})
        taking.look_at_others(net)  # what is learnt now expires soon, and the answer is to act before
        watch = Watch(net)
        with taking.expecting_answers(), watch:
            with spent(CONTROL):
                watch.open(Direct, "A", "B")
                for name, called in zip("AB", LEARNING):
                    watch.ask(name, called)
            with taking.acted(net) as ran:
                if ran:
                    seen.expires.append(expires_s(net))
                    for number in range(1, ROUNDS + 1):
                        outlive(watch, number)
                        seen.expires.append(expires_s(net))
            if not ran or taking.unanswered:
                watch.exchanges.clear()  # nothing is to be observed
        seen.observed = watch.observed
    return taking.evidence(seen)


def expires_s(net: Network) -> str:
    """After how many seconds an exception expires, as the client has it now."""
    return net.client.on("sysctl", "-n", SYSCTL).strip()


def outlive(watch: Watch, number: int) -> None:
    """Both connections before an expiry, and after it."""
    for name, when in ROUND:
        if (name, when) == ROUND[2]:
            time.sleep(EXPIRES_S + 0.5)  # the thing under test is a time
            watch.net.client.on(f"ip route get {VIP}")
        watch.ask(name, f"{name} {when} expiry {number}")
