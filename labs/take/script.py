"""What is seen of every answer that is a script? What became of it, and of the hosts that it may not change; and that
a workload gets no answer at all."""

import contextlib
import os
import ssl
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

from core.cases import Exercise
from core.judge.evidence import Evidence, Script, Settings
from core.protocol import CONTROL
from labs.errors import RAN_ON, CouldNotTell
from labs.measure.timing import timed
from labs.net.topology import CommandFailed, NotReady, Topology
from labs.take.answer import applied
from labs.take.settings import compared, settings
from labs.take.standing import settings_so_far, taken
from labs.trace.calls import Calls

# Who knows the number of a network (netnsid; net/core/net_namespace.c) acts there without having been given it: each
# end of a veth tells the other's. `ip` asks so only if it is told to (link-netnsid), and nobody else here does.
BY_NUMBER = "get_net_ns_by_id"
# What a network that an answer has broken does to a workload.
NETWORK_ERRORS = (OSError, ssl.SSLError, NotReady, CommandFailed, IndexError, StopIteration)


@contextlib.contextmanager
def two(make: Callable[[], Topology]):
    """Two topologies, made at the same time where they are not up already, and closed with the block."""
    with ThreadPoolExecutor(2) as pool:
        making = [pool.submit(taken, make) for _ in range(2)]
    made = [future.result() for future in making if not future.exception()]
    try:
        yield [future.result() for future in making]
    finally:
        for network in made:
            network.close()


class Taking:
    """The evidence of one answer, as it comes; `variables` are those of a script's shell that its case judges:

    taking = Taking(exercise, answer)
    with taking.answer_applied(net) as finished:
        if finished:
            ... what the case wants to see ...
    taking.evidence(seen)
    """

    def __init__(self, exercise: Exercise, answer: str, variables: Sequence[str] = ()) -> None:
        self.exercise, self.answer, self.variables = exercise, answer, variables
        self.script: Script | None = None
        self.before: dict[str, list[str]] = {}  # by host that is not the answer's, its settings
        self.settings: list[Settings] = []
        self.unanswered = ""

    def look_at_others(self, net: Topology) -> None:
        """Note how the hosts that are not the answer's are set. `answer_applied` does, unless that was done; it takes
        a second under emulation."""
        others = {name: node for name, node in net.by_name.items() if name not in self.exercise.allowed}
        self.before = {name: settings_so_far(node) for name, node in others.items()}

    @contextlib.contextmanager
    def answer_applied(self, net: Topology):
        """The answer's script, applied for the length of the block; yields whether it ran to its end, and on no other
        host. What the block finds instead of an answer to a workload ends it, and is noted; so is what became of the
        other hosts."""
        if not self.before:
            self.look_at_others(net)
        pids = {name: node.pid for name, node in net.by_name.items()}
        left: list[int] = []
        running = applied(self.answer, pids, set(self.exercise.allowed), variables=self.variables, left=left.append)
        with Calls([BY_NUMBER], everyone=True) as calls:
            with running as self.script, self.network_errors_noted():
                yield (finished := not self.script.problems())
            self.script = replace(self.script, reached=calls.now()[BY_NUMBER], left=sum(left))
        if finished:
            self.settings = [compared(name, before, settings(net[name])) for name, before in self.before.items()]

    @contextlib.contextmanager
    def network_errors_noted(self):
        """End the block at the first error that a broken network gives a workload, and note that in the evidence."""
        try:
            yield
        except NETWORK_ERRORS as error:
            self.unanswered = _said(error)

    def evidence(self, seen: object) -> Evidence:
        """All of the evidence, with what the case has seen."""
        kernel = os.uname().release
        return Evidence(self.exercise.id, self.answer, kernel, self.script, self.settings, self.unanswered, seen)


@contextlib.contextmanager
def control():
    """Time a block as the control's, which no answer has touched. What it finds instead of an answer to a workload is
    a machine's that is too slow, and not the reader's."""
    try:
        with timed(CONTROL):
            yield
    except NETWORK_ERRORS as error:
        raise CouldNotTell(f"in the control: {_said(error)}", RAN_ON) from error


def _said(error: Exception) -> str:
    """The first line of what went wrong."""
    return str(error).splitlines()[0] if str(error) else type(error).__name__
