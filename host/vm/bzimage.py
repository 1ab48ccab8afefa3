"""Why does the guest's kernel not unpack itself? Under emulation that takes three seconds of a boot, and here
half a one. QEMU starts an unpacked kernel by its PVH entry (arch/x86/platform/pvh/head.S), at the address
that it was linked for: without a random one."""

import ctypes
import lzma
import struct
from pathlib import Path

from host.errors import LabError

ZSTD = b"\x28\xb5\x2f\xfd"  # begins what zstd has packed (RFC 8878, 3.1.1)
LARGEST_BYTES = 1 << 28  # four times an unpacked kernel, because the size may be any four bytes


class _NoKernel(Exception):
    """What is packed there is none, and why."""


def unpack(bzimage: Path, vmlinux: Path) -> None:
    """Write the kernel that a bzImage holds, an ELF file. Raises LabError if it holds none that xz or zstd packed.
    Source: Documentation/x86/boot.rst, payload_offset and payload_length."""
    data = bzimage.read_bytes()
    try:
        sectors = data[0x1F1] or 4  # of 512 bytes each, between the first and the protected mode's code
        offset, length = struct.unpack_from("<II", data, 0x248)
        start = (1 + sectors) * 512 + offset
        packed = data[start : start + length]
        kernel = (_from_zstd if packed.startswith(ZSTD) else _from_xz)(packed)
        if not kernel.startswith(b"\x7fELF"):
            raise _NoKernel("what it holds is no ELF file")
    except (IndexError, struct.error, lzma.LZMAError, _NoKernel) as error:
        raise LabError(
            f"{bzimage}: expected a kernel packed by xz or zstd, found none ({error})",
            f"rm -r {bzimage.parent}, then the same ./lab call",
        ) from error
    vmlinux.write_bytes(kernel)


def _from_xz(packed: bytes) -> bytes:
    xz = lzma.LZMADecompressor(lzma.FORMAT_XZ)
    kernel = xz.decompress(packed)
    if not xz.eof:
        raise _NoKernel("it ends too early")
    return kernel


def _from_zstd(packed: bytes) -> bytes:
    """Unpack by the library that dpkg and QEMU have brought along; Python has none before 3.14. Behind what was packed
    stands how large it was (scripts/Makefile.lib, size_append)."""
    library = ctypes.CDLL("libzstd.so.1")
    library.ZSTD_decompress.restype = ctypes.c_size_t
    (size,) = struct.unpack("<I", packed[-4:])
    if size > LARGEST_BYTES:
        raise _NoKernel("it ends too early")
    kernel = ctypes.create_string_buffer(size)
    got = library.ZSTD_decompress(kernel, ctypes.c_size_t(size), packed[:-4], ctypes.c_size_t(len(packed) - 4))
    if got != size:  # an error is a number beyond every size
        raise _NoKernel("it ends too early")
    return kernel.raw
