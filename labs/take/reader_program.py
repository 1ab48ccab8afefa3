"""A reader's tracing program is compiled and attached. If it is refused, that is evidence too, in the compiler's words.

program = Program()
with contextlib.suppress(Refused), written(answer, PROBES, FIELDS) as theirs, attached(theirs, program):
    …
program.told = reported_events(theirs)
"""

import contextlib
import functools
import os
import re
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path

from core.judge.report import Event, Program
from labs.take import readers_bpf
from labs.trace.tracer import Tracer, TracerError


class Refused(Exception):
    """The program was not attached, or its events are not whole."""


NO_CODE = re.compile(r"/\*.*?\*/|//[^\n]*|^\s*#\s*if\s+0\b.*?^\s*#\s*endif", re.MULTILINE | re.DOTALL)
HANDLER = re.compile(r"^int\s+((?:on|after)_\w+)\s*\(", re.MULTILINE)


@contextlib.contextmanager
def written(answer: str, probes: Mapping[str, Sequence[str]], fields: Sequence[tuple[str, str]]):
    """The reader's program as a tracer, not yet attached; its file is there for the length of the block. It may have a
    handler for the return of each of these functions, too, and do without any."""
    returns = {f"after_{name.removeprefix('on_')}": names for name, names in probes.items() if name.startswith("on_")}
    with tempfile.TemporaryDirectory() as folder:
        program = Path(folder) / "answer.bpf.c"
        program.write_text(answer)
        # The numbers of a program's events count `probes`, so what may be there besides comes behind them.
        yield Tracer(program, {**probes, **returns, **probes}, functools.partial(readers_bpf.BccProgram, fields))


@contextlib.contextmanager
def attached(theirs: Tracer, program: Program):
    """The reader's program, attached. If it does not compile or load, or if it loses events, `program` says so and
    Refused is raised. What a tracer of ours loses beside it is not the reader's."""
    with tempfile.TemporaryFile("w+") as said, contextlib.ExitStack() as stack:
        try:
            _require_called(theirs)
            with _standard_error_in(said):
                stack.enter_context(theirs)
        except Exception as error:  # bcc raises bare ones
            said.seek(0)
            program.refused = next((line.strip() for line in said if "error:" in line), str(error))
            raise Refused from error
        try:
            with stack.pop_all():
                yield
        except TracerError as error:
            if error.tracer is not theirs:
                raise
            program.lost = str(error)
            raise Refused from error


def _require_called(theirs: Tracer) -> None:
    """Raises Refused if the program has a function that looks like a handler and is none: a slip of the pen would be
    silent."""
    for name in HANDLER.findall(NO_CODE.sub("", theirs.program.read_text())):
        if name not in theirs.probes:
            raise Refused(f"error: nothing calls {name}(); what may be there: {', '.join(theirs.probes)}")


def reported_events(theirs: Tracer, of_connections: bool = True) -> list[Event]:
    """What a reader's program reported, in the order of time; without the names of connections where there is only
    one."""
    return [Event(event.connection if of_connections else "", event.value) for event in theirs.events]


@contextlib.contextmanager
def _standard_error_in(file):
    """File descriptor 2 in this file: the compiler inside bcc writes there."""
    kept = os.dup(2)
    os.dup2(file.fileno(), 2)
    try:
        yield
    finally:
        os.dup2(kept, 2)
        os.close(kept)
