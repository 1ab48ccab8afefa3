"""Is a jump found in a kernel's code, whichever of the two forms its memory is written down in?"""

import struct

import pytest

from labs.trace.symbols import Symbols
from labs.trace.tail_calls import KernelCode

# A call of f(), jmp other, jmp *%eax; then other(), which returns.
CODE = b"\xe8\x00\x00\x00\x00" + b"\xe9" + struct.pack("=i", 0x10 - 10) + b"\xff\xe0" + b"\x90" * 4 + b"\xc3"


def elf64(base, code):
    ident = b"\x7fELF\x02\x01\x01" + bytes(9)
    header = ident + struct.pack("=HHIQQQIHHHHHH", 4, 62, 1, 0, 64, 0, 0, 64, 56, 2, 0, 0, 0)
    note = struct.pack("=IIQQQQQQ", 4, 0, 0, base, 0, 99, 0, 0)
    load = struct.pack("=IIQQQQQQ", 1, 7, 64 + 2 * 56, base, 0, len(code), len(code), 4096)
    return header + note + load + code


def elf32(base, code):
    ident = b"\x7fELF\x01\x01\x01" + bytes(9)
    header = ident + struct.pack("=HHIIIIIHHHHHH", 4, 3, 1, 0, 52, 0, 0, 52, 32, 2, 0, 0, 0)
    note = struct.pack("=IIIIIIII", 4, 0, base, 0, 99, 0, 0, 0)
    load = struct.pack("=IIIIIIII", 1, 52 + 2 * 32, base, 0, len(code), len(code), 7, 4096)
    return header + note + load + code


@pytest.mark.parametrize("core, base", [(elf64, 0xFFFFFFFF81000000), (elf32, 0xC1000000)])
def test_jumps_are_found_and_calls_are_none(tmp_path, core, base):
    (tmp_path / "core").write_bytes(core(base, CODE))
    (tmp_path / "kallsyms").write_text(f"{base:x} t f\n{base + 16:x} t other\n{base + 17:x} t end\n")
    code = KernelCode(Symbols(tmp_path / "kallsyms"), tmp_path / "core")
    assert [(jump.offset, jump.target) for jump in code.jumps("f")] == [(5, "other"), (10, "")]
    assert str(code.jump("f", {"other"})) == "f() jumps to other at +0x5, which leaves no frame"
    assert code.jump("f", {"no_other"}).target == "" and code.jump("other", {"f"}) is None
