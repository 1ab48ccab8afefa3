"""What can a reader type? One function a subcommand; the work is done elsewhere."""

import json
import sys
from pathlib import Path

import click

from core.judge.check import lines, read_checks
from core.statuses import VERDICTS, Status
from host import phases
from host.commands import DASHES, Command, Commands
from host.terminal_escape import escaped, escaped_json

CONTEXT = {"help_option_names": ["-h", "--help"], "terminal_width": 100}


def command(example: str):
    """A subcommand whose --help ends with an example."""
    return main.command(cls=Command, name=example.split()[1], epilog=f"Example: {example}")


def _known_profile(context, parameter, name):
    """A profile's name as it was typed, or an error with those that there are."""
    from host.vm.profile import profile

    return name and profile(name).name


def _known_kernel(context, parameter, name):
    """A kernel by the name that was typed, or an error with those that there are."""
    from host.vm import image

    return name and image.kernel(name)


def _known_kernels(context, parameter, names):
    """The kernels of these names, as above."""
    return tuple(_known_kernel(context, parameter, name) for name in names)


kernel_option = click.option(
    "--kernel", "linux", metavar="NAME", callback=_known_kernel, help="With another kernel than the book's, as 6.12."
)
json_option = click.option("--json", "as_json", is_flag=True, help="Print one JSON object on stdout.")


@click.group(cls=Commands, context_settings=CONTEXT)
def main():
    """Where Packets Wait: a book on why packets wait inside Linux, and the lab that shows it."""


@command("./lab start frag-needed --port 8890")
@click.argument("case", default="")
@click.option("--port", default=8888, show_default=True, envvar="LAB_PORT", help="Port on 127.0.0.1, or LAB_PORT.")
@click.option("--no-browser", is_flag=True, help="Print the address instead of opening it.")
@click.option("--bundle", metavar="FILE", expose_value=False, help="Fetch nothing: FILE is of ./lab bundle.")
def start(case, port, no_browser):
    """Make whatever is missing, then open the CASE's notebook (chapter 1's) in JupyterLab."""
    from host.notebook import jupyter

    jupyter.start(case, port, not no_browser)


@command("./lab up rtl8139")
@click.argument("profile", default="stock", callback=_known_profile)
def up(profile):
    """Have the VM ready: the stock one, or that of the PROFILE that a chapter names."""
    from host.vm import guests
    from host.vm.profile import profile as known

    guests.up(profile)
    of_it = "" if profile == "stock" else f" --profile {profile}"
    phases.say(f"up: {known(profile).title}")
    phases.say(f"a root shell in it: ./lab shell{of_it}")


@command("./lab down")
@click.argument("profile", default="", callback=_known_profile)
def down(profile):
    """Stop the VM: that of one PROFILE, or all that are up."""
    from host.exercises import progress
    from host.vm import guests

    ended = [guests.down(name, progress.fetch) for name in ([profile] if profile else guests.running_profiles())]
    phases.say("stopped" if any(ended) else "it was not up")


@command("./lab reset")
@click.argument("profile", default="", callback=_known_profile)
def reset(profile):
    """Put the VM back to its pristine snapshot: that of one PROFILE, or all that are up."""
    from host.exercises import progress
    from host.vm import guests

    for name in [profile] if profile else guests.running_profiles() or ["stock"]:
        guests.reset(name, progress.fetch)


@command("./lab shell frag-needed; ./lab shell -- uname -r")
@click.option(
    "--profile", default="", callback=_known_profile, help="Whose VM, if not the stock one, or the CASE's own."
)
@kernel_option
@click.argument("words", metavar="[CASE | -- CMD...]", nargs=-1, type=click.UNPROCESSED)
@click.pass_context
def shell(context, profile, linux, words):
    """A root shell in the VM, or one command, after --, with its exit status.

    With a CASE, Mininet's prompt on its network. `help` there lists what brings the fault and takes it away. Without a
    terminal it reads standard input to its end."""
    from core import cases
    from host.vm import guest_commands, guests
    from host.vm.profile import on

    if words and words[0] in cases.cases() and list(words) != context.meta[DASHES]:
        if words[1:]:
            raise click.UsageError(
                f"{words[0]} is a case, and all else is typed at its prompt. Next: ./lab shell {words[0]}"
            )
        sys.exit(guest_commands.at_prompt(words[0], profile, linux))
    connection = guests.up(on(profile or "stock", linux)).connection
    sys.exit(connection.command(list(words)) if words else connection.shell())


