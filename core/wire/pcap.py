"""What is in a capture file? Its link type and its frames with their times, as pcap-savefile(5) lays them out."""

from __future__ import annotations

import struct
from collections.abc import Iterator

HEADER_BYTES, RECORD_BYTES = 24, 16  # of a file, and of each frame in it
SECOND_NS = 10**9
# The first four bytes, by whose order and resolution the numbers behind them are: nanoseconds a unit of a time's second
# part.
MAGICS = {
    bytes.fromhex("d4c3b2a1"): ("<", 1000),
    bytes.fromhex("4d3cb2a1"): ("<", 1),
    bytes.fromhex("a1b2c3d4"): (">", 1000),
    bytes.fromhex("a1b23c4d"): (">", 1),
}


class NoCapture(ValueError):
    """These bytes are no capture file; the message says what they are."""


def frames(raw: bytes) -> tuple[int, Iterator[tuple[int, bytes]]]:
    """The link type, and each frame after the time at which it was seen, in nanoseconds of the epoch. Of a file that is
    cut off the last frame may be cut off, too. Raises NoCapture."""
    if len(raw) < HEADER_BYTES or raw[:4] not in MAGICS:
        raise NoCapture(f"{len(raw)} bytes that begin with {raw[:4]!r}")
    order, unit_ns = MAGICS[raw[:4]]
    return struct.unpack_from(f"{order}I", raw, 20)[0], _frames(raw, struct.Struct(f"{order}IIII"), unit_ns)


def _frames(raw: bytes, record: struct.Struct, unit_ns: int) -> Iterator[tuple[int, bytes]]:
    at = HEADER_BYTES
    while at + RECORD_BYTES <= len(raw):
        seconds, units, kept, _ = record.unpack_from(raw, at)
        begin = at + RECORD_BYTES
        at = begin + kept
        yield seconds * SECOND_NS + units * unit_ns, raw[begin:at]
