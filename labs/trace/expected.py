"""Is the stack of a traced event the one that a report says should be seen? Tail calls are proven."""

from collections.abc import Iterable
from dataclasses import dataclass, replace
from pathlib import Path

from labs.trace.objects import WORD_BITS
from labs.trace.stacks import Comparison, Frame, State, function_name, match, parse
from labs.trace.symbols import running
from labs.trace.tail_calls import KernelCode
from labs.trace.tracer import Event

# The expected stacks are of a kernel of 64 bits. What its functions are called in one of 32, and what is there besides.
SYSENTER = "its name on 32 bits, where a program enters the kernel by SYSENTER"
OTHER_TIMER = "there the timer interrupts in the way of any device"
ON_32_BITS = {
    "do_syscall_64": ("do_SYSENTER_32", SYSENTER),
    "entry_SYSCALL_64_after_hwframe": ("entry_SYSENTER_32", SYSENTER),
    "sysvec_apic_timer_interrupt": ("common_interrupt", OTHER_TIMER),
    "asm_sysvec_apic_timer_interrupt": ("asm_common_interrupt", OTHER_TIMER),
    "secondary_startup_64_no_verify": ("startup_32_smp", "its name on 32 bits"),
}
WAY_IN = "on the way in by SYSENTER"
OWN_STACK = "on 32 bits a call changes to the softirqs' own stack"
BESIDES_ON_32_BITS = {
    "ia32_sys_call": WAY_IN,
    "__do_fast_syscall_32": WAY_IN,
    "do_fast_syscall_32": WAY_IN,
    "__softirqentry_text_start": "__do_softirq(), by the other name of its address: there it calls, and does not jump",
    "call_on_stack": OWN_STACK,
    "do_softirq_own_stack": OWN_STACK,
}


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
        frames = for_bits(WORD_BITS, parse(one.file.read_text()))
        comparison = match(frames, event.stack if event else [], symbols, one.title)
        compared.append(_explained(comparison, code))
    return compared


def for_bits(bits: int, frames: Iterable[Frame]) -> list[Frame]:
    """The frames, with the names that they have in a kernel of so many bits."""
    return list(frames) if bits == 64 else [replace(frame, on_32_bits=_on_32_bits(frame)) for frame in frames]


def _on_32_bits(frame: Frame) -> tuple[str, str] | None:
    name = frame.renamed_to or frame.name
    if name.startswith("__x64_sys_"):
        return name.replace("x64", "ia32"), "its name on 32 bits"
    return ON_32_BITS.get(name)


def stacks_to_json(expected: Iterable[Expected], compared: Iterable[Comparison]) -> list[dict]:
    """Plain values of what `beside` gave, each with the name of its file (as "story", in recordings too)."""
    return [comparison.to_json() | {"story": one.file.stem} for one, comparison in zip(expected, compared)]


def _explained(comparison: Comparison, code: KernelCode) -> Comparison:
    """The comparison, with the jump found in the kernel's code for each frame that left none, and with what is known of
    those that were not expected."""
    names = {row.frame.name for row in comparison.rows if row.frame}
    names |= {function_name(row.observed) for row in comparison.rows if row.observed}
    rows = []
    for row in comparison.rows:
        if row.state is State.NO_FRAME and (jump := code.jump(row.frame.name, names - {row.frame.name})):
            row = replace(row, reason=f"{row.frame.why}: {jump}")
        elif row.observed and row.frame is None and WORD_BITS == 32:
            row = replace(row, reason=BESIDES_ON_32_BITS.get(function_name(row.observed)))
        rows.append(row)
    return Comparison(rows, comparison.title)
