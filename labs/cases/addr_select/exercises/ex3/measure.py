"""What happens with an answer to exercise 3? judge.py judges it.

The answer is a program of its own, run on the node by a user who may change no setting and no route; its packets are
received by the peer. The kernel's questions, and for whom it chooses, are counted for everybody: nobody else sends.
"""

import shlex
import socket
import struct
import tempfile
from pathlib import Path

from core.cases import Exercise
from core.judge.evidence import Evidence
from labs.cases.addr_select.cure.measure import questions
from labs.cases.addr_select.exercises.ex3.judge import PACKETS, PEERS, Sent
from labs.cases.addr_select.names import EVAL, REPORTED, SELECT
from labs.cases.addr_select.network import Silent
from labs.cases.addr_select.workload import Sender
from labs.take.answer import DROP_TO_NOBODY, applied
from labs.take.script import Taking
from labs.trace.calls import Calls, Values

# Of ipv6_dev_get_saddr(net, dst_dev, daddr, prefs, saddr) the destination, which no register holds: its two halves.
DESTINATION = {"begins": "+0(%dx):x64", "ends": "+8(%dx):x64"}


def take(exercise: Exercise, answer: str) -> Evidence:
    """The program on a network of its own."""
    taking = Taking(exercise, answer)
    with Silent() as net:
        net.announce(REPORTED)
        with Sender(net) as sender:
            seen = Sent(questions(sender))
        net.peer.on(f"ip -6 address add {PEERS[1]}/64 dev peer-eth0 nodad")
        with net.peer.inside():
            sinks = [socket.socket(socket.AF_INET6, socket.SOCK_DGRAM) for _ in PEERS]
        for sink, address in zip(sinks, PEERS):
            sink.bind((address, 0))
            sink.setblocking(False)
        to = [f"{word}" for sink in sinks for word in sink.getsockname()[:2]]
        seen.asked, seen.choices = run(taking, net, [str(PACKETS), *to])
        seen.sources = arrived(net, sinks)
        for sink in sinks:
            sink.close()
    return taking.evidence(seen)


def run(taking: Taking, net: Silent, words: list[str]) -> tuple[int, list[int]]:
    """Runs the program to its end; how many questions the kernel asked meanwhile, and how often it chose a source for
    each peer."""
    counting = Calls([EVAL], everyone=True), Values(SELECT, returned=False, everyone=True, **DESTINATION)
    with tempfile.TemporaryDirectory() as folder, counting[0] as calls, counting[1] as choices:
        program = Path(folder) / "answer.py"
        program.write_text(taking.answer)
        program.parent.chmod(0o755)
        command = ["on", "node", *DROP_TO_NOBODY, "python3", "-I", str(program), *words]
        script = f"cd /tmp; {shlex.join(command)}"  # where it may write
        with applied(script, {"node": net.node.pid}, {"node"}, shown=[folder]) as taking.script:
            pass
        asked = calls.now()[EVAL]  # now that whatever it has left running is ended
    return asked, [choices.counts.get(halves(peer), 0) for peer in PEERS]


def halves(address: str) -> tuple[int, int]:
    """An IPv6 address as this machine reads its two halves."""
    return struct.unpack("=QQ", socket.inet_pton(socket.AF_INET6, address))


def arrived(net: Silent, sinks: list[socket.socket]) -> list[list[str]]:
    """Sources of the packets that came to each peer. A ping to it goes the same way: when that is answered, nothing
    that was sent before it is under way any more."""
    for address in PEERS:
        net.node.on(f"ping -n -c 1 {address}")
    return [received(sink) for sink in sinks]


def received(sink: socket.socket) -> list[str]:
    """Source of each packet that waits at a peer."""
    found = []
    try:
        while True:
            found.append(sink.recvfrom(64)[1][0])
    except BlockingIOError:
        return found
