"""What does `./lab shell CASE` open? Mininet's command line on the case's network, with two commands beside Mininet's
own: `fault_on` brings the case's fault, `fault_off` takes it away.

A case's shell.py says how, in `session()`: the network for the length of a block. It begins without the fault.
"""

from __future__ import annotations

import contextlib
import os
import signal
import sys
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass

from mininet.cli import CLI
from mininet.log import error, output

from labs.errors import CannotTry
from labs.net.topology import CommandFailed, Topology

Block = Callable[[], AbstractContextManager]  # for whose length something is so


@dataclass(frozen=True)
class Session:
    """A network for as long as somebody types, with the `fault` for the length of one block, and without it
    for that of the other. What each does is said in a sentence; `tries` are lines to type in both."""

    net: Topology
    fault: Block
    health: Block
    fault_does: str
    health_does: str
    tries: Sequence[str]

    def help(self) -> str:
        """What `help` says beside the names of all commands."""
        hosts = list(self.net.by_name)
        return "\n".join(
            [
                f"fault_on   {self.fault_does}",
                f"fault_off  {self.health_does}; so it begins",
                "",
                f"What is run on a host ({', '.join(hosts)}) begins with its name; further on",
                f"a name stands for an address: {hosts[0]} ping -c 1 {hosts[1]}",
                "",
                "Try, with the fault and without it:",
                *(f"  {line}" for line in self.tries),
                "",
            ]
        )


class Prompt(CLI):
    """Mininet's command line: __init__() returns when whoever types has left."""

    def __init__(self, session: Session) -> None:
        self.session, self.helpStr = session, session.help()
        with contextlib.ExitStack() as self.state:
            self._go(session.health)
            if sys.stdin.isatty():
                super().__init__(session.net)
                return
            # Mininet hands a running command whatever can be read meanwhile, which would be the next lines.
            script = session.net.folder / "typed"
            script.write_text(sys.stdin.read())
            nothing, keeps_it_so = map(os.fdopen, os.pipe(), "rw")
            with nothing, keeps_it_so:
                super().__init__(session.net, stdin=nothing, script=f"{script}")

    def do_fault_on(self, _line: str) -> None:
        """Bring the case's fault. `help` says what that is, and what to try."""
        self._change(self.session.fault, self.session.fault_does)

    def do_fault_off(self, _line: str) -> None:
        """Take the case's fault away."""
        self._change(self.session.health, self.session.health_does)

    def _change(self, block: Block, does: str) -> None:
        try:
            self._go(block)
            output(f"{does}\n")
        except (CannotTry, CommandFailed) as reason:
            error(f"*** {reason}\n")

    def _go(self, block: Block) -> None:
        """From the one state into the other, or into the same one anew."""
        self.state.close()
        self.state.enter_context(block())


def prompt(session: Block) -> None:
    """A prompt on what `session` gives; all is undone at the end, be it `exit`, Ctrl-D, or a terminal that closes."""
    for number in (signal.SIGHUP, signal.SIGTERM):
        signal.signal(number, _leave)
    with session() as it:
        output(f"{', '.join(it.net.by_name)}: without the fault. fault_on, fault_off, and help, which says more\n")
        Prompt(it)


def _leave(number: int, _frame) -> None:
    """Once: a terminal that closes may say so twice, and the second time would cut short what the first began."""
    for each in (signal.SIGHUP, signal.SIGTERM):
        signal.signal(each, signal.SIG_IGN)
    sys.exit(128 + number)
