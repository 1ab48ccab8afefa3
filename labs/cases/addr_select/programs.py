"""Does a program send without having the kernel look through its addresses? What exercise 3 is held to.

The answer is a program of its own, run on the node by a user who may change no setting and no route; its packets are
received by the peer, and the kernel's questions are counted for everybody, for nobody else sends.
"""

from __future__ import annotations

import re
import shlex
import socket
import tempfile
from pathlib import Path

from labs.cases.addr_select.curing import looks_through_all, questions
from labs.cases.addr_select.names import EVAL, NODE, REPORTED
from labs.cases.addr_select.network import Silent
from labs.cases.addr_select.workload import Sender
from labs.judge.exercise import Exercise
from labs.judge.verdict import Judged, Verdict
from labs.take.answer import applied
from labs.trace.calls import Calls

PEERS = ("2001:db8:2::2", "2001:db8:2::3")
PACKETS = 10  # to each peer
AS_NOBODY = ("setpriv", "--reuid=nobody", "--regid=nogroup", "--clear-groups", "--inh-caps=-all", "--no-new-privs")
REFUSED = re.compile(r"Permission denied|Operation not permitted", re.IGNORECASE)  # EACCES, EPERM
AT_MOST = 25 * REPORTED * len(PEERS)  # questions: a choice for each peer, and not one for each packet


def judge_program(exercise: Exercise, answer: str, verdict: Verdict) -> None:
    """Exercise 3: all packets arrive, from the node's own address, and few questions are asked."""
    with Silent() as net:
        net.announce(REPORTED)
        with Sender(net) as sender:
            looks_through_all(questions(sender))
        net.peer.on(f"ip -6 address add {PEERS[1]}/64 dev peer-eth0 nodad")
        with net.peer.inside():
            sinks = [socket.socket(socket.AF_INET6, socket.SOCK_DGRAM) for _ in PEERS]
        for sink, address in zip(sinks, PEERS):
            sink.bind((address, 0))
            sink.setblocking(False)
        to = [f"{word}" for sink in sinks for word in sink.getsockname()[:2]]
        asked = run(verdict, answer, net, [str(PACKETS), *to])
        sources = [received(sink) for sink in sinks]
        for sink in sinks:
            sink.close()
    weigh(verdict, asked, sources)


def run(verdict: Verdict, answer: str, net: Silent, words: list[str]) -> int:
    """Runs the program to its end; how many questions the kernel asked meanwhile."""
    with tempfile.TemporaryDirectory() as folder, Calls([EVAL], everyone=True) as calls:
        program = Path(folder) / "answer.py"
        program.write_text(answer)
        program.parent.chmod(0o755)
        script = shlex.join(["on", "node", *AS_NOBODY, "python3", "-I", str(program), *words])
        with applied(script, {"node": net.node.pid}, {"node"}) as script:
            problems = script.problems()
            if problems and REFUSED.search(script.output):
                problems.insert(0, "it was refused what is not the program's here: no setting, no route")
            if not verdict.expect(not problems, "the program ran to its end", "; ".join(problems)):
                raise Judged
        return calls.now()[EVAL]


def received(sink: socket.socket) -> list[str]:
    """Source of each packet that waits at a peer."""
    found = []
    try:
        while True:
            found.append(sink.recvfrom(64)[1][0])
    except BlockingIOError:
        return found


def weigh(verdict: Verdict, asked: int, sources: list[list[str]]) -> None:
    """What arrived, from where, and how much the kernel was asked."""
    counts = [len(one) for one in sources]
    verdict.measured.update(questions=asked, received=counts)
    verdict.expect(
        counts == [PACKETS] * len(PEERS),
        f"each peer received {PACKETS} packets",
        f"the peers received {' and '.join(map(str, counts))} packets, expected {PACKETS} each",
    )
    others = sorted({source for one in sources for source in one} - {NODE})
    verdict.expect(
        not others,
        f"all came from {NODE}",
        f"packets come from {', '.join(others)}, expected {NODE}: nobody would send the answers there",
    )
    verdict.expect(
        asked <= AT_MOST,
        f"the kernel asked {asked} questions for all of them",
        f"the kernel asked {asked} questions for {sum(counts)} packets, expected {AT_MOST} at most",
    )
