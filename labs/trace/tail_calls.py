"""Why is a caller not on the stack? Because it left by a jump: the kernel's own code tells.

A function that ends in `return other(…)` is compiled to a jump, so `other` returns to the caller's
caller and the caller leaves no frame. /proc/kcore holds the code as it runs, patches included.
"""

from __future__ import annotations

import re
import struct
from bisect import bisect_right
from dataclasses import dataclass
from pathlib import Path

from labs.trace.stacks import function_name

_JUMP = b"\xe9"  # jmp rel32; Intel SDM volume 2, JMP
_INDIRECT = re.compile(rb"\x41?\xff[\xe0-\xe7]")  # jmp *register
_PT_LOAD = 1


@dataclass(frozen=True)
class Jump:
    """`caller` has a jump to `target` at `offset` bytes; `target` is "" for one through a register."""

    caller: str
    offset: int
    target: str

    def __str__(self) -> str:
        where = f"jumps to {self.target}" if self.target else "jumps through a register"
        return f"{self.caller}() {where} at +{self.offset:#x}, which leaves no frame"


class KernelCode:
    """The running kernel's functions, as machine code."""

    def __init__(self, symbols: str = "/proc/kallsyms", core: str = "/proc/kcore") -> None:
        found = re.findall(rb"^([0-9a-f]+) [tT] (\S+)", Path(symbols).read_bytes(), re.MULTILINE)
        ordered = sorted((int(address, 16), name.decode()) for address, name in found)
        self.starts = [address for address, _ in ordered]
        self.names = [name for _, name in ordered]
        self.core = core

    def jumps(self, function: str) -> list[Jump]:
        """Jumps out of a C function and its clones, to the start of another."""
        found = []
        for number, name in enumerate(self.names):
            if name == function or (name.startswith(function + ".") and ".cold" not in name):
                found += self._jumps_of(number, function)
        return found

    def jump(self, function: str, targets: set[str]) -> Jump | None:
        """The jump by which `function` reaches one of `targets`: a named one before one by register."""
        jumps = self.jumps(function)
        named = (jump for jump in jumps if jump.target in targets)
        return next(named, next((jump for jump in jumps if not jump.target), None))

    def _jumps_of(self, number: int, function: str) -> list[Jump]:
        start = self.starts[number]
        end = self.starts[bisect_right(self.starts, start)]
        code = self._read(start, end - start)
        found = []
        at = -1
        while 0 <= (at := code.find(_JUMP, at + 1)) < len(code) - 4:
            # Not decoded: a byte 0xE9 that is none of a jump will hardly hit a function's start.
            goal = start + at + 5 + struct.unpack_from("=i", code, at + 1)[0]
            found += [
                Jump(function, at, function_name(name))
                for name in self._starting_at(goal)
                if function_name(name) != function
            ]
        return found + [Jump(function, match.start(), "") for match in _INDIRECT.finditer(code)]

    def _starting_at(self, address: int) -> list[str]:
        last = bisect_right(self.starts, address)
        first = last
        while first and self.starts[first - 1] == address:
            first -= 1
        return self.names[first:last]

    def _read(self, address: int, count: int) -> bytes:
        """Bytes of kernel memory, found by the ELF program headers of /proc/kcore."""
        with open(self.core, "rb") as core:
            header = core.read(64)
            at, size, many = struct.unpack_from("=Q", header, 32)[0], *struct.unpack_from("=HH", header, 54)
            core.seek(at)
            table = core.read(size * many)
            for entry in range(0, len(table), size):
                kind, _, offset, virtual, _, in_file = struct.unpack_from("=IIQQQQ", table, entry)
                if kind == _PT_LOAD and virtual <= address < virtual + in_file:
                    core.seek(offset + address - virtual)
                    return core.read(count)
        return b""
