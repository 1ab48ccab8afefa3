"""Under which symbol does the running kernel have a C function?"""

from __future__ import annotations

import re
from functools import cached_property
from pathlib import Path

from labs.trace import btf

KALLSYMS = Path("/proc/kallsyms")


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
    """The same from the text of /proc/kallsyms alone.

    One of the very name wins over one that the compiler split off or specialised. Searched as
    bytes: reading its 150 000 lines one by one takes a second.
    """
    if re.search(rb" [tT] %s[\n\t]" % function.encode(), symbols):
        return function
    clone = re.search(rb" [tT] (%s\.(?!cold)[\w.]+)" % re.escape(function.encode()), symbols)
    return clone[1].decode() if clone else None
