"""How do rows show themselves in a terminal and in a notebook cell? In at most 80 columns."""

from collections.abc import Callable, Iterable, Sequence


class Table(list):
    """Rows that show themselves: `heads` are (name, format) pairs, `line` gives a row's cells."""

    def __init__(self, rows: Iterable, heads: Sequence[tuple[str, str]], line: Callable[..., Sequence]) -> None:
        super().__init__(rows)
        self.heads, self.line = heads, line

    def text(self) -> str:
        head = "".join(f"{name:{width}}" for name, width in self.heads)
        lines = ["".join(f"{value:{width}}" for value, (_, width) in zip(self.line(row), self.heads)) for row in self]
        return "\n".join(line.rstrip() for line in [head, *lines])

    __repr__ = text