@command("./lab run frag-needed --json")
@click.argument("case")
@json_option
@click.option(
    "--set",
    "changed",
    multiple=True,
    metavar="NAME=VALUE",
    help="Change a number that the case takes, see its case.toml.",
)
@click.option(
    "--rounds",
    type=click.IntRange(1, 100),
    metavar="N",
    help="Run it N times: how often it reproduced, and what its figure came to.",
)
@kernel_option
def run(case, as_json, changed, rounds, linux):
    """Show a case happen, beside its control: exit 0 reproduced, 1 not, 3 could not be tried, 4 could not tell."""
    from host.vm import guest_commands

    sys.exit(guest_commands.in_throwaway("run", case, as_json, changed, rounds, linux))


@command("./lab trace frag-needed")
@click.argument("case")
@json_option
@kernel_option
def trace(case, as_json, linux):
    """Show a case's call stacks as traced, beside the report's, frame by frame; exits as run does."""
    from host.vm import guest_commands

    sys.exit(guest_commands.in_throwaway("trace", case, as_json, linux=linux))


def _print_json(value) -> None:
    click.echo(escaped_json(json.dumps(value, indent=2)))


@command("./lab check frag-needed/1 work/frag-needed/1.sh")
@click.argument("exercise")
@click.argument("file", type=click.Path(path_type=Path))
@click.option(
    "--unconfined", is_flag=True, help="Let C of chapter 2's last exercise do what you can do on this machine."
)
@click.option("--keep", type=click.Path(path_type=Path), metavar="FILE", help="Leave there what the verdict rests on.")
@click.option("--times", is_flag=True, help="Say where each second went.")
@kernel_option
@json_option
def check(exercise, file, unconfined, keep, times, linux, as_json):
    """Judge an answer in a fresh guest: PASS 0, FAIL 1, SKIP 3, COULD NOT TELL 4, with its reasons."""
    from host.exercises import commands

    _tell(commands.check(exercise, file, unconfined, keep, times, linux), exercise, as_json)


@command("./lab judge kept.json")
@click.argument("file", type=click.Path(path_type=Path))
@json_option
def judge(file, as_json):
    """Judge what `check --keep FILE` left, without a guest; exits as check does, and is no progress.

    The FILE may also hold lines to hand in, as pages of the book give them. Of several, --json prints a list, and the
    exit status is the worst: FAIL, then COULD NOT TELL, then SKIP."""
    from host.exercises import evidence

    verdicts = evidence.verdicts_on_file(file)
    if as_json:
        _print_json(verdicts if verdicts[1:] else verdicts[0])
    else:
        for verdict in verdicts:
            _show(verdict, verdict["exercise"])
    sys.exit(VERDICTS[evidence.worst(verdicts)])


def _tell(verdict, exercise, as_json):
    """Print a verdict and end with its exit status."""
    _print_json(verdict) if as_json else _show(verdict, exercise)
    sys.exit(VERDICTS[verdict["verdict"]])


def _show(verdict, exercise):
    """Print a verdict in words."""
    click.echo(f"{verdict['verdict']}  {escaped(exercise)}")
    notes, checks = verdict.get("notes", []), lines(read_checks(verdict["checks"]))
    for line in [*(f"  {note}" for note in notes), *checks]:
        click.echo(escaped(line))
    if took := verdict.get("took_s"):
        click.echo(f"seconds: {', '.join(f'{on} {seconds:.1f}' for on, seconds in took.items())}")


@command("./lab hint frag-needed/1")
@click.argument("exercise")
def hint(exercise):
    """One hint further each time."""
    from host.exercises import commands

    text, number, total = commands.hint(exercise)
    click.echo(f"hint {number} of {total}: {text}")


@command("./lab solution frag-needed/1")
@click.argument("exercise")
@click.option("--yes", is_flag=True, help="Do not ask whether you really want it.")
def solution(exercise, yes):
    """The solution with why it works, once you passed or asked for it."""
    from host.exercises import commands, progress

    commands.named(exercise)
    commands.fetch_progress()
    if not (yes or progress.passed(exercise)):
        click.confirm(f"{exercise} is not passed yet. Show its solution?", abort=True, err=True)
    click.echo(commands.solution(exercise), nl=False)


