"""Which kernel functions ran, when, for which connection, and what called them? A bcc program, attached.

    tracer = Tracer(PROGRAM, PROBES)
    with tracer:                      # entered once every probe is attached
        tracer.watch("B", port)
        send()
    tracer.events                     # in order of time, with stacks

A program is one C file that a reader can read; what all have in common is in event.h. It includes
no kernel headers, which would take twenty seconds to compile under emulation: arguments come in
registers, and the offsets of fields from the kernel's own type information, as macros:
`tcp_sock__packets_out`.
"""

from __future__ import annotations

import ctypes
import os
import re
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from bcc import BPF

from core.protocol import TRACERS
from labs.errors import CannotTry, CouldNotTell
from labs.measure.spent import spent
from labs.trace import btf
from labs.trace.stacks import function_name
from labs.trace.symbols import Symbols

BUFFER_PAGES = 512  # of each processor, 4 KiB a page; what does not fit is counted as lost
DRAIN_MS = 20
FOLDER = Path(__file__).parent
HEADER = FOLDER / "event.h"
LONGEST_STACK = int(re.findall(r"LONGEST_STACK (\d+)", HEADER.read_text())[0])
# Include guards of two headers that bcc's own preamble reads and does not use: defined beforehand,
# they are skipped, which saves a quarter of the compiler's time.
UNREAD = ["-D_LINUX_LOG2_H", "-D_ASM_X86_PAGE_H"]
# A sixth of its time goes into debug information, which only the verifier's log would quote, and a twelfth
# into clang's optimizations, after which bcc runs LLVM's own (BPFModule::run_pass_manager()).
QUICKLY = ["-g0", "-Xclang", "-disable-llvm-passes"]
# What event.h itself reads of the kernel's structures.
FIELDS = [*(("pt_regs", register) for register in ("ax", "di", "si", "dx", "cx")), ("inet_sock", "inet_sport")]


class TracerError(CouldNotTell):
    """Not all that this tracer was to see has been seen, or not by its right name."""

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
    `substitutions` says where that was not the first of them. `fields` are (structure, field) pairs
    whose offsets the program wants, beside those that event.h needs.
    """

    program: Path
    probes: Mapping[str, Sequence[str]]
    fields: Sequence[tuple[str, str]] = ()
    attached: dict[str, str] = field(default_factory=dict)
    substitutions: list[str] = field(default_factory=list)
    events: list[Event] = field(default_factory=list)
    lost: int = 0
    attach_s: float = 0.0

    def __enter__(self) -> Tracer:
        with spent(TRACERS):
            return self._attached()

    def _attached(self) -> Tracer:
        start = time.monotonic()
        wanted = {*FIELDS, *self.fields}
        flags = [f"-D{name}__{field}={btf.offset(name, field)}" for name, field in wanted]
        self._names: dict[int, str] = {}
        self._raw: list[tuple[Any, ...]] = []
        self._symbols: dict[int, str] = {}
        self._bpf = self._compiled(flags)
        symbols = Symbols()
        try:
            for handler, candidates in self.probes.items():
                self._attach(handler, candidates, symbols)
            self._bpf[b"events"].open_perf_buffer(self._on_event, page_cnt=BUFFER_PAGES, lost_cb=self._on_lost)
        except BaseException:
            self._bpf.cleanup()
            raise
        self.attach_s = time.monotonic() - start
        return self

    def __exit__(self, kind, error, trace) -> None:
        with spent(TRACERS):
            try:
                self.drain()
                _forget_symbols()
                self.events = sorted(map(self._event, self._raw), key=lambda event: event.time_s)
            finally:
                self._bpf.cleanup()
        if self.lost and kind is None:
            raise TracerError(f"expected no event lost by the tracer, found {self.lost}", self)

    def watch(self, name: str, port: int) -> None:
        """Has events of the connection from this local TCP port reported, under this name. Raises
        TracerError if another connection has that port: hosts hand out their own."""
        if self._names.setdefault(port, name) != name:
            raise TracerError(f"expected one connection from port {port}, found {self._names[port]} and {name}", self)
        self._bpf[b"watched"][ctypes.c_uint32(port)] = ctypes.c_uint32(1)

    def drain(self) -> None:
        """Takes what has been reported so far, which makes room: a buffer holds some thousand events."""
        self._bpf.perf_buffer_poll(DRAIN_MS)  # one call empties every processor's buffer

    def _compiled(self, flags: list[str]) -> BPF:
        try:
            text = _with_header(self.program)
            unread = [] if "#include <" in text else UNREAD
            return BPF(text=text.encode(), cflags=[*flags, *QUICKLY, *unread])
        except Exception as error:  # bcc raises a bare Exception; the compiler has said why on stderr
            raise CannotTry(f"{self.program.name} does not compile or load: {error}") from error

    def _attach(self, handler: str, candidates: Sequence[str], symbols: Symbols) -> None:
        known = ((name, symbols.of(name)) for name in candidates)
        found, symbol = next((pair for pair in known if pair[1]), (None, None))
        if found is None:
            raise CannotTry(
                f"the running kernel has none of {', '.join(candidates)}; expected one, "
                f"for {handler}() of {self.program.name}",
                "grep tcp_ /proc/kallsyms",
            )
        if found != candidates[0]:
            self.substitutions.append(
                f"{candidates[0]} is not a symbol of this kernel (inlined or renamed); probing {found} in its place"
            )
        at = self._bpf.attach_kretprobe if handler.startswith("after_") else self._bpf.attach_kprobe
        at(event=symbol.encode(), fn_name=handler.encode())
        self.attached[handler] = found

    def _on_event(self, _cpu, data, _size) -> None:
        raw = ctypes.cast(data, ctypes.POINTER(_Raw)).contents
        stack = raw.stack[: raw.stack_bytes // ctypes.sizeof(ctypes.c_uint64)]
        self._raw.append((raw.time_ns, raw.probe, raw.port, raw.value, raw.detail, stack))

    def _on_lost(self, count: int) -> None:
        self.lost += count

    def _event(self, raw: tuple) -> Event:
        time_ns, probe, port, value, detail, stack = raw
        function = self.attached[list(self.probes)[probe]]
        frames = [self._symbol(address) for address in stack]
        return Event(time_ns / 1e9, function, self._names.get(port, ""), value, detail, frames)

    def _symbol(self, address: int) -> str:
        """The kernel's name for an address, with the offset; the same ones come again and again."""
        if address not in self._symbols:
            self._symbols[address] = self._bpf.ksym(address, show_offset=True).decode()
        return self._symbols[address]


_modules: list[str] = []


def _forget_symbols() -> None:
    """bcc reads the kernel's symbols once for a process; those of a module loaded since are not there."""
    now = sorted(os.listdir("/sys/module"))
    if now != _modules:
        BPF._sym_caches.pop(-1, None)  # -1 is the kernel (bcc, BPF.ksym())
        _modules[:] = now


def _with_header(program: Path) -> str:
    """The program with event.h in the place of its `#include`: bcc rewrites calls on maps only in
    the main file. The compiler still names each file and its lines."""
    include = '#include "event.h"\n'
    before, found, after = program.read_text().partition(include)
    if not found:
        return before
    return f'{before}#line 1 "event.h"\n{HEADER.read_text()}#line {before.count(chr(10)) + 2} "{program.name}"\n{after}'
