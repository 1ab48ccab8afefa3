"""Which of the traced events is a story about, and does its stack agree? Tail calls are proven."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from pathlib import Path

from labs.trace.stacks import Comparison, State, function_name, match
from labs.trace.symbols import Symbols
from labs.trace.tail_calls import KernelCode
from labs.trace.tracer import Event


@dataclass(frozen=True)
class Told:
    """A story and the event that it is about: of which connection, entering what, called by whom.

    `file` is the text of the story, see `labs.trace.stacks`.
    """

    file: Path
    title: str
    connection: str
    function: str
    under: str = ""

    def event(self, events: Iterable[Event]) -> Event | None:
        """The first event that it may be about."""
        return next((event for event in events if event.connection == self.connection
                     and event.function == self.function
                     and (not self.under or event.under(self.under))), None)


def beside(stories: Iterable[Told], events: Iterable[Event]) -> list[Comparison]:
    """Each story beside the stack of its event, in the order of the stories."""
    code, symbols = KernelCode(), Symbols()
    events = list(events)
    compared = []
    for told in stories:
        event = told.event(events)
        comparison = match(told.file.read_text(), event.stack if event else [], symbols, told.title)
        compared.append(_explained(comparison, code))
    return compared


def stacks_to_json(stories: Iterable[Told], compared: Iterable[Comparison]) -> list[dict]:
    """Plain values of what `beside` gave, each with the name of its story."""
    return [comparison.to_json() | {"story": told.file.stem} for told, comparison in zip(stories, compared)]


def _explained(comparison: Comparison, code: KernelCode) -> Comparison:
    """The comparison, with the jump found in the kernel's code for each frame that left none."""
    names = {row.frame.name for row in comparison.rows if row.frame}
    names |= {function_name(row.observed) for row in comparison.rows if row.observed}
    rows = []
    for row in comparison.rows:
        jump = row.state is State.FOLDED and code.jump(row.frame.name, names - {row.frame.name})
        rows.append(replace(row, reason=f"{row.frame.why}: {jump}") if jump else row)
    return Comparison(rows, comparison.title)
