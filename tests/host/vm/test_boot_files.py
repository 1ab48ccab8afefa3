"""Is the kernel in a bzImage found, and a file that holds none named? Do the keys come in when a guest boots, and are
they in no image?"""

import ctypes
import lzma
import struct

import pytest

from host.errors import LabError
from host.vm import boot_files, image, ssh

KERNEL = b"\x7fELF" + bytes(range(256)) * 40
OF_THE_IMAGE = b"070701 the image's"  # 18 bytes, so two are missing to a multiple of four


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
    boot_files.unpack(tmp_path / "vmlinuz", tmp_path / "vmlinux")
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
        boot_files.unpack(tmp_path / "vmlinuz", tmp_path / "vmlinux")
    assert str(tmp_path / "vmlinuz") in str(raised.value) and not (tmp_path / "vmlinux").exists()


@pytest.fixture
def installation(tmp_path, monkeypatch):
    """installation("b") is a fresh one of that name from now on."""

    def of(name: str) -> None:
        monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / name))

    return of


def unpacked(archive: bytes) -> dict[str, tuple[int, bytes]]:
    """The mode and the content of what a cpio archive has, read as the kernel reads it (parse_header())."""
    found, at = {}, 0
    while True:
        assert at % 4 == 0 and archive[at : at + 6] == b"070701"
        numbers = [int(archive[at + 6 + 8 * field : at + 14 + 8 * field], 16) for field in range(13)]
        mode, size, name_size = numbers[1], numbers[6], numbers[11]
        name = archive[at + 110 : at + 110 + name_size - 1].decode()
        body = -(-(at + 110 + name_size) // 4) * 4
        if name == "TRAILER!!!":
            return found
        found[name] = (mode, archive[body : body + size])
        at = -(-(body + size) // 4) * 4


def test_they_are_an_archive_of_their_own_behind_the_image_s(installation, tmp_path):
    installation("a")
    (tmp_path / "image-s").write_bytes(OF_THE_IMAGE)
    boot_files.with_keys(tmp_path / "image-s", ssh.keys(), tmp_path / "initramfs")
    written = (tmp_path / "initramfs").read_bytes()
    assert written.startswith(OF_THE_IMAGE + b"\0\0" + b"070701")
    found = unpacked(written[len(OF_THE_IMAGE) + 2 :])
    secret, allowed = found["keys/etc/ssh/ssh_host_ed25519_key"], found["keys/root/.ssh/authorized_keys"]
    assert secret == (0o100600, (ssh.keys() / "guest").read_bytes())
    assert allowed == (0o100600, (ssh.keys() / "client.pub").read_bytes())
    assert found["keys/root/.ssh"][0] == 0o040700 and (tmp_path / "initramfs").stat().st_mode & 0o077 == 0


def test_an_image_is_the_same_for_every_installation(installation):
    """So it can be handed on; before, it had the first one's keys."""
    made = []
    for name in ("a", "b"):
        installation(name)
        made.append((image._key(image.the_books()), ssh.public_keys()))
    assert made[0][0] == made[1][0] and made[0][1] != made[1][1]
