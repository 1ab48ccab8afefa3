"""Is KVM believed only when a kernel boots on it? The hanging kind is played by a QEMU that prints
nothing, which is what such a host shows."""

import pytest

from host.vm import acceleration
from host.vm.image import Image


@pytest.fixture
def situation(tmp_path, monkeypatch):
    """An image folder, a KVM device that can be opened, and a QEMU that does what `script` says."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.setenv("LAB_KVM_DEVICE", str(tmp_path / "kvm"))
    (tmp_path / "kvm").touch()
    folder = tmp_path / "image-1"
    folder.mkdir()
    monkeypatch.setattr(acceleration, "DEADLINE_S", 1)

    def play(script: str, *options: str):
        qemu = tmp_path / "qemu"
        version = 'case "$1" in --version) echo "QEMU emulator version 7.2.22 (Debian)"; exit;; esac'
        qemu.write_text(f"#!/bin/sh\n{version}\n{script}\n")
        qemu.chmod(0o755)
        return acceleration.acceleration(Image(folder), [str(qemu), *options])

    return play


def test_a_kernel_that_prints_its_first_line_proves_it(situation):
    assert situation("echo '[    0.000000] Linux version 6.1'; exec sleep 60").name == "kvm"


def test_a_kernel_that_hangs_means_tcg_and_is_remembered(situation):
    hanging = situation("exec sleep 60")
    assert hanging.name == "tcg" and "printed nothing" in hanging.reason
    # What came of it is kept: the same QEMU, were it asked, would now prove KVM.
    assert situation("echo 'Linux version'; exec sleep 60").name == "tcg"


def test_a_qemu_that_refuses_is_quoted(situation):
    refused = situation("echo 'failed to initialize kvm: Permission denied' >&2; exit 1")
    assert refused.name == "tcg" and "Permission denied" in refused.reason


def test_without_a_device_nothing_is_tried(situation, tmp_path):
    (tmp_path / "kvm").unlink()
    assert "does not exist" in situation("echo 'Linux version'").reason


def test_the_probe_starts_qemu_as_the_guest_will_firmware_and_all(situation, tmp_path):
    situation(f"echo \"$*\" >'{tmp_path}/words'; echo 'Linux version'; exec sleep 60", "-L", "/firmware")
    assert (tmp_path / "words").read_text().startswith("-L /firmware ")
