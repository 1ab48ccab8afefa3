"""What does a kernel function's call say of the pages that go by splice(2)? Known without a tracer, by what judges."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol, TypeVar

PIPE_BYTES = 65_536  # PIPE_DEF_BUFFERS pages, include/linux/pipe_fs_i.h
LARGEST_BYTES = 24_000  # of an object; below half a window: above, other things push (see the page)
HANDED_ON_FLAGS = {0x8000: "MORE", 0x20000: "NOTLAST"}  # MSG_…, include/linux/socket.h


class Called(Protocol):
    """A function was entered; `value` and `detail` are what pushes.bpf.c reports of it."""

    @property
    def function(self) -> str: ...

    @property
    def value(self) -> int: ...

    @property
    def detail(self) -> int: ...


Kind = TypeVar("Kind", bound=Called)


@dataclass(frozen=True)
class Call:
    """A call of a kernel function, and no more."""

    function: str
    value: int
    detail: int


@dataclass(frozen=True)
class Page:
    """A page on its way from a pipe to a socket: bytes asked of splice(2) and not yet handed over,
    pages that follow it in the pipe, its own bytes, and the flags that it goes with."""

    asked_bytes: int
    following: int
    size_bytes: int
    flags: int

    @property
    def not_last(self) -> bool:
        return "NOTLAST" in self.words

    @property
    def words(self) -> str:
        return " ".join(word for flag, word in HANDED_ON_FLAGS.items() if self.flags & flag) or "-"


def of(calls: Sequence[Kind], *functions: str) -> list[Kind]:
    """The calls of these functions."""
    return [call for call in calls if call.function in functions]


def pages(calls: Sequence[Called]) -> list[Page]:
    """Pages that splice(2) handed to the socket, in order."""
    return [
        Page(page.value, page.detail - 1, one.value & 0xFFFFFFFF, one.value >> 32)
        for page, one in zip(of(calls, "pipe_to_sendpage"), of(calls, "do_tcp_sendpages"))
    ]
