"""Which kernel functions ran, when, for which connection, and what called them? A tracing program, attached.

    tracer = Tracer(PROGRAM, PROBES)
    with tracer:                      # entered once every probe is attached
        tracer.watch("B", port)
        send()
    tracer.events                     # in order of time, with stacks

A program is one C file that a reader can read; what all have in common is in event.h. It includes
no kernel headers, so that one object fits every kernel of a processor: arguments come in registers, and the
offsets of fields from the running kernel's own type information: `tcp_sock__packets_out`.
"""

from __future__ import annotations

import ctypes
import functools
import re
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Protocol

from core.protocol import TRACERS
from labs.errors import CannotTry, CouldNotTell
from labs.measure.timing import timed
from labs.trace import libbpf
from labs.trace.objects import HEADER
from labs.trace.stacks import function_name
from labs.trace.symbols import Symbols, running

LONGEST_STACK = int(re.findall(r"LONGEST_STACK (\d+)", HEADER.read_text())[0])


class LoadedProgram(Protocol):
    """A tracing program in the kernel, whichever library brought it there: libbpf (ours) or bcc (readers')."""

    def attach(self, handler: str, symbol: str, address: int | None) -> None: ...
    def listen(self, on_event: Callable[[int], None], on_lost: Callable[[int], None]) -> None: ...
    def drain(self) -> None: ...
    def watch(self, port: int) -> None: ...
    def close(self) -> None: ...


class TracerError(CouldNotTell):
    """A tracer has not seen all that it was to see, or not by its right name."""

    def __init__(self, reason: str, tracer: Tracer) -> None:
        super().__init__(reason)
        self.tracer = tracer


class _Raw(ctypes.Structure):
    """`struct event` of event.h. Only the part of `stack` that is filled was sent."""

    _fields_ = [
        ("time_ns", ctypes.c_uint64),
        ("probe", ctypes.c_uint32),
        ("port", ctypes.c_uint32),
        ("value", ctypes.c_int64),
        ("detail", ctypes.c_uint32),
        ("stack_bytes", ctypes.c_int32),
        ("stack", ctypes.c_uint64 * LONGEST_STACK),
    ]


@dataclass(frozen=True)
class Event:
    """A probed function was entered.

    `time_s` is of the monotonic clock (Python's time.monotonic()), `connection` the name given to
    `watch`. `value` and `detail` are what the program chose to report. `stack` is newest first,
    offsets kept; the function itself comes first.
    """

    time_s: float
    function: str
    connection: str
    value: int
    detail: int
    stack: list[str]

    @property
    def functions(self) -> list[str]:
        """The stack as names of C functions."""
        return [function_name(frame) for frame in self.stack]

    def under(self, *functions: str) -> bool:
        """True if all of these are on the stack below the function itself."""
        return set(functions) <= set(self.functions[1:])


@dataclass
class Tracer:
    """A program attached to kernel functions for the length of a `with` block.

    `probes` gives, in the order of the program's `enum probe`, the functions that each of its
    `on_…` functions (at the entry) and `after_…` functions (at the return, where only
    RETURN_VALUE() has a meaning) may be attached to: the first that the running kernel has is taken, and
    `substitutions` says where that was not the first of them. `load` brings the program into the kernel.
    """

    program: Path
    probes: Mapping[str, Sequence[str]]
    load: Callable[[Path], LoadedProgram] = libbpf.LibbpfProgram
    attached: dict[str, str] = field(default_factory=dict)
    substitutions: list[str] = field(default_factory=list)
    events: list[Event] = field(default_factory=list)
    lost: int = 0
    attach_s: float = 0.0
    _loaded: LoadedProgram = field(init=False, repr=False)

    def __enter__(self) -> Tracer:
        with timed(TRACERS):
            return self._attached()

    def prepare(self) -> Tracer:
        """Loads the program, which the kernel verifies, and makes room for its events; entering only attaches it then.
        For a guest that is saved: this is what takes long."""
        if not self._is_loaded:
            self._names: dict[int, str] = {}
            self._raw: list[tuple[Any, ...]] = []
            self._loaded = self.load(self.program)
            self._loaded.listen(self._on_event, self._on_lost)
        return self

    def _attached(self) -> Tracer:
        start = time.monotonic()
        symbols = running()
        try:
            self.prepare()
            for handler, candidates in self.probes.items():
                self._attach(handler, candidates, symbols)
        except BaseException:
            self._close()
            raise
        self.attach_s = time.monotonic() - start
        return self

    def __exit__(self, kind, error, trace) -> None:
        with timed(TRACERS):
            try:
                self.take()
            except TracerError:
                if kind is None:
                    raise
            finally:
                self._close()

    def take(self) -> list[Event]:
        """All events so far, in order of time. Raises TracerError if one was lost."""
        self.drain()
        self._name = functools.cache(running().at)  # the same addresses come again and again
        self.events = sorted(map(self._event, self._raw), key=lambda event: event.time_s)
        if self.lost:
            raise TracerError(f"expected no event lost by the tracer, found {self.lost}", self)
        return self.events

    @property
    def _is_loaded(self) -> bool:
        return "_loaded" in vars(self)

    def _close(self) -> None:
        if self._is_loaded:
            self._loaded.close()
            del self._loaded

    def watch(self, name: str, port: int) -> None:
        """Have events of the connection from this local TCP port reported, under this name. Raises TracerError if
        another connection has that port: hosts hand out their own."""
        if self._names.setdefault(port, name) != name:
            raise TracerError(f"expected one connection from port {port}, found {self._names[port]} and {name}", self)
        self._loaded.watch(port)

    def drain(self) -> None:
        """Takes what has been reported so far, which makes room: a buffer holds some thousand events."""
        self._loaded.drain()

    def _attach(self, handler: str, candidates: Sequence[str], symbols: Symbols) -> None:
        known = ((name, symbols.of_function(name)) for name in candidates)
        found, symbol = next((pair for pair in known if pair[1]), ("", None))
        if symbol is None:
            raise CannotTry(
                f"the running kernel has none of {', '.join(candidates)}; expected one, "
                f"for {handler}() of {self.program.name}",
                "grep tcp_ /proc/kallsyms",
            )
        if found != candidates[0]:
            self.substitutions.append(
                f"{candidates[0]} is not a symbol of this kernel (inlined or renamed); probing {found} in its place"
            )
        self._loaded.attach(handler, symbol, symbols.address(symbol))
        self.attached[handler] = found

    def _on_event(self, address: int) -> None:
        raw = _Raw.from_address(address)
        stack = raw.stack[: raw.stack_bytes // ctypes.sizeof(ctypes.c_uint64)]
        self._raw.append((raw.time_ns, raw.probe, raw.port, raw.value, raw.detail, stack))

    def _on_lost(self, count: int) -> None:
        self.lost += count

    def _event(self, raw: tuple) -> Event:
        time_ns, probe, port, value, detail, stack = raw
        names = list(self.probes)
        function = self.attached[names[probe]] if probe < len(names) else ""  # a number that a reader's program made up
        frames = [self._name(address) for address in stack]
        return Event(time_ns / 1e9, function, self._names.get(port, ""), value, detail, frames)
