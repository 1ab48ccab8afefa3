"""Does a reader's tracing program compile and load, and is what it reports true? If it does not load, that is the
verdict, in the compiler's own words.

    with written(answer, PROBES, FIELDS) as theirs, attached(theirs, verdict):
        …
    compare(verdict, truth, [event.value for event in theirs.events], …)
"""

from __future__ import annotations

import contextlib
import os
import tempfile
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from labs.judge.verdict import Judged, Verdict
from labs.trace.tracer import Tracer, TracerError


@contextlib.contextmanager
def written(answer: str, probes: Mapping[str, Sequence[str]], fields: Sequence[tuple[str, str]]):
    """The reader's program as a tracer, not yet attached; its file is there for the length of the block."""
    with tempfile.TemporaryDirectory() as folder:
        program = Path(folder) / "answer.bpf.c"
        program.write_text(answer)
        yield Tracer(program, probes, fields)


@contextlib.contextmanager
def attached(theirs: Tracer, verdict: Verdict):
    """The reader's program, attached; one that does not compile or load, or that loses events, fails the verdict. What
    a tracer of ours loses beside it is not the reader's."""
    with tempfile.TemporaryFile("w+") as said, contextlib.ExitStack() as stack:
        try:
            with _standard_error_in(said):
                stack.enter_context(theirs)
        except Exception as error:  # bcc raises bare ones
            said.seek(0)
            cause = next((line.strip() for line in said if "error:" in line), str(error))
            verdict.expect(False, "", f"the program does not load: {cause}")
            raise Judged from error
        try:
            with stack.pop_all():
                yield
        except TracerError as error:
            if error.tracer is not theirs:
                raise
            verdict.expect(False, "", f"the program reports more than can be read: {error}")
            raise Judged from error


def compare(
    verdict: Verdict, truth: list, told: list, one_each: str, happened: str, right: str, fault: Callable[[int], str]
) -> None:
    """What was `told` against what was true, both in the order of time: as many, and each the same.

    The sentences: "7 " and `one_each`, or "6 events were reported, and " and `happened`; `right`, or how many are
    told wrong and of the first of them `fault`, which is given its index.
    """
    verdict.measured.update(truth=truth, told=told)
    verdict.expect(
        len(told) == len(truth), f"{len(told)} {one_each}", f"{len(told)} events were reported, and {happened}"
    )
    wrong = [number for number, (was, said) in enumerate(zip(truth, told)) if was != said]
    verdict.expect(
        told and not wrong,
        right,
        f"{len(wrong)} of {len(truth)} are reported wrong; {fault(wrong[0]) if wrong else 'nothing was told'}",
    )


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
