"""What does a guest boot from? Its image's kernel, unpacked: that takes three seconds under emulation, and here half a
one. QEMU starts such a kernel by its PVH entry (arch/x86/platform/pvh/head.S), at the address that it was linked for:
without a random one. And its image's initramfs, with this installation's keys behind it: no image has them, so an image
can be handed on."""

import ctypes
import lzma
import stat
import struct
from pathlib import Path

from host.errors import LabError

ZSTD = b"\x28\xb5\x2f\xfd"  # begins what zstd has packed (RFC 8878, 3.1.1)
LARGEST_BYTES = 1 << 28  # four times an unpacked kernel, because the size may be any four bytes
CPIO = "070701"  # begins each entry of an archive in the form that the kernel reads
CPIO_END = "TRAILER!!!"  # the last entry's name
FOLDER, OWN_FOLDER, SECRET = stat.S_IFDIR | 0o755, stat.S_IFDIR | 0o700, stat.S_IFREG | 0o600


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


def with_keys(initramfs: Path, keys: Path, written: Path) -> None:
    """Write the image's initramfs, and behind it `keys`, ssh.keys(), which vm-image/initramfs/init copies. The kernel
    unpacks one archive after the other: Documentation/driver-api/early-userspace/buffer-format.rst."""
    archive = [
        _entry("keys", FOLDER),
        _entry("keys/etc", FOLDER),
        _entry("keys/etc/ssh", FOLDER),
        _entry("keys/etc/ssh/ssh_host_ed25519_key", SECRET, (keys / "guest").read_bytes()),
        _entry("keys/root", OWN_FOLDER),
        _entry("keys/root/.ssh", OWN_FOLDER),
        _entry("keys/root/.ssh/authorized_keys", SECRET, (keys / "client.pub").read_bytes()),
        _entry(CPIO_END, 0),
    ]
    written.touch(0o600)
    written.write_bytes(_padded(initramfs.read_bytes()) + b"".join(archive))


def _entry(name: str, mode: int, content: bytes = b"") -> bytes:
    """One entry of a cpio archive, root's. Its header is 13 numbers of 8 hexadecimal digits: inode, mode, uid, gid,
    links, time, size, two device numbers of the file and two of a device file, the size of its name with the NUL, and a
    checksum that this form leaves 0. Source: buffer-format.rst, as above."""
    numbers = (0, mode, 0, 0, 1, 0, len(content), 0, 0, 0, 0, len(name) + 1, 0)
    header = CPIO + "".join(f"{number:08X}" for number in numbers)
    return _padded(header.encode() + name.encode() + b"\0") + _padded(content)


def _padded(content: bytes) -> bytes:
    """Each part of an archive begins at a multiple of four bytes."""
    return content + b"\0" * (-len(content) % 4)


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
