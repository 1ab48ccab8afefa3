"""Is the kernel in a bzImage found, and a file that holds none named?"""

import ctypes
import lzma
import struct

import pytest

from host.errors import LabError
from host.vm import bzimage

KERNEL = b"\x7fELF" + bytes(range(256)) * 40


def zstd(data: bytes) -> bytes:
    library = ctypes.CDLL("libzstd.so.1")
    packed = ctypes.create_string_buffer(2 * len(data) + 1000)
    size = library.ZSTD_compress(packed, len(packed), data, len(data), 3)
    return packed.raw[:size]


def packed(kernel: bytes, sectors: int = 39, cut: int = 0, by=lzma.compress) -> bytes:
    """As arch/x86/boot makes one: setup code, then the packed stream with the kernel's size after it."""
    payload = by(kernel) + struct.pack("<I", len(kernel))
    setup = bytearray((1 + (sectors or 4)) * 512)
    setup[0x1F1] = sectors
    struct.pack_into("<II", setup, 0x248, 716, len(payload) - cut)
    return bytes(setup) + bytes(716) + payload


@pytest.mark.parametrize("by", [lzma.compress, zstd])
@pytest.mark.parametrize("sectors", [39, 0])
def test_the_kernel_comes_out_as_it_went_in(tmp_path, sectors, by):
    (tmp_path / "vmlinuz").write_bytes(packed(KERNEL, sectors, by=by))
    bzimage.unpack(tmp_path / "vmlinuz", tmp_path / "vmlinux")
    assert (tmp_path / "vmlinux").read_bytes() == KERNEL


@pytest.mark.parametrize(
    "data, why",
    [
        (b"", "found none"),
        (bytes(4096), "found none"),
        (packed(KERNEL, cut=40), "ends too early"),
        (packed(KERNEL)[:-60], "ends too early"),
        (packed(b"#!/bin/sh"), "no ELF file"),
        (packed(KERNEL, cut=40, by=zstd), "ends too early"),
        (packed(KERNEL, by=zstd)[:-60], "ends too early"),
        (packed(b"#!/bin/sh", by=zstd), "no ELF file"),
    ],
)
def test_a_file_without_one_is_named_with_what_to_do(tmp_path, data, why):
    (tmp_path / "vmlinuz").write_bytes(data)
    with pytest.raises(LabError, match=why) as raised:
        bzimage.unpack(tmp_path / "vmlinuz", tmp_path / "vmlinux")
    assert str(tmp_path / "vmlinuz") in str(raised.value) and not (tmp_path / "vmlinux").exists()
