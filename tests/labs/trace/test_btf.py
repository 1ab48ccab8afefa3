"""Is a field found where the kernel's type information has it, and one that is not there named?"""

import struct

import pytest

from labs.trace import btf

NAMES = ["int", "u32", "pipe_inode_info", "wait", "nr", "head_tail", "head", "tail"]
STRINGS = b"".join(name.encode() + b"\0" for name in ["", *NAMES])


def string(name: str) -> int:
    """Where a name is written down."""
    return STRINGS.index(b"\0" + name.encode() + b"\0") + 1 if name else 0


def a_type(kind: int, name: str, size: int, *members: tuple[str, int, int], behind: bytes = b"") -> bytes:
    """One type; members are names, numbers of types, and bits."""
    head = struct.pack("=III", string(name), kind << 24 | len(members), size)
    return head + b"".join(struct.pack("=III", string(of), number, bits) for of, number, bits in members) + behind


INT, ARRAY, STRUCT, UNION, TYPEDEF = 1, 3, 4, 5, 8
TYPES = [
    a_type(INT, "int", 4, behind=bytes(4)),  # 1
    a_type(ARRAY, "", 0, behind=bytes(12)),  # 2
    a_type(UNION, "", 8, ("head_tail", 1, 0), ("", 4, 0)),  # 3
    a_type(STRUCT, "", 8, ("head", 1, 0), ("tail", 1, 32)),  # 4
    a_type(TYPEDEF, "u32", 1),  # 5
    a_type(STRUCT, "pipe_inode_info", 24, ("wait", 1, 0), ("", 3, 64), ("nr", 1, 128), ("", 1, 160)),  # 6
]


@pytest.fixture(autouse=True)
def kernel(monkeypatch, tmp_path):
    """A kernel with these types."""
    types = b"".join(TYPES)
    header = struct.pack("=HBBIIIII", 0xEB9F, 1, 0, 24, 0, len(types), len(types), len(STRINGS))
    (tmp_path / "vmlinux").write_bytes(header + types + STRINGS)
    monkeypatch.setattr(btf, "PLACES", (tmp_path / "vmlinux",))
    cached = (btf.offset, btf._sections, btf._places)
    for function in cached:
        function.cache_clear()
    yield
    for function in cached:
        function.cache_clear()


@pytest.mark.parametrize("field, offset", [("wait", 0), ("nr", 16), ("head_tail", 8), ("head", 8), ("tail", 12)])
def test_a_field_is_found_also_in_what_has_no_name(field, offset):
    assert btf.offset("pipe_inode_info", field) == offset


@pytest.mark.parametrize("field", ["u32", "nowhere"])
def test_one_that_is_not_there_is_named(field):
    with pytest.raises(btf.NoSuchField, match=field):
        btf.offset("pipe_inode_info", field)
