"""Under which symbol does the running kernel have a C function, and what is the name of an address in its code?"""

import functools
import itertools
from array import array
from bisect import bisect, bisect_left
from collections.abc import Iterable, Iterator
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
        self._known: dict[str, list[tuple[int, str]]] = {}

    def of_function(self, function: str) -> str | None:
        """The symbol of a C function, None if it has none: "ip_fragment.constprop.0"."""
        return function if btf.has_function(function) else self._symbol(function)

    def address(self, symbol: str) -> int | None:
        """Where a symbol is, if they have been written down by now, and only one has that name."""
        known = "_written" in vars(self) and [start for start, name in self._named(symbol) if name == symbol]
        return known[0] if known and len(known) == 1 else None

    def __contains__(self, function: object) -> bool:
        return isinstance(function, str) and self.of_function(function) is not None

    def at(self, address: int) -> str:
        """The symbol before an address, and how far behind that it is, "tcp_v4_err+0x1"; of several in one place the
        last."""
        start, _, name = self._line(self._behind(address) - 1)
        return f"{name.decode()}+0x{address - int(start, 16):x}"

    def starting_at(self, address: int) -> list[str]:
        """The functions that begin there."""
        first = bisect_left(self._starts, self._digits(address), key=self._address)
        lines = (self._line(number) for number in range(first, self._behind(address)))
        return [name.decode() for _, kind, name in lines if kind in b"tT"]

    def code_of(self, function: str) -> list[tuple[int, int]]:
        """Where the code of a C function is, and that of its clones: begin and end."""
        starts = [start for start, _ in self._named(function)]
        return [(start, int(self._line(self._behind(start))[0], 16)) for start in starts]

    def read(self) -> None:
        """All now: for a guest whose state is saved, which then wakes with them."""
        _ = self._starts

    def _symbol(self, function: str) -> str | None:
        return _best(function, self._named(function))

    def _named(self, function: str) -> list[tuple[int, str]]:
        """Address and symbol of a C function and of its clones, searched for once: the same are asked for again."""
        if function not in self._known:
            self._known[function] = list(_found(function, self._written))
        return self._known[function]

    def _behind(self, address: int) -> int:
        """Which line is the first of those behind an address."""
        return bisect(self._starts, self._digits(address), key=self._address)

    def _line(self, number: int) -> list[bytes]:
        """Its address, kind and name."""
        start = self._starts[number]
        return self._written[start : self._written.index(b"\n", start)].split(maxsplit=3)[:3]

    def _address(self, start: int) -> bytes:
        return self._written[start : start + self._width]

    def _digits(self, address: int) -> bytes:
        return b"%0*x" % (self._width, address)

    @cached_property
    def _width(self) -> int:
        return self._written.index(b" ")

    @cached_property
    def _written(self) -> bytes:
        """A line for each, as the kernel has them, and once they are in order: then by address."""
        return self.table.read_bytes()

    @cached_property
    def _starts(self) -> "array[int]":
        """Where each line begins, in the order of their addresses, which begin them in as many digits as an address
        has. In place of a hundred thousand objects: a guest that is saved has them all in its state."""
        lines = sorted(self._written.splitlines(keepends=True))
        self._written = b"".join(lines)
        return array("I", itertools.accumulate(map(len, lines[:-1]), initial=0))


def running() -> Symbols:
    """The running kernel's, kept until its modules are others, or elsewhere."""
    return _running(tuple((words[0], words[5]) for words in map(str.split, MODULES.read_text().splitlines())))


@functools.lru_cache(maxsize=1)
def _running(_modules: tuple[tuple[str, str], ...]) -> Symbols:
    return Symbols()


def symbol_of(function: str, written: bytes) -> str | None:
    """The same from the text of /proc/kallsyms alone."""
    return _best(function, _found(function, written))


def _best(function: str, named: Iterable[tuple[int, str]]) -> str | None:
    """One of the very name wins over one that the compiler split off or specialised."""
    symbols = [symbol for _, symbol in named]
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
