"""Under which symbol does the running kernel have a C function, and what is the name of an address in its code?"""

from __future__ import annotations

import functools
import re
from bisect import bisect
from functools import cached_property
from pathlib import Path

from labs.trace import btf

KALLSYMS = Path("/proc/kallsyms")
MODULES = Path("/proc/modules")


class Symbols:
    """The kernel's symbols, as they are from the first question on; `of` finds one by the function's name.

    The kernel takes half a second to write them all down under emulation, so that they are read only
    for a function that its type information does not have: a clone of the compiler's, or a module's.
    """

    def __init__(self, table: Path = KALLSYMS) -> None:
        self.table = table

    def of(self, function: str) -> str | None:
        """The symbol of a C function, None if it has none: "ip_fragment.constprop.0"."""
        return function if btf.has_function(function) else symbol_of(function, self._written)

    def __contains__(self, function: object) -> bool:
        return isinstance(function, str) and self.of(function) is not None

    @cached_property
    def _written(self) -> bytes:
        return self.table.read_bytes()


def symbol_of(function: str, symbols: bytes) -> str | None:
    """The symbol of a function, from the text of /proc/kallsyms alone.

    One of the very name wins over one that the compiler split off or specialised. Searched as
    bytes: reading its 150 000 lines one by one takes a second.
    """
    if re.search(rb" [tT] %s[\n\t]" % function.encode(), symbols):
        return function
    clone = re.search(rb" [tT] (%s\.(?!cold)[\w.]+)" % re.escape(function.encode()), symbols)
    return clone[1].decode() if clone else None


class Names:
    """Names of the addresses in the kernel's code, as it is when this is made: the symbol before each, and how far
    behind it the address is, "tcp_v4_err+0x1"."""

    def __init__(self, table: Path = KALLSYMS) -> None:
        # An address begins each line, in as many digits as an address has: in their order they are numbers in theirs.
        self._lines = sorted(table.read_bytes().splitlines())
        self._digits = self._lines[0].index(b" ")

    def of(self, address: int) -> str:
        """The symbol before it, and how far behind that it is; of several at one address the last."""
        at = bisect(self._lines, b"%0*x~" % (self._digits, address)) - 1
        start, _, name = self._lines[at].split(maxsplit=3)[:3]
        return f"{name.decode()}+0x{address - int(start, 16):x}"


def names() -> Names:
    """The kernel's, read again when its modules are others, or elsewhere."""
    return _names(tuple((words[0], words[5]) for words in map(str.split, MODULES.read_text().splitlines())))


@functools.lru_cache(maxsize=1)
def _names(_modules: tuple[tuple[str, str], ...]) -> Names:
    return Names()
