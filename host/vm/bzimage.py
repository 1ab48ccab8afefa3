"""Why does the guest's kernel not unpack itself? Under emulation that takes three seconds of a boot, and here
half a one. QEMU starts an unpacked kernel by its PVH entry (arch/x86/platform/pvh/head.S), at the address
that it was linked for: without a random one."""

import lzma
import struct
from pathlib import Path

from host.errors import LabError


def unpack(bzimage: Path, vmlinux: Path) -> None:
    """Write the kernel that a bzImage holds, an ELF file. Raises LabError if it holds none that xz packed.
    Source: Documentation/x86/boot.rst, payload_offset and payload_length."""
    data = bzimage.read_bytes()
    xz = lzma.LZMADecompressor(lzma.FORMAT_XZ)
    try:
        sectors = data[0x1F1] or 4  # of 512 bytes each, between the first and the protected mode's code
        offset, length = struct.unpack_from("<II", data, 0x248)
        start = (1 + sectors) * 512 + offset
        kernel = xz.decompress(data[start : start + length])
    except (IndexError, struct.error, lzma.LZMAError) as error:
        raise _none(bzimage, str(error)) from error
    if not xz.eof:
        raise _none(bzimage, "it ends too early")
    if not kernel.startswith(b"\x7fELF"):
        raise _none(bzimage, "what it holds is no ELF file")
    vmlinux.write_bytes(kernel)


def _none(bzimage: Path, why: str) -> LabError:
    return LabError(
        f"{bzimage}: expected a kernel packed by xz, found none ({why})",
        f"rm -r {bzimage.parent}, then the same ./lab call",
    )