@command("./lab list")
@click.option(
    "--import",
    "file",
    type=click.Path(path_type=Path),
    metavar="FILE",
    help="First take in what was judged on the book's pages, from the FILE that a page saves.",
)
@json_option
def list_(file, as_json):
    """Cases and exercises, with your progress."""
    from host.exercises import commands

    taken, damaged = commands.take_in(file) if file else ([], [])
    found = commands.listing()
    if as_json:
        _print_json({"cases": found, "taken_in": taken, "damaged": damaged} if file else {"cases": found})
        return
    for line in [*(f"{id}: {verdict}, taken in" for id, verdict in taken), *damaged]:
        click.echo(escaped(line))
    for case in found:
        click.echo(f"{case['case']}  {case['title']}")
        for exercise in case["exercises"]:
            click.echo(f"  {exercise['exercise']:<18} {exercise['title']}  [{exercise['state']}]")


@command("./lab doctor")
@json_option
def doctor(as_json):
    """What this machine has and lacks, and which acceleration works."""
    from dataclasses import asdict

    from host import doctor as examiner

    findings = examiner.examine()
    if as_json:
        _print_json({"findings": [asdict(finding) for finding in findings]})
    else:
        for finding in findings:
            click.echo(f"{'ok  ' if finding.good else 'LACK'}  {finding.what}: {finding.found}")
            if finding.mend:
                click.echo(f"      Next: {finding.mend}")
    sys.exit(0 if all(finding.good for finding in findings) else Status.COULD_NOT)


@command("./lab cache --remove")
@click.option("--remove", is_flag=True, help="Remove what may go.")
@json_option
def cache(remove, as_json):
    """What is in the cache, how large it is, when it was used last, and what may go."""
    from host import cache as its

    removed = its.remove() if remove else []
    found = its.listing()
    _print_json({**its.as_json(found), "removed": removed}) if as_json else click.echo(escaped(its.text(found)))


@command("./lab record frag-needed")
@click.argument("case", nargs=-1)
@click.option("--draw", is_flag=True, help="Run nothing: draw the cases' previews anew from what is stored.")
def record(case, draw):
    """Run each CASE, or all, and its notebook in pristine VMs, and store data, figures and outputs if they lead to the
    book's conclusions."""
    from host.recording import record as recorder

    recorder.draw_all(list(case)) if draw else recorder.record(list(case))


@command("./lab bundle /media/stick/packets.tar.gz")
@click.argument("file", type=click.Path(dir_okay=False, path_type=Path))
def bundle(file):
    """Write all that a first start takes, and the site, into FILE.

    `./lab start --bundle FILE` takes it from there, on a Debian 12 or 13 without a network, in a checkout of this
    commit."""
    from host.bundle import write

    phases.say(f"bundle: {file}, {write.write(file) >> 20} MiB")


@command("./lab container /media/stick/packets.tar.gz packets.oci.tar")
@click.argument("bundle", type=click.Path(dir_okay=False, path_type=Path))
@click.argument("file", type=click.Path(dir_okay=False, path_type=Path))
def container(bundle, file):
    """Write the lab as an OCI image into FILE, for Docker and Podman, from a BUNDLE of the same commit.

    `docker load --input FILE` takes it in; `docker run -it -p 127.0.0.1:8888:8888 where-packets-wait` starts it."""
    from host.bundle import container

    phases.say(f"container: {file}, {container.write(bundle, file) >> 20} MiB")


@command("./lab update")
def update():
    """Move the recorded versions to what Debian has now: build, record every case, and say what changed."""
    from host.recording import update as its

    moved, refused = its.update()
    click.echo(escaped("\n".join([*moved, *refused]) if moved else "Debian's archive has what was recorded"))
    if moved:
        phases.say(
            "Next: ./lab matrix --record; ./lab book, which names the quoted lines that differ; then git diff, and one "
            "commit of all"
        )
    sys.exit(Status.COULD_NOT if refused else 0)


