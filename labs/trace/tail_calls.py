"""Why is a caller not on the stack? Because it left by a jump: the kernel's own code tells.

A function that ends in `return other(…)` is compiled to a jump, so `other` returns to the caller's
caller and the caller leaves no frame. /proc/kcore holds the code as it runs, patches included.
"""

import re
import struct
from dataclasses import dataclass
from pathlib import Path

from labs.trace.stacks import function_name
from labs.trace.symbols import Symbols, running

_JUMP = b"\xe9"  # jmp rel32; Intel SDM volume 2, JMP
_INDIRECT = re.compile(rb"\x41?\xff[\xe0-\xe7]")  # jmp *register
_PT_LOAD = 1
_WIDE = 2  # ELFCLASS64 in e_ident; elf(5)


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

    def __init__(self, symbols: Symbols | None = None, core: Path = Path("/proc/kcore")) -> None:
        self.symbols = symbols or running()
        self.core = core

    def jumps(self, function: str) -> list[Jump]:
        """Jumps out of a C function and its clones, to the start of another."""
        return [jump for start, end in self.symbols.code_of(function) for jump in self._jumps_of(function, start, end)]

    def jump(self, function: str, targets: set[str]) -> Jump | None:
        """The jump by which `function` reaches one of `targets`: a named one before one by register."""
        jumps = self.jumps(function)
        named = (jump for jump in jumps if jump.target in targets)
        return next(named, next((jump for jump in jumps if not jump.target), None))

    def _jumps_of(self, function: str, start: int, end: int) -> list[Jump]:
        code = self._read(start, end - start)
        found = []
        at = -1
        while 0 <= (at := code.find(_JUMP, at + 1)) < len(code) - 4:
            # Not decoded: a byte 0xE9 that is none of a jump will hardly hit a function's start.
            goal = start + at + 5 + struct.unpack_from("=i", code, at + 1)[0]
            found += [
                Jump(function, at, function_name(name))
                for name in self.symbols.starting_at(goal)
                if function_name(name) != function
            ]
        return found + [Jump(function, match.start(), "") for match in _INDIRECT.finditer(code)]

    def _read(self, address: int, count: int) -> bytes:
        """Bytes of kernel memory, found by the ELF program headers of /proc/kcore."""
        with open(self.core, "rb") as core:
            header = core.read(64)
            wide = header[4] == _WIDE
            at, size, many = struct.unpack_from("=32xQ14xHH" if wide else "=28xI10xHH", header)
            core.seek(at)
            table = core.read(size * many)
            for entry in range(0, len(table), size):
                kind, offset, virtual, in_file = struct.unpack_from("=I4xQQ8xQ" if wide else "=III4xI", table, entry)
                if kind == _PT_LOAD and virtual <= address < virtual + in_file:
                    core.seek(offset + address - virtual)
                    return core.read(count)
        return b""
