"""Does the guest's disk give programs what they may expect of a file?"""

import ctypes
import mmap
import os
from pathlib import Path

import pytest

# Over 128 KiB, a block of the disk's, so that each has a tail that is no whole block.
FILES = ["/usr/include/bpf/bpf_helper_defs.h", "/usr/src/linux-headers-*-common/include/linux/skbuff.h"]
libc = ctypes.CDLL(None)
libc.mmap.restype = ctypes.c_void_p
libc.mmap.argtypes = [ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int, ctypes.c_int, ctypes.c_int, ctypes.c_long]


@pytest.mark.parametrize("pattern", FILES)
def test_the_last_page_of_a_mapped_file_ends_with_zeros(pattern):
    """POSIX asks it of mmap(), and clang relies on it: it reads a source up to the first zero. Linux 6.1's squashfs
    zeroes the rest of the page only if the file's tail is not packed with others' into a fragment, as mksquashfs does
    by itself when it reads a tar archive."""
    (file,) = Path("/").glob(pattern.lstrip("/"))
    Path("/proc/sys/vm/drop_caches").write_text("3")  # read from the disk, by the fault below
    size = file.stat().st_size
    whole = -(-size // mmap.PAGESIZE) * mmap.PAGESIZE
    descriptor = os.open(file, os.O_RDONLY)
    try:
        address = libc.mmap(None, whole, mmap.PROT_READ, mmap.MAP_PRIVATE, descriptor, 0)
        assert ctypes.string_at(address + size, whole - size) == bytes(whole - size)
    finally:
        libc.munmap(ctypes.c_void_p(address), ctypes.c_size_t(whole))
        os.close(descriptor)
