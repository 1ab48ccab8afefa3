"""What happens with an answer to exercises 1 and 2? judge.py judges it.

Two networks, each with the report's 512 addresses: an untouched one, and one on which the answer acts.
"""

import contextlib
import os
import re
import socket
from pathlib import Path

from core.cases import Exercise
from core.judge.evidence import Evidence
from labs.cases.addr_select.cure.judge import EXPIRES, SETTING, Cure, NodeSettings, Services
from labs.cases.addr_select.cure.serving import client_elsewhere, heard_elsewhere, socket_on, used
from labs.cases.addr_select.experiments import DISCARD
from labs.cases.addr_select.names import EVAL, PEER, REPORTED
from labs.cases.addr_select.network import Network
from labs.cases.addr_select.workload import Sender, by_turns, counting
from labs.take.script import Taking, control, two
from labs.take.settings import MOST_LINES, compared, settings

NOBODY = (65534, 65534)  # a user and a group


def take(exercise: Exercise, answer: str) -> Evidence:
    """The answer on networks of its own."""
    taking, seen = Taking(exercise, answer), Cure()
    with two(as_reported) as (untouched, fixed):
        client = client_elsewhere(fixed)
        before = settings(fixed.node)
        with taking.answer_applied(fixed) as finished:
            if finished:
                at_first = settings(fixed.node)
                meanwhile = cost(seen, untouched, fixed, client)
                seen.services = services(fixed, client)
                seen.node = node(before, at_first, settings(fixed.node), meanwhile)
    return taking.evidence(seen)


def as_reported() -> Network:
    """The network with the report's number of addresses, all learnt by the router."""
    net = Network()
    try:
        net.announce(REPORTED)
        net.learnt()
    except BaseException:
        net.close()
        raise
    return net


def cost(seen: Cure, untouched: Network, fixed: Network, client: str) -> list[str]:
    """The cost of a packet from an unconnected socket, in either network, and whose source others have; where SETTING
    was on right before or after."""
    with Untouched(untouched) as was, Sender(fixed) as now:
        seen.asked_before = questions(was)
        on = setting_on(fixed)
        seen.turns = by_turns(was, now)
        on += setting_on(fixed)
        asked, seen.sources = of_others(fixed, client)
        seen.asked = max(questions(now), *asked)
        return on + setting_on(fixed)


class Untouched(Sender):
    """A sender of the network that no answer acts on."""

    def seen_source(self) -> str:
        """The next packet's, as of any sender; if none comes, that is the machine's."""
        with control():
            return super().seen_source()


def setting_on(net: Network) -> list[str]:
    """Where the node has SETTING on now, as lines of its settings."""
    with net.node.inside():
        files = sorted(Path("/proc/sys/net/ipv6/conf").glob(f"*/{SETTING}"))
        values = [(file.relative_to("/proc/sys"), file.read_text().strip()) for file in files]
    return [f"{name} = {value}" for name, value in values if value != "0"]


def questions(sender: Sender) -> int:
    """How many the kernel asks for a packet."""
    with counting() as calls:
        return sender.calls(calls)[EVAL]


def of_others(net: Network, client: str) -> tuple[list[int], dict[str, str]]:
    """How many the kernel asks for a ping, for a connection and for another user's datagram to the peer, because a rule
    may be UDP's alone, or root's; and which source it gives to each of these, and to a datagram to a client elsewhere,
    by connect(): an empty one to whom there is no way, and none elsewhere."""
    asked, sources = [], {}
    with counting() as calls, contextlib.ExitStack() as stack:
        listener = socket_on(net.peer, socket.SOCK_STREAM, stack, PEER)
        listener.listen()
        raw = socket_on(net.node, socket.SOCK_RAW, stack, protocol=socket.IPPROTO_ICMPV6)
        tcp = socket_on(net.node, socket.SOCK_STREAM, stack)
        user, elsewhere = (socket_on(net.node, socket.SOCK_DGRAM, stack) for _ in range(2))
        os.fchown(user.fileno(), *NOBODY)  # whose socket it is, a rule looks at (sock_net_uid() in include/net/sock.h)
        for called, ours, to in (
            ("a ping to the peer", raw, (PEER, 0)),
            ("a connection to the peer", tcp, listener.getsockname()[:2]),
            ("another user's datagram to the peer", user, (PEER, DISCARD)),
        ):
            before, sources[called] = calls.now(), ""
            ours.setblocking(False)  # the source is chosen at once; that somebody answers is not looked at
            with contextlib.suppress(OSError):
                with contextlib.suppress(BlockingIOError):
                    ours.connect(to)
                sources[called] = ours.getsockname()[0]
            asked.append(calls.since(before)[EVAL])
        with contextlib.suppress(OSError):
            elsewhere.connect((client, DISCARD))
            sources["a datagram to a client elsewhere"] = elsewhere.getsockname()[0]
    return asked, sources


def services(net: Network, client: str) -> Services:
    """What is left of them."""
    owned = net.node.on("ip", "-6", "-oneline", "address", "show", "scope", "global").count("2001:db8:5:")
    return Services(owned, net.learnt_now(), used(net), heard_elsewhere(net, client))


def node(before: list[str], at_first: list[str], at_last: list[str], meanwhile: list[str]) -> NodeSettings:
    """What has become of the node's settings, by their lines."""
    others, *now = ([line for line in lines if SETTING not in line] for lines in (before, at_first, at_last))
    on = re.compile(rf"\S*/{SETTING} = [^0]\S*")
    lines = [line for line in (*at_first, *meanwhile, *at_last) if on.fullmatch(line)]
    passing = [line.strip() for line in (*at_first, *at_last) if EXPIRES.search(line) and line not in before]
    return NodeSettings([compared("node", others, then) for then in now], [*dict.fromkeys(lines)], passing[:MOST_LINES])
