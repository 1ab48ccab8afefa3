"""At which offset does the running kernel keep a field? Asked of its own type information (BTF).

A bcc program that includes the kernel's headers for this takes twenty seconds to compile under
emulation. The kernel carries the answer itself: Documentation/bpf/btf.rst has the format.
"""

import functools
import os
import struct
from collections.abc import Iterator
from pathlib import Path

from labs.trace.objects import BROUGHT

# The kernel's own; where it has none, that of the structures which our programs read, made from its headers.
PLACES = (Path("/sys/kernel/btf/vmlinux"), BROUGHT / f"{os.uname().release}.btf")
_HEADER = struct.Struct("=HBBIIIII")  # magic, version, flags, header length, types at, long, strings at, long
_MAGIC, _ARRAY, _STRUCT, _UNION, _ENUM, _FUNC = 0xEB9F, 3, 4, 5, 6, 12
# Bytes behind the first twelve of a type, by its kind: fixed, or for each of what it has. Others have none.
_FIXED = {1: 4, _ARRAY: 12, 14: 4, 17: 4}
_EACH = {_STRUCT: 12, _UNION: 12, _ENUM: 8, 13: 8, 15: 12, 19: 12}


class NoSuchField(LookupError):
    """The running kernel has no such structure or field."""


@functools.cache
def offset(structure: str, field: str) -> int:
    """Offset in bytes of a member, which may be in a part without a name: offset("tcp_sock", "packets_out")."""
    types, strings = _sections()
    members = _members(types, strings, structure)
    found = _bits(members, _string(strings, field))
    if found is not None:
        return found // 8
    raise NoSuchField(
        f"expected `struct {structure}` to have a member {field}, found none; it has {len(members)} others"
    )


@functools.cache
def enumerators(first: str) -> dict[str, int]:
    """Names and values of the enum whose first member this is: enumerators("IPV6_SADDR_RULE_INIT")."""
    types, strings = _sections()
    for at in _uses(types, strings, first):
        info = struct.unpack_from("=I", types, max(at - 8, 0))[0]
        if info >> 24 & 0x1F == _ENUM:
            pairs = (struct.unpack_from("=Ii", types, at + 8 * number) for number in range(info & 0xFFFF))
            return {strings[start : strings.index(b"\0", start)].decode(): value for start, value in pairs}
    raise NoSuchField(f"expected an enum that begins with {first} in the kernel's BTF, found none")


@functools.cache
def size(structure: str) -> int:
    """Size in bytes of a structure: size("module")."""
    types, strings = _sections()
    return _structure(types, strings, structure)[0]


@functools.cache
def has_function(name: str) -> bool:
    """True if the kernel proper has a function of exactly that name that is not inlined everywhere."""
    types, strings = _sections()
    try:
        at = _string(strings, name)
    except NoSuchField:
        return False
    # pahole writes functions down last: from the end one is found in a thirtieth of the time.
    return any(_has(types, struct.pack("=II", at, _FUNC << 24 | linkage)) for linkage in range(3))


@functools.cache
def _sections() -> tuple[bytes, bytes]:
    found = next((place for place in PLACES if place.exists()), PLACES[0])
    raw = found.read_bytes()
    magic, _, _, header, types_at, types_long, strings_at, strings_long = _HEADER.unpack_from(raw)
    if magic != _MAGIC:
        raise NoSuchField(f"expected BTF in {found}, found another format")
    start, names = header + types_at, header + strings_at
    return raw[start : start + types_long], raw[names : names + strings_long]


def _string(strings: bytes, name: str) -> int:
    """Where a name is in the string section, in which each is stored once."""
    at = strings.find(b"\0" + name.encode() + b"\0")
    if at < 0:
        raise NoSuchField(f"expected the name {name} in the kernel's BTF, found none")
    return at + 1


def _uses(types: bytes, strings: bytes, name: str) -> Iterator[int]:
    """Where in the type section a name may stand. There are 100 000 types, one after the other and each of its
    own length; searching for a name is a thousand times as fast as walking over them. What else may be four
    bytes with this value the caller tells by what stands around them."""
    wanted, at = struct.pack("=I", _string(strings, name)), -1
    while (at := types.find(wanted, at + 1)) >= 0:
        if at % 4 == 0:
            yield at


def _has(types: bytes, wanted: bytes) -> bool:
    """Whether these are somewhere in the type section, at the beginning of a type or of one of its numbers."""
    at = types.rfind(wanted)
    while at >= 0 and at % 4:
        at = types.rfind(wanted, 0, at + len(wanted) - 1)
    return at >= 0


def _bits(members: list[tuple[int, int, int]], name: int) -> int | None:
    """The offset of the member of that name, None if there is none."""
    for member, _, bits in members:
        if member == name:
            return bits & 0xFFFFFF
    for member, kind, bits in members:
        if not member and (inside := _bits(_members_of(kind), name)) is not None:
            return (bits & 0xFFFFFF) + inside
    return None


def _members_of(number: int) -> list[tuple[int, int, int]]:
    """The members of the type of that number, none if it is no structure and no union."""
    types, at = _sections()[0], _places()[number]
    info = struct.unpack_from("=I", types, at + 4)[0]
    return _listed(types, at + 12, info & 0xFFFF) if info >> 24 & 0x1F in (_STRUCT, _UNION) else []


@functools.cache
def _places() -> list[int]:
    """Where each type is, by its number; the first has 1. It is a walk over all of them, for the few fields that need
    it."""
    types, at, places = _sections()[0], 0, [0]
    while at < len(types):
        places.append(at)
        info = struct.unpack_from("=I", types, at + 4)[0]
        kind = info >> 24 & 0x1F
        at += 12 + _FIXED.get(kind, 0) + _EACH.get(kind, 0) * (info & 0xFFFF)
    return places


def _listed(types: bytes, first: int, count: int) -> list[tuple[int, int, int]]:
    return [struct.unpack_from("=III", types, first + 12 * number) for number in range(count)]


def _members(types: bytes, strings: bytes, structure: str) -> list[tuple[int, int, int]]:
    """(name, type, offset in bits) of a structure's members."""
    return _structure(types, strings, structure)[1]


def _structure(types: bytes, strings: bytes, structure: str) -> tuple[int, list[tuple[int, int, int]]]:
    """A structure's size in bytes, and its members."""
    for at in _uses(types, strings, structure):
        _, info, size = struct.unpack_from("=III", types, at)
        if info >> 24 & 0x1F == _STRUCT and info & 0xFFFF:
            found = _listed(types, at + 12, info & 0xFFFF)
            if all(bits & 0xFFFFFF <= size * 8 for _, _, bits in found):
                return size, found
    raise NoSuchField(f"expected `struct {structure}` in the kernel's BTF, found none")
