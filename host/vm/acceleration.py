"""Does KVM really run a kernel here? Only a kernel that prints its first line proves it.

/dev/kvm can exist, answer its ioctls, run the firmware, and still spin for ever when the kernel
starts (nested virtualisation without the right CPU features). So a bare kernel is booted on it
once for each QEMU and image, with a deadline, and what came of it is kept until this host boots another kernel.
"""

import functools
import json
import os
import platform
import subprocess
from collections.abc import Sequence
from dataclasses import dataclass

from core.waiting import poll
from host.paths import cache
from host.phases import say
from host.store import key_of
from host.vm.image import Image

DEADLINE_S = 10


@dataclass(frozen=True)
class Acceleration:
    """`name` is QEMU's ("kvm" or "tcg"); `reason` says how that was found out."""

    name: str
    reason: str


def processor(accelerated_by: str) -> str:
    """What of this machine's processor a guest sees: its model and features under KVM, else nothing."""
    if accelerated_by == "tcg":
        return ""
    with open("/proc/cpuinfo") as file:
        return "".join(sorted({line for line in file if line.startswith(("model name", "flags"))}))


@functools.cache
def qemu_version(qemu: str = "qemu-system-x86_64") -> str:
    """QEMU's version, as in "7.2.22"."""
    out = subprocess.run([qemu, "--version"], capture_output=True, text=True, check=True).stdout
    return out.split("version ")[1].split()[0]


def acceleration(image: Image, program: Sequence[str] = ("qemu-system-x86_64",)) -> Acceleration:
    """KVM where a kernel boots on it, TCG elsewhere; remembered. `program` is QEMU with the options
    without which it does not start (where its firmware is)."""
    device = os.environ.get("LAB_KVM_DEVICE", "/dev/kvm")
    if not os.path.exists(device):
        return Acceleration("tcg", f"{device} does not exist")
    if not os.access(device, os.R_OK | os.W_OK):
        return Acceleration("tcg", f"{device} may not be opened; to try it: sudo adduser $USER kvm, log in anew")
    remembered = cache() / f"acceleration-{key_of(*program, image.folder.name)}.json"
    situation = [qemu_version(program[0]), platform.release(), device]
    try:
        kept = json.loads(remembered.read_text())
        if kept["situation"] == situation:
            return Acceleration(kept["name"], kept["reason"])
    except (OSError, ValueError, KeyError, TypeError):
        pass
    found = _try_kvm(image, program)
    say(f"acceleration: {found.name} ({found.reason})")
    remembered.write_text(json.dumps({"situation": situation, "name": found.name, "reason": found.reason}))
    return found


def _try_kvm(image: Image, program: Sequence[str]) -> Acceleration:
    """Boot the image's kernel without a disk on KVM and wait for its first line."""
    process = subprocess.Popen(
        [
            *program,
            "-accel",
            "kvm",
            "-cpu",
            "host",
            "-m",
            "256M",
            "-nodefaults",
            "-display",
            "none",
            "-no-reboot",
            "-kernel",
            str(image.vmlinuz),
            "-append",
            "console=ttyS0 panic=-1",
            "-serial",
            "stdio",
        ],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
    )
    os.set_blocking(process.stdout.fileno(), False)
    seen = bytearray()

    def came_to() -> Acceleration | None:
        seen.extend(process.stdout.read() or b"")
        if b"Linux version" in seen:
            return Acceleration("kvm", "a kernel booted on it")
        if process.poll() is not None:
            why = seen.decode(errors="replace").strip().splitlines()
            return Acceleration("tcg", f"QEMU refused KVM: {why[-1] if why else process.returncode}")
        return None

    try:
        silent = Acceleration("tcg", f"KVM answers, but a kernel printed nothing on it in {DEADLINE_S} s")
        return poll(came_to, DEADLINE_S, 0.05) or silent
    finally:
        process.kill()
        process.wait()
