"""What does `./lab shell CASE` open? Mininet's command line on the case's network, with two commands beside Mininet's
own: `fault_on` brings the case's fault, `fault_off` takes it away.

A case's shell.py says how, in `session()`: the network for the length of a block. It begins without the fault.
"""

import contextlib
import os
import re
import signal
import sys
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass

from mininet.cli import CLI
from mininet.log import OUTPUT, StreamHandlerNoNewline, error, lg, output

from core.signals import leave_once
from labs.errors import CannotTry
from labs.net.topology import CommandFailed, Topology
from labs.trace.signal_safe import ShieldedExitStack

PROMPT = CLI.prompt
WAITS_S = 120  # for what a line says, on a busy machine
Block = Callable[[], AbstractContextManager]  # for whose length something is so


@dataclass(frozen=True)
class Session:
    """A network for as long as somebody types, with the `fault` for the length of one block, and without it for that of
    the other. What each does is said in a sentence; `tries` are lines to type in both."""

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
    """Mininet's command line: __init__() returns when whoever types has left, or at the end of standard input. `state`
    is what the network is in; it is closed at the end, and by who gave it, should this be cut short."""

    def __init__(self, session: Session, state: ShieldedExitStack) -> None:
        self.session, self.helpStr, self.state = session, session.help(), state
        self.state.enter_context(session.health())
        output(f"{', '.join(session.net.by_name)}: without the fault. fault_on, fault_off, and help, which says more\n")
        try:
            if sys.stdin.isatty():
                super().__init__(session.net)
            else:
                self._read(session.net)
        finally:
            with contextlib.suppress(CommandFailed, OSError):  # the reader has changed a host, and all hosts end now
                self.state.close()

    def _read(self, net: Topology) -> None:
        """Lines that come without a terminal, up to one by which to leave. Mininet would hand a running command what
        can be read meanwhile, which is the next line; so it gets another input, where nothing comes."""
        nothing, keeps_it_so = map(os.fdopen, os.pipe(), "rw")
        with nothing, keeps_it_so:
            super().__init__(net, stdin=nothing, script=os.devnull)
            for line in sys.stdin:
                if self.onecmd(self.precmd(line)):
                    break

    def onecmd(self, line: str) -> bool | str | None:
        """Run a line as Mininet does; what goes wrong is said, and the next line is read. A host whose output was not
        read to its end gets another bash."""
        try:
            return super().onecmd(line)
        except Exception as failed:
            _say(failed)
            for node in self.mn.values():
                if node.waiting:
                    node.end_bash()
            return None

    def do_fault_on(self, _line: str) -> None:
        """Bring the case's fault. `help` says what that is, and what to try."""
        self._change(self.session.fault, self.session.fault_does)

    def do_fault_off(self, _line: str) -> None:
        """Take the case's fault away."""
        self._change(self.session.health, self.session.health_does)

    def do_on(self, line: str) -> None:
        """Run a command on a host, as an exercise's script does: on client ip route."""
        self.default(line or "on")

    def default(self, line: str) -> None:
        """Run what begins with a host's name on that host. For anything else, say how such a line begins."""
        if self.parseline(line)[0] in self.mn:
            super().default(line)
        else:
            host = next(iter(self.session.net.by_name))
            error(f"*** Unknown command: {line}\n    A command on a host begins with its name: {host} {line}\n")

    def _change(self, block: Block, does: str) -> None:
        """Go from one state into the other, or into the same one anew."""
        try:
            self.state.close()
        except KeyboardInterrupt:  # it came before, or after: this does nothing where all is left
            self.state.close()
        except Exception as failed:
            _say(failed)
        try:
            self.state.enter_context(block())
        except BaseException:
            error("*** neither fault_on nor fault_off is in force now, and either may be typed once more:\n")
            raise
        output(f"{does}\n")


def transcript(case: str, lines: Sequence[str]) -> str:
    """What a terminal shows of `labs shell CASE` while these lines are typed there, each when the one before it has
    been answered; it ends with the last answer. Raises pexpect.ExceptionPexpect if one is not, in WAITS_S; the network
    may then outlive this, for the guest of a recording is thrown away."""
    import pexpect  # for a recording alone

    dumb, wide = os.environ | {"TERM": "dumb"}, (40, 200)  # no codes, and no line is broken
    words = ["-m", "labs", "shell", case]
    terminal = pexpect.spawn(sys.executable, words, timeout=WAITS_S, encoding="utf-8", env=dumb, dimensions=wide)
    shown = ""
    try:
        for line in [*lines, "exit"]:
            terminal.expect_exact(PROMPT)
            shown += terminal.before + terminal.after
            terminal.sendline(line)
        terminal.expect_exact(pexpect.EOF)
    finally:
        terminal.close(force=True)
    # A host's bash has a terminal of its own, which adds a carriage return as this one does.
    return re.sub("\r+\n", "\n", shown.removesuffix(PROMPT)).strip()


def _say(failed: Exception) -> None:
    next_command = f". Next: {failed.next_command}" if isinstance(failed, CannotTry) else ""
    error(f"*** {str(failed) or type(failed).__name__}{next_command}\n")


def prompt(session: Block) -> None:
    """A prompt on what `session` gives; all is undone at the end, be it `exit`, Ctrl-D, or a terminal that closes. What
    commands say goes to standard output, and what is wrong to standard error, where Mininet has both."""
    leave_once((signal.SIGHUP, signal.SIGTERM))
    said = StreamHandlerNoNewline(sys.stdout)
    said.addFilter(lambda record: record.levelno == OUTPUT)
    lg.ch.addFilter(lambda record: record.levelno != OUTPUT)
    lg.addHandler(said)
    with ShieldedExitStack() as network:
        it = network.enter_context(session())
        state = network.enter_context(ShieldedExitStack())
        Prompt(it, state)
