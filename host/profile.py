"""Which machine does a chapter need? A profile is data (vm-image/profiles/*.toml); this makes
QEMU's command line of it. Nothing else in host/ knows QEMU's devices."""

import tomllib
from dataclasses import dataclass
from pathlib import Path

from host.image import Image
from host.paths import VM_IMAGE

PROFILES = VM_IMAGE / "profiles"


@dataclass(frozen=True)
class Profile:
    """One guest machine, as its file describes it. `memory_mib` is in MiB."""

    name: str
    title: str
    machine: str
    memory_mib: int
    cpus: int
    devices: list[str]
    kernel_arguments: list[str]

    @property
    def qemu(self) -> str:
        return "qemu-system-x86_64"

    @property
    def file(self) -> Path:
        return PROFILES / f"{self.name}.toml"

    def command(self, image: Image, acceleration: str, ram: Path, shared: bool, port: int) -> list[str]:
        """QEMU's command line up to what differs between a cold boot and a restore.

        `ram` is the file that holds guest memory; `shared` writes to it, else it is copied on
        write. `port` on the host's loopback leads to the guest's sshd, and nothing leads out.
        """
        memory = f"memory-backend-file,id=ram,size={self.memory_mib}M,mem-path={_escaped(ram)}"
        command = [
            self.qemu, "-nodefaults", "-no-user-config", "-no-reboot", "-display", "none",
            "-machine", f"{self.machine},memory-backend=ram",
            "-object", f"{memory},share={'on' if shared else 'off'}",
            "-accel", "tcg,thread=multi" if acceleration == "tcg" else acceleration,
            "-cpu", "max" if acceleration == "tcg" else "host",
            "-m", f"{self.memory_mib}M", "-smp", str(self.cpus),
            "-kernel", str(image.vmlinuz), "-initrd", str(image.initramfs),
            "-append", " ".join(["console=ttyS0", *self.kernel_arguments]),
            "-drive", f"file={_escaped(image.disk)},format=raw,if=virtio,readonly=on",
            "-netdev", f"user,id=net0,restrict=on,hostfwd=tcp:127.0.0.1:{port}-:22",
            "-device", "virtio-net-pci,netdev=net0,romfile=",
        ]
        for device in self.devices:
            command += ["-device", device]
        return command


def profile(name: str = "stock") -> Profile:
    """The profile of that name."""
    return Profile(name=name, **tomllib.loads((PROFILES / f"{name}.toml").read_text()))


def _escaped(path: Path) -> str:
    """QEMU's option parser ends a value at a comma; a doubled one is a comma."""
    return str(path).replace(",", ",,")
