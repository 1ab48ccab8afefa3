"""How is an initramfs written? As a cpio archive of the form that Linux reads, the same bytes each time
(Documentation/driver-api/early-userspace/buffer-format.rst)."""

import stat
from collections.abc import Iterable
from dataclasses import dataclass

END = "TRAILER!!!"


@dataclass(frozen=True)
class Entry:
    """One file, link or folder: its path without a leading slash, its mode, and its contents or target."""

    path: str
    mode: int
    data: bytes = b""

    @classmethod
    def folder(cls, path: str) -> "Entry":
        return cls(path, stat.S_IFDIR | 0o755)

    @classmethod
    def file(cls, path: str, data: bytes, permissions: int = 0o644) -> "Entry":
        return cls(path, stat.S_IFREG | permissions, data)

    @classmethod
    def link(cls, path: str, target: str) -> "Entry":
        return cls(path, stat.S_IFLNK | 0o777, target.encode())


def archive(entries: Iterable[Entry]) -> bytes:
    """The entries in their order, each behind the folders that it lies in; owned by root, without times."""
    packed, there = bytearray(), set()
    for entry in entries:
        parts = entry.path.split("/")
        for folder in ("/".join(parts[:end]) for end in range(1, len(parts))):
            if folder not in there:
                there.add(folder)
                packed += _packed(Entry.folder(folder), len(there))
        if entry.path not in there:
            there.add(entry.path)
            packed += _packed(entry, len(there))
    return bytes(packed + _packed(Entry(END, 0), 0))


def _packed(entry: Entry, number: int) -> bytes:
    name = entry.path.encode() + b"\0"
    fields = [number, entry.mode, 0, 0, 1, 0, len(entry.data), 0, 0, 0, 0, len(name), 0]
    head = b"070701" + b"".join(b"%08X" % field for field in fields) + name
    return _to_four(head) + _to_four(entry.data)


def _to_four(data: bytes) -> bytes:
    return data + bytes(-len(data) % 4)
