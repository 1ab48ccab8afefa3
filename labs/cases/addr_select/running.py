"""What happens with an answer to exercise 3? ran.py judges it.

The answer is a program of its own, run on the node by a user who may change no setting and no route; its packets are
received by the peer, and the kernel's questions are counted for everybody, for nobody else sends.
"""

from __future__ import annotations

import shlex
import socket
import tempfile
from pathlib import Path

from core.cases import Exercise
from core.judge.evidence import Evidence
from labs.cases.addr_select.curing import questions
from labs.cases.addr_select.names import EVAL, REPORTED
from labs.cases.addr_select.network import Silent
from labs.cases.addr_select.ran import PACKETS, PEERS, Sent
from labs.cases.addr_select.workload import Sender
from labs.take.answer import AS_NOBODY, applied
from labs.take.script import Taking
from labs.trace.calls import Calls


def take_program(exercise: Exercise, answer: str) -> Evidence:
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
        seen.asked = run(taking, net, [str(PACKETS), *to])
        seen.sources = [received(sink) for sink in sinks]
        for sink in sinks:
            sink.close()
    return taking.evidence(seen)


def run(taking: Taking, net: Silent, words: list[str]) -> int:
    """Runs the program to its end; how many questions the kernel asked meanwhile."""
    with tempfile.TemporaryDirectory() as folder, Calls([EVAL], everyone=True) as calls:
        program = Path(folder) / "answer.py"
        program.write_text(taking.answer)
        program.parent.chmod(0o755)
        script = shlex.join(["on", "node", *AS_NOBODY, "python3", "-I", str(program), *words])
        with applied(script, {"node": net.node.pid}, {"node"}, shown=[folder]) as taking.script:
            pass
        return calls.now()[EVAL]  # now that whatever it has left running is ended


def received(sink: socket.socket) -> list[str]:
    """Source of each packet that waits at a peer."""
    found = []
    try:
        while True:
            found.append(sink.recvfrom(64)[1][0])
    except BlockingIOError:
        return found
