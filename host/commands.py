"""How does ./lab answer a call that is wrong, or that fails? With what was expected and the next command."""

import json
import os
import signal
import stat
import subprocess
import sys

import click

from core.cases import WrongCall
from core.signals import leave_once
from core.statuses import Status
from host import phases
from host.errors import LabError
from host.terminal_escape import escaped_json

DASHES = "lab.dashes"  # the words after a `--`, if there was one


def end_as_by_ctrl_c() -> None:
    """Have SIGTERM, and SIGHUP where nohup does not have it ignored, leave every block, and with it end its guest; the
    status is 128 + the signal's number."""

    def silence() -> None:
        for stream in (1, 2):
            if stat.S_ISCHR(os.fstat(stream).st_mode) and not os.isatty(stream):  # a terminal that has closed
                os.dup2(os.open(os.devnull, os.O_WRONLY), stream)

    heeded = [each for each in (signal.SIGTERM, signal.SIGHUP) if signal.getsignal(each) != signal.SIG_IGN]
    leave_once(heeded, silence)


class Commands(click.Group):
    """Subcommands whose errors name what was expected and the next command."""

    def invoke(self, context):
        try:
            return super().invoke(context)
        except WrongCall as wrong:
            self._end(context, LabError(str(wrong), wrong.next_command, Status.USAGE))
        except LabError as error:
            self._end(context, error)
        except KeyboardInterrupt:
            click.echo("\nlab: interrupted; what was running has been ended", err=True)
            context.exit(Status.INTERRUPTED)
        except BrokenPipeError:  # whoever read our output has seen enough
            os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
            context.exit(Status.UNREAD)
        except (OSError, subprocess.CalledProcessError) as error:  # a full disk, a file not ours
            click.echo(f"lab: {error}\n  Next: ./lab doctor", err=True)
            context.exit(Status.COULD_NOT)

    def _end(self, context, error):
        """Say what is wrong, and end with its status."""
        if "--json" in sys.argv:
            click.echo(escaped_json(json.dumps({"error": error.message, "next": error.next})))
        phases.say(f"lab: {error}")
        context.exit(error.status)

    def resolve_command(self, context, arguments):
        try:
            return super().resolve_command(context, arguments)
        except click.UsageError as error:
            names = ", ".join(self.list_commands(context))
            raise click.UsageError(f"{error.message} There are: {names}.", context) from None

    def list_commands(self, context):
        return list(self.commands)


class Command(click.Command):
    """A subcommand that names its options when it is given an unknown one, and knows what came after a `--`."""

    def parse_args(self, context, words):
        context.meta[DASHES] = words[words.index("--") + 1 :] if "--" in words else None  # click takes it away
        try:
            return super().parse_args(context, words)
        except click.NoSuchOption as error:
            error.possibilities = sorted(
                name for option in self.get_params(context) for name in option.opts if name.startswith("-")
            )
            raise
