"""Under which symbol does the running kernel have a C function, and what is the name of an address in its code?"""

import functools
from bisect import bisect, bisect_left
from collections.abc import Iterator
from functools import cached_property
from pathlib import Path

from labs.trace import btf

KALLSYMS = Path("/proc/kallsyms")
MODULES = Path("/proc/modules")


class Symbols:
    """The kernel's symbols, as they are from the first question on that needs them.

    The kernel takes half a second to write them all down under emulation, so that they are read only
    for an address, and for a function that its type information does not have: a clone of the compiler's, a module's.
    """

    def __init__(self, table: Path = KALLSYMS) -> None:
        self.table = table

    def of_function(self, function: str) -> str | None:
        """The symbol of a C function, None if it has none: "ip_fragment.constprop.0"."""
        return function if btf.has_function(function) else symbol_of(function, self._written)

    def __contains__(self, function: object) -> bool:
        return isinstance(function, str) and self.of_function(function) is not None

    def at(self, address: int) -> str:
        """The symbol before an address, and how far behind that it is, "tcp_v4_err+0x1"; of several in one place the
        last."""
        start, _, name = self._lines[self._behind(address) - 1].split(maxsplit=3)[:3]
        return f"{name.decode()}+0x{address - int(start, 16):x}"

    def starting_at(self, address: int) -> list[str]:
        """The functions that begin there."""
        first = bisect_left(self._lines, b"%0*x " % (self._digits, address))
        lines = (line.split(maxsplit=3) for line in self._lines[first : self._behind(address)])
        return [name.decode() for _, kind, name, *_ in lines if kind in b"tT"]

    def code_of(self, function: str) -> list[tuple[int, int]]:
        """Where the code of a C function is, and that of its clones: begin and end."""
        starts = [start for start, _ in _found(function, self._written)]
        return [(start, int(self._lines[self._behind(start)].split()[0], 16)) for start in starts]

    def read(self) -> None:
        """All now: for a guest whose state is saved, which then wakes with them."""
        _ = self._lines

    def _behind(self, address: int) -> int:
        """Which line is the first of those behind an address."""
        return bisect(self._lines, b"%0*x~" % (self._digits, address))

    @cached_property
    def _written(self) -> bytes:
        return self.table.read_bytes()

    @cached_property
    def _lines(self) -> list[bytes]:
        """An address begins each, in as many digits as an address has: in their order they are numbers in theirs."""
        return sorted(self._written.splitlines())

    @cached_property
    def _digits(self) -> int:
        return self._lines[0].index(b" ")


def running() -> Symbols:
    """The running kernel's, kept until its modules are others, or elsewhere."""
    return _running(tuple((words[0], words[5]) for words in map(str.split, MODULES.read_text().splitlines())))


@functools.lru_cache(maxsize=1)
def _running(_modules: tuple[tuple[str, str], ...]) -> Symbols:
    return Symbols()


def symbol_of(function: str, written: bytes) -> str | None:
    """The same from the text of /proc/kallsyms alone: one of the very name wins over one that the compiler split off or
    specialised."""
    symbols = [symbol for _, symbol in _found(function, written)]
    return function if function in symbols else next(iter(symbols), None)


def _found(function: str, written: bytes) -> Iterator[tuple[int, str]]:
    """Address and symbol of a C function and of its clones. A name is searched for as bytes: reading the 150 000 lines
    one by one takes a second."""
    wanted, at = b" " + function.encode(), -1
    while (at := written.find(wanted, at + 1)) >= 0:
        line = written[written.rfind(b"\n", 0, at) + 1 : written.find(b"\n", at)]
        address, kind, symbol = line.decode().split()[:3]
        if kind in "tT" and (symbol == function or symbol.startswith(f"{function}.") and ".cold" not in symbol):
            yield int(address, 16), symbol
