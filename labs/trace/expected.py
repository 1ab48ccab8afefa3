"""Is the stack of a traced event the one that a report says should be seen? Tail calls are proven."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from pathlib import Path

from labs.trace.stacks import Comparison, State, function_name, match
from labs.trace.symbols import running
from labs.trace.tail_calls import KernelCode
from labs.trace.tracer import Event


@dataclass(frozen=True)
class Expected:
    """A stack that should be seen, and of which event: on which connection, on entering what, called by whom.

    `file` is its text, see `labs.trace.stacks`.
    """

    file: Path
    title: str
    connection: str
    function: str
    under: str = ""

    def event(self, events: Iterable[Event]) -> Event | None:
        """The first such event."""
        return next(
            (
                event
                for event in events
                if event.connection == self.connection
                and event.function == self.function
                and (not self.under or event.under(self.under))
            ),
            None,
        )


def beside(expected: Iterable[Expected], events: Iterable[Event]) -> list[Comparison]:
    """Each expected stack beside that of its event, in the order given."""
    code, symbols = KernelCode(), running()
    events = list(events)
    compared = []
    for one in expected:
        event = one.event(events)
        comparison = match(one.file.read_text(), event.stack if event else [], symbols, one.title)
        compared.append(_explained(comparison, code))
    return compared


def stacks_to_json(expected: Iterable[Expected], compared: Iterable[Comparison]) -> list[dict]:
    """Plain values of what `beside` gave, each with the name of its file (as "story", in recordings too)."""
    return [comparison.to_json() | {"story": one.file.stem} for one, comparison in zip(expected, compared)]


def _explained(comparison: Comparison, code: KernelCode) -> Comparison:
    """The comparison, with the jump found in the kernel's code for each frame that left none."""
    names = {row.frame.name for row in comparison.rows if row.frame}
    names |= {function_name(row.observed) for row in comparison.rows if row.observed}
    rows = []
    for row in comparison.rows:
        jump = row.state is State.NO_FRAME and code.jump(row.frame.name, names - {row.frame.name})
        rows.append(replace(row, reason=f"{row.frame.why}: {jump}") if jump else row)
    return Comparison(rows, comparison.title)
