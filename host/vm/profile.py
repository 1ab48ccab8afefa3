"""Which machine does a chapter need? A profile is data (vm-image/profiles/*.toml); this makes
QEMU's command line of it. Nothing else in host/ knows QEMU's devices."""

import tomllib
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path

from core.statuses import Status
from host import paths
from host.errors import LabError
from host.paths import VM_IMAGE
from host.vm import cards, qemu
from host.vm.cards import Card
from host.vm.image import Image, Kernel, kernels

# QEMU gives up system calls that it does not need, first of all to start programs: seccomp(2), qemu(1).
SANDBOX = ("-sandbox", "on,obsolete=deny,elevateprivileges=deny,spawn=deny,resourcecontrol=deny")
PROFILES = VM_IMAGE / "profiles"
# All that TCG can, but for what costs time there: ERMS makes the kernel copy and clear memory byte by
# byte, LA57 adds a look-up to each page walk, SMAP has the kernel reach user memory by other TLB entries.
# FSRM goes with ERMS: with it alone, as in QEMU 10's max, Linux 6.1 hangs at boot, for its memmove()
# then leaves out the look at short lengths and counts on ERMS (arch/x86/lib/memmove_64.S).
EMULATED_CPU = "max,-erms,-fsrm,-la57,-smap"

# A driver puts a packet into a virtio queue, and then reads whether the device wants to be notified. Between the two it
# needs a memory barrier, because the device runs in another thread of QEMU. QEMU 7.2 leaves barriers and locked
# instructions out of the code of a machine whose `maxcpus` is 1 (tcg_gen_mb() in tcg/tcg-op.c; barriers are kept since
# 8.1, commit c914d46d0a64). Then a notification can be lost, and the queue stands still for good.
SPARE_PROCESSORS = 1


@dataclass(frozen=True)
class Profile:
    """One guest machine, as its file describes it, with the kernel `linux`. `memory_mib` is in MiB. `recipe` names the
    QEMU that it runs on if that is built here (vm-image/qemu).

    `binary`, `confined` and `instead` are an answer's: another program, a folder for what it takes to run it confined
    (see host/sandbox), and cards in place of those of that name.
    """

    name: str
    title: str
    machine: str
    memory_mib: int
    cpus: int
    devices: tuple[str, ...]
    kernel_arguments: tuple[str, ...]
    linux: Kernel
    recipe: str = ""
    cards: tuple[Card, ...] = ()
    binary: str = ""
    confined: Path | None = None
    instead: tuple[Card, ...] = ()

    @cached_property
    def qemu(self) -> str:
        """The program. One that is built here is built now, if need be."""
        return self.binary or (str(qemu.built(self.recipe).binary) if self.recipe else qemu.stock())

    @property
    def program(self) -> list[str]:
        """QEMU, and where it finds its firmware if it is not Debian's."""
        return [self.qemu, *(word for folder in qemu.FIRMWARE for word in ("-L", folder) if self.recipe)]

    @property
    def kept(self) -> "Profile":
        """The profile whose snapshot this one goes on from: its file's, without what is an answer's."""
        return replace(self, binary="", confined=None, instead=())

    def command(self, image: Image, acceleration: str, ram: Path, shared: bool, port: int) -> list[str]:
        """QEMU's command line up to what differs between a cold boot and a restore.

        `ram` is the file that holds guest memory; `shared` writes to it, else it is copied on
        write. `port` on the host's loopback leads to the guest's sshd, and nothing leads out.
        """
        memory = f"memory-backend-file,id=ram,size={self.memory_mib}M,mem-path={paths.in_option(ram)}"
        command = [
            *self.program,
            "-nodefaults",
            "-no-user-config",
            "-no-reboot",
            *SANDBOX,
            "-display",
            "none",
            "-machine",
            f"{self.machine},memory-backend=ram",
            "-object",
            f"{memory},share={'on' if shared else 'off'}",
            "-accel",
            "tcg,thread=multi" if acceleration == "tcg" else acceleration,
            "-cpu",
            EMULATED_CPU if acceleration == "tcg" else "host",
            "-m",
            f"{self.memory_mib}M",
            "-smp",
            f"{self.cpus},maxcpus={self.cpus + SPARE_PROCESSORS}" if acceleration == "tcg" else f"{self.cpus}",
            "-drive",
            f"file={paths.in_option(image.disk)},format=raw,if=virtio,readonly=on",
            "-netdev",
            f"user,id=net0,restrict=on,hostfwd=tcp:127.0.0.1:{port}-:22",
            "-device",
            "virtio-net-pci,netdev=net0,romfile=",
        ]
        for device in self.devices:
            command += ["-device", device]
        return command + cards.arguments(self.cards)

    def kernel(self, vmlinux: Path, initramfs: Path) -> list[str]:
        """What a cold boot has besides: a restored guest has its kernel in memory."""
        arguments = ["console=ttyS0", *self.kernel_arguments, *cards.kernel_arguments(self.cards)]
        return ["-kernel", str(vmlinux), "-initrd", str(initramfs), "-append", " ".join(arguments)]


def profile(name: str = "stock") -> Profile:
    """The profile of that name, which may be one `on` another kernel than the book's; raises with the known ones."""
    known = {on(plain, linux): (plain, linux) for linux in kernels() for plain in names()}
    if name not in known:
        raise LabError(f"no profile {name!r}; there are: {', '.join(known)}", "./lab up", Status.USAGE)
    plain, linux = known[name]
    read = tomllib.loads((PROFILES / f"{plain}.toml").read_text())
    return Profile(
        name=name,
        title=read["title"],
        machine=read["machine"],
        memory_mib=read["memory_mib"],
        cpus=read["cpus"],
        devices=tuple(read["devices"]),
        kernel_arguments=tuple(read["kernel_arguments"]),
        linux=linux,
        recipe=read.get("qemu", ""),
        cards=tuple(Card(**card) for card in read.get("cards", [])),
    )


def on(name: str, linux: Kernel | None) -> str:
    """The name of this profile with that kernel, or with the book's, by which its snapshot and its guest are told from
    others."""
    return name + (linux.suffix if linux else "")


def names(linux: Kernel | None = None) -> list[str]:
    """The profiles that there are with this kernel, or with the book's, the stock one first."""
    plain = sorted((file.stem for file in PROFILES.glob("*.toml")), key=lambda name: (name != "stock", name))
    return [on(name, linux) for name in plain]
