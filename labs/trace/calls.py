"""How often does the kernel call a function on behalf of one thread? Counted in the kernel, by ftrace.

    with Calls(["ipv6_addr_label"]) as calls:
        before = calls.now()
        send()
        calls.since(before)           # {"ipv6_addr_label": 513}

A kprobe event with a `hist` trigger adds up by thread and records nothing, so no call is lost and
nothing needs to be compiled (Documentation/trace/histogram.rst). What is counted is this thread.
"""

from __future__ import annotations

import os
import re
import threading
from collections.abc import Sequence
from pathlib import Path

from labs.errors import CannotTry, CouldNotTell
from labs.trace.symbols import running

TRACING = Path("/sys/kernel/tracing")


class Calls:
    """Counters of these functions for the length of a `with` block, entered once all are armed.

    `where` is the symbol that each was found under: the compiler may have made a copy of its own.
    With `everyone`, calls on behalf of all threads are counted, in every namespace. Raises CannotTry
    if the running kernel has no symbol for one.
    """

    def __init__(self, functions: Sequence[str], everyone: bool = False) -> None:
        symbols = running()
        self.where = {name: symbols.of_function(name) for name in functions}
        gone = [name for name, symbol in self.where.items() if symbol is None]
        if gone:
            raise CannotTry(
                f"the running kernel has no symbol for {', '.join(gone)}: inlined or renamed",
                "grep -w NAME /proc/kallsyms",
            )
        self.thread = threading.get_native_id()
        self.group = f"calls{self.thread}"
        self.trigger = "hist:keys=common_pid" + ("" if everyone else f" if common_pid=={self.thread}")

    def __enter__(self) -> Calls:
        try:
            for name, symbol in self.where.items():
                _write(TRACING / "kprobe_events", f"p:{self.group}/{name} {symbol}")
                _write(self._folder(name) / "trigger", self.trigger)
        except BaseException:
            self.__exit__()
            raise
        return self

    def __exit__(self, *_) -> None:
        for name in self.where:
            if self._folder(name).exists():
                _write(self._folder(name) / "trigger", f"!{self.trigger}")
                _write(TRACING / "kprobe_events", f"-:{self.group}/{name}")

    def now(self) -> dict[str, int]:
        """Calls of each function since the block was entered."""
        return {name: self._count(name) for name in self.where}

    def since(self, before: dict[str, int]) -> dict[str, int]:
        """Calls of each function since `before` was read."""
        return {name: count - before[name] for name, count in self.now().items()}

    def _count(self, name: str) -> int:
        shown = (self._folder(name) / "hist").read_text()
        _none_lost(shown)
        return sum(map(int, re.findall(r"hitcount:\s+(\d+)", shown)))

    def _folder(self, name: str) -> Path:
        return TRACING / "events" / self.group / name


class Values:
    """How often which values were fetched at a function's entry or return, on behalf of one thread; with `everyone`, of
    all threads, in every namespace.

        with Values("ipv6_addr_label", returned=True, label="$retval:u32") as labels:
            send()
        labels.counts                 # {(1,): 513}

    The values are kprobe arguments by name (Documentation/trace/kprobetrace.rst), at most three.
    """

    def __init__(self, function: str, returned: bool = False, everyone: bool = False, **fetched: str) -> None:
        self._calls = Calls([function])
        symbol, self.name = self._calls.where[function], "returned" if returned else "entered"
        self.group = f"values{self._calls.thread}"
        self.definition = f"{'r' if returned else 'p'}:{self.group}/{self.name} {symbol} " + " ".join(
            f"{name}={what}" for name, what in fetched.items()
        )
        self.trigger = f"hist:keys={','.join(fetched)}" + ("" if everyone else f" if common_pid=={self._calls.thread}")
        self.fetched = list(fetched)
        self.counts: dict[tuple[int, ...], int] = {}

    def __enter__(self) -> Values:
        _write(TRACING / "kprobe_events", self.definition)
        try:
            _write(self._folder / "trigger", self.trigger)
        except BaseException:
            _write(TRACING / "kprobe_events", f"-:{self.group}/{self.name}")
            raise
        return self

    def __exit__(self, *_) -> None:
        shown = (self._folder / "hist").read_text()
        _none_lost(shown)
        keys = ",".join(rf"\s+{name}:\s+(-?\d+)" for name in self.fetched)
        for found in re.findall(rf"\{{{keys} \}}\s+hitcount:\s+(\d+)", shown):
            self.counts[tuple(map(int, found[:-1]))] = int(found[-1])
        _write(self._folder / "trigger", f"!{self.trigger}")
        _write(TRACING / "kprobe_events", f"-:{self.group}/{self.name}")

    @property
    def _folder(self) -> Path:
        return TRACING / "events" / self.group / self.name


def _none_lost(histogram: str) -> None:
    """Raises CouldNotTell if the kernel had no room left to count in."""
    if dropped := re.search(r"Dropped: *([1-9]\d*)", histogram):
        raise CouldNotTell(f"expected each call to be counted, found {dropped[1]} that were not")


def _write(file: Path, line: str) -> None:
    """Appends one line; tracefs wants it in one write, and no O_TRUNC, which would take all away."""
    descriptor = os.open(file, os.O_WRONLY | os.O_APPEND)
    try:
        os.write(descriptor, line.encode() + b"\n")
    finally:
        os.close(descriptor)