@command("./lab book --check-links")
@click.option("--pdf", is_flag=True, help="Make the whole book one PDF as well, with Chromium.")
@click.option("--check-links", is_flag=True, help="Then ask every address that the pages name.")
@click.option("--without-tab", is_flag=True, help="Without the kernel that runs in a reader's tab, see ./lab tab.")
def book(pdf, check_links, without_tab):
    """Build the static site under _build/html, without a VM, warnings as errors."""
    from host.site import build

    folder = build.book(with_tab=not without_tab)
    if pdf:
        from host.site import print_book

        phases.say(f"printed {print_book.pdf(folder)}")
    if check_links:
        build.check_links(folder)
    phases.say(f"open {folder / 'index.html'}")


@command("./lab tab --run --json")
@click.option("--run", is_flag=True, help="Restore it under Node and run chapter 1 once.")
@click.option("--with-route", is_flag=True, help="The control: a route says 1480 bytes beforehand.")
@click.option("--trace", is_flag=True, help="With the kernel's stacks.")
@click.option(
    "--sources",
    metavar="DIR",
    type=click.Path(file_okay=False, path_type=Path),
    help="Fetch the exact source packages of what it holds: whoever publishes it publishes them too.",
)
@json_option
def tab(run, with_route, trace, sources, as_json):
    """Make the kernel that runs in a browser's tab, or run it: 0 made or measured, 3 not."""
    from host.tab import running
    from host.tab import sources as its
    from host.tab.state import state

    if (with_route or trace) and not run:
        raise click.UsageError("--with-route and --trace are of a run. Next: ./lab tab --run --with-route --trace")
    if sources and run:
        raise click.UsageError("--sources and --run are two calls. Next: ./lab tab --sources DIR")
    kernel = state()
    if sources:
        answer, text = its.kept(kernel, sources), its.for_terminal
    else:
        answer, text = (
            running.run(kernel, with_route, trace) if run else running.described(kernel),
            running.for_terminal,
        )
    _print_json(answer) if as_json else click.echo(escaped(text(answer)))
    sys.exit(0 if answer.get("measured", True) else Status.COULD_NOT)


@command("./lab bench --json")
@click.argument("case", nargs=-1)
@json_option
@click.option("--record", is_flag=True, help="Store the figures for the book, and in README.md.")
@click.option("--times", is_flag=True, help="Where each second of a check goes, for every exercise.")
def bench(case, as_json, record, times):
    """Medians of five: how long the reader waits. Or of each CASE: twenty runs beside a busy loop, and twenty
    with its fault off."""
    from host import bench as measure

    if times:
        found = measure.checks()
        _print_json(found) if as_json else click.echo(measure.table(found))
        return
    if case:
        _repeat(case, as_json, record)
        return
    figures = measure.figures()
    if record:
        measure.store(figures)
    if as_json:
        _print_json(figures)
    else:
        measure.show(figures)


def _repeat(names, as_json, record):
    """Counts the runs of these cases."""
    from core import cases
    from host.recording import repeats

    for name in [cases.case(name).name for name in names]:  # a wrong name is said before the first begins
        found = repeats.of(name)
        if record:
            repeats.store(name, found)
        _print_json({"case": name, **found}) if as_json else click.echo(escaped(repeats.show(name, found)))


@command("./lab matrix 6.12 --record")
@click.argument("kernels", metavar="[KERNEL...]", nargs=-1, callback=_known_kernels)
@json_option
@click.option("--record", is_flag=True, help="Store it for the book.")
def matrix(kernels, as_json, record):
    """Every case on these kernels, or on all: ten runs, ten with its fault off, its stacks. Half an hour each."""
    from host.recording import matrix as its

    found = its.found(kernels)
    if record:
        its.store(found)
    _print_json(found) if as_json else click.echo(escaped(its.show(found)))


@command("./lab test --quick")
@click.option("--quick", is_flag=True, help="Only the tests that need no VM.")
@click.option(
    "--all",
    "everything",
    is_flag=True,
    help="Every test: each answer to each exercise, twenty runs of a case "
    "in a row. It takes two hours and a half; parts that have passed on these files are not run again.",
)
@click.option("--part", metavar="NAME", help="One part of --all: base, site, machinery, tab, or a case.")
@click.argument("words", metavar="[-- PYTEST OPTIONS...]", nargs=-1, type=click.UNPROCESSED)
def test(quick, everything, part, words):
    """The base of the tests, and, where LAND_BASE names a commit, parts whose own files have changed since; or those
    that you name, as in `./lab test -- tests/vm/test_vm.py`."""
    from host.testing import run

    run.run(quick, everything, part, list(words))
