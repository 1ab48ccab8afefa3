"""What can a reader type? One function a subcommand; the work is done elsewhere."""

import json
import sys

import click

from host import phases
from host.phases import LabError

CONTEXT = {"help_option_names": ["-h", "--help"], "max_content_width": 92}


class Commands(click.Group):
    """Subcommands whose errors name what was expected and the next command."""

    def invoke(self, context):
        try:
            return super().invoke(context)
        except LabError as error:
            click.echo(f"lab: {error}", err=True)
            context.exit(error.status)
        except KeyboardInterrupt:
            click.echo("\nlab: interrupted; what was running has been ended", err=True)
            context.exit(130)

    def resolve_command(self, context, arguments):
        try:
            return super().resolve_command(context, arguments)
        except click.UsageError as error:
            names = ", ".join(self.list_commands(context))
            raise click.UsageError(f"{error.message} There are: {names}.", context) from None

    def list_commands(self, context):
        return list(self.commands)


def command(example: str):
    """A subcommand whose --help ends with an example."""
    return main.command(epilog=f"Example: {example}")


json_option = click.option("--json", "as_json", is_flag=True, help="Print one JSON object on stdout.")


@click.group(cls=Commands, context_settings=CONTEXT)
def main():
    """Where Packets Wait: a book on why packets wait inside Linux, and the lab that shows it."""


@command("./lab start --port 8890")
@click.option("--port", default=8888, show_default=True, help="Port on 127.0.0.1 to listen on.")
@click.option("--no-browser", is_flag=True, help="Print the address instead of opening it.")
def start(port, no_browser):
    """Make whatever is missing, then open chapter 1 in JupyterLab."""
    from host import jupyter

    jupyter.start(port, not no_browser)


@command("./lab up")
def up():
    """Have the VM ready."""
    from host import vm

    guest = vm.up()
    phases.say(f"up; a root shell in it: ./lab shell (ssh on loopback port {guest.port})")


@command("./lab down")
def down():
    """Stop the VM."""
    from host import vm

    phases.say("stopped" if vm.down() else "it was not up")


@command("./lab reset")
def reset():
    """Put the VM back to its pristine snapshot."""
    from host import vm

    vm.reset()


@command("./lab shell -- uname -r")
@click.argument("words", metavar="[CMD]...", nargs=-1, type=click.UNPROCESSED)
def shell(words):
    """A root shell in the VM, or one command with its exit status."""
    from host import vm

    connection = vm.up().connection
    sys.exit(connection.run(list(words)).returncode if words else connection.shell())


@command("./lab run frag-needed --json")
@click.argument("case")
@json_option
def run(case, as_json):
    """Show a case happen, beside its control: exit 0 reproduced, 1 not, 3 could not be tried."""
    from host import labs

    sys.exit(labs.in_throwaway("run", case, as_json))


@command("./lab trace frag-needed")
@click.argument("case")
@json_option
def trace(case, as_json):
    """The same under the tracers: observed stacks beside the story's."""
    from host import labs

    sys.exit(labs.in_throwaway("trace", case, as_json))


def _print_json(value) -> None:
    click.echo(json.dumps(value, indent=2))
