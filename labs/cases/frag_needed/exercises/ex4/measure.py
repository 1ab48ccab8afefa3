"""What happens with an answer to exercise 4? judge.py judges it.

The connections are open and have met the small MTU before the answer acts; what they learnt expires soon.
"""

import time

from core.cases import Exercise
from core.judge.evidence import Evidence
from labs.cases.frag_needed.exercises.ex4.judge import EXPIRES_S, LEARNING, ROUND, ROUNDS, Lasting
from labs.cases.frag_needed.names import VIP
from labs.cases.frag_needed.network import Network
from labs.cases.frag_needed.workload import Direct, Watch
from labs.net.counters import counters
from labs.net.written import Written
from labs.take.script import Taking, control
from labs.take.standing import taken

SYSCTL, CAME = "net/ipv4/route/mtu_expires", "IpInReceives"


def take(exercise: Exercise, answer: str) -> Evidence:
    """The answer on a network of its own."""
    taking, seen = Taking(exercise, answer), Lasting()
    with taken(Network) as net:
        net.client.sysctl({SYSCTL: str(EXPIRES_S)})
        taking.look_at_others(net)  # what is learnt now expires soon, and the answer is to act before
        watch = Watch(net)
        with taking.network_errors_noted(), watch:
            with control():
                watch.open(Direct, "A", "B")
                for name, called in zip("AB", LEARNING):
                    watch.ask(name, called)
            with Written(net.client, SYSCTL) as written, taking.answer_applied(net) as finished:
                if finished:
                    before, came = fragments(net), counters(net.balancer)[CAME]  # what the script itself tried is over
                    look(seen, net)
                    for number in range(1, ROUNDS + 1):
                        outlive(seen, watch, number)
                        look(seen, net)
                    seen.fragments, seen.came = fragments(net) - before, counters(net.balancer)[CAME] - came
            seen.written = written.values
            if not finished or taking.unanswered:
                watch.exchanges.clear()  # nothing is to be observed
        seen.observed = watch.observed
    return taking.evidence(seen)


def look(seen: Lasting, net: Network) -> None:
    """Note after how many seconds the client has an exception expire now, and the exception that there may be."""
    seen.expires.append(net.client.on("sysctl", "-n", SYSCTL).strip())
    seen.routes.append(net.client.on(f"ip route get {VIP}").strip())


def fragments(net: Network) -> int:
    """How many all hosts have made so far."""
    return sum(counters(node)["IpFragCreates"] for node in net.by_name.values())


def outlive(seen: Lasting, watch: Watch, number: int) -> None:
    """Ask on both connections before an expiry, and after it."""
    for name, when in ROUND:
        if (name, when) == ROUND[2]:
            time.sleep(EXPIRES_S + 0.5)  # the thing under test is a time
            seen.routes.append(watch.net.client.on(f"ip route get {VIP}").strip())
        watch.ask(name, f"{name} {when} expiry {number}")
