"""What does this machine have, and what does it lack? Each line with the command that fixes it."""

import os
import platform
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

from host import store
from host.debian import archive, installed, namespaces, pins
from host.debian.root import NEEDS_MIB
from host.paths import FETCHING, cache, run
from host.sandbox import confined
from host.vm import image, machine
from host.vm.acceleration import acceleration, qemu_version
from host.vm.image import Kernel, kernels, the_books
from host.vm.profile import names

TRIED = ("12", "13")  # releases of Debian, as in README


@dataclass(frozen=True)
class Finding:
    """One thing looked at: whether it is `good`, what was found, and the command that fixes it (`mend`)."""

    good: bool
    what: str
    found: str
    mend: str = ""


def examine() -> list[Finding]:
    """Look at everything, change nothing (but try KVM once, if there is an image to boot)."""
    return [
        _architecture(),
        _system(),
        *_packages(),
        *_fetchers(),
        _build_mode(),
        _qemu_build(),
        _confined(),
        _disk(),
        _disk_of_builds(),
        _disk_of_guests(),
        _memory(),
        *_image_and_acceleration(),
        *_kernels(),
    ]


def _architecture() -> Finding:
    machine = platform.machine()
    return Finding(
        machine == "x86_64",
        "processor",
        machine,
        "" if machine == "x86_64" else "the labs need x86_64; read the recorded book: ./lab book",
    )


def _system() -> Finding:
    """Which system this is. Another may do as well, so it is no fault; but nobody has tried."""
    try:
        release = platform.freedesktop_os_release()
    except OSError:
        release = {}
    tried = release.get("ID") == "debian" and release.get("VERSION_ID") in TRIED
    where = "the labs are tried there" if tried else f"the labs are tried on Debian {' and '.join(TRIED)} only"
    return Finding(True, "system", f"{release.get('PRETTY_NAME', 'no name')}; {where}")


def _packages() -> list[Finding]:
    lacking = installed.missing(name for name in installed.LAB if name != "newuidmap")
    found = "all there" if not lacking else f"missing: {' '.join(lacking)}"
    findings = [Finding(not lacking, "Debian packages", found, installed.install_command(lacking) if lacking else "")]
    if shutil.which("qemu-system-x86_64"):
        findings.append(Finding(True, "QEMU", qemu_version()))
    return findings


def _fetchers() -> list[Finding]:
    """What apt, mmdebstrap, pip and npm get; that one gets nothing is no fault where nothing is left for it to fetch,
    as on a machine that was made ready and then taken off the network."""
    spared = {
        "apt": "" if installed.missing(installed.LAB) else "all packages are there",
        "mmdebstrap": "the guest image is there" if image.stored() else "",
        "pip": "only the tab's kernel, the bundle, the tests and the PDF still ask it",
        "npm": "only the tab's kernel asks it: ./lab tab, bundle, test, bench",
    }
    asked: list[str | Path] = ["sh", FETCHING / "doctor.sh", sys.executable, cache()]
    answers = subprocess.run(asked, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, text=True).stdout
    findings = []
    for mark, name, found, to_set in (line.split("\t") for line in answers.splitlines()):
        if mark != "ok" and spared[name]:
            mark, found = "ok", f"{found}; {spared[name]}"
        findings.append(Finding(mark == "ok", name, found, to_set))
    return findings


def _build_mode() -> Finding:
    if found := namespaces.forbidden():
        why, mend = found
        if image.is_built(the_books()):  # in a container, say, which brings it
            return Finding(True, "image build", f"{why}; the guest image is there")
        return Finding(False, "image build", why, mend)
    if os.getuid() == 0:
        return Finding(True, "image build", "as root")
    lacking = installed.missing(["newuidmap"])
    if lacking:
        return Finding(
            False,
            "image build",
            "newuidmap is missing, so it cannot be done without root",
            installed.install_command(lacking),
        )
    return Finding(True, "image build", "in a user namespace")


def _qemu_build() -> Finding:
    """Whether a QEMU can be built. None is needed before chapter 2 is opened, so a lack is no fault."""
    lacking = installed.missing(installed.QEMU_BUILD)
    if not lacking:
        return Finding(True, "QEMU build", "compiler and libraries are there (chapter 2 builds one)")
    return Finding(
        True,
        "QEMU build",
        f"chapter 2 builds one and will ask for: {' '.join(lacking)}",
        installed.install_command(lacking),
    )


def _confined() -> Finding:
    """Whether programs can be confined. If not, all runs but chapter 2's last exercise, which says so."""
    why, _, mend = confined.refusal().partition(" Next: ")
    found = "QEMU, and a reader's C, are kept in by bubblewrap"
    if why:
        found = f"QEMU runs as you, and chapter 2's exercise in C will be refused: {why}"
    return Finding(True, "confinement", found, mend)


def _disk() -> Finding:
    return _room("disk", cache(), "XDG_CACHE_HOME", bool(store.stored("snapshot-*/state")))


def _disk_of_builds() -> Finding:
    """Where the guest is unpacked while its image is made; it may be another disk than the cache's."""
    return _room("disk of builds", archive.unpacks_in(), "TMPDIR", bool(image.stored()))


def _room(what: str, folder: Path, variable: str, is_built: bool) -> Finding:
    """Whether a first build fits into this folder, which the variable names, or none is needed any more."""
    elsewhere = f"set {variable} to a folder with more"
    try:
        free_mib = shutil.disk_usage(folder).free >> 20
    except OSError as error:
        return Finding(is_built, what, str(error), "" if is_built else elsewhere)
    good = is_built or free_mib >= NEEDS_MIB
    found = f"{free_mib} MiB free in {folder} (a first build needs {NEEDS_MIB})"
    return Finding(good, what, found, "" if good else f"free some, or {elsewhere}")


def _disk_of_guests() -> Finding:
    try:
        free_mib = shutil.disk_usage(run()).free >> 20
    except OSError as error:  # a full disk; or a folder of that name that is not ours
        return Finding(False, "disk of guests", str(error), "free some, or remove what it names")
    good = free_mib >= machine.NEEDS_MIB
    return Finding(
        good,
        "disk of guests",
        f"{free_mib} MiB free in {run()} (each needs {machine.NEEDS_MIB})",
        "" if good else "free some",
    )


def _memory() -> Finding:
    with open("/proc/meminfo") as file:
        mib = next(int(line.split()[1]) >> 10 for line in file if line.startswith("MemAvailable"))
    return Finding(
        mib >= 1500, "memory", f"{mib} MiB available (a guest has 1024)", "" if mib >= 1500 else "end something large"
    )


def _image_and_acceleration() -> list[Finding]:
    images = image.stored()
    if not images:
        return [Finding(True, "guest image", "not built yet: ./lab up builds it, in two to four minutes")]
    newest = images[0]
    packed_mib = newest.disk.stat().st_size >> 20
    findings = [Finding(True, "guest image", f"kernel {newest.release}, {packed_mib} MiB packed")]
    if shutil.which("qemu-system-x86_64"):
        how = acceleration(newest)
        slow = "" if how.name == "kvm" else "; the labs work, several times slower"
        findings.append(Finding(True, "acceleration", f"{how.name}: {how.reason}{slow}"))
    return findings


def _kernels() -> list[Finding]:
    """Which kernels' images there are, whether of the recorded versions, and what each takes of the disk."""
    return [Finding(True, f"kernel {linux.name}", f"{linux.title}; {_kept(linux)}") for linux in kernels()]


def _kept(linux: Kernel) -> str:
    """What is kept of guests with this kernel."""
    images = image.stored(linux)
    if not images:
        return f"not built yet: ./lab run CASE --kernel {linux.name} does it"
    snapshots = [kept for name in names(linux) for kept in store.stored(f"snapshot-{name}-{store.ANY_KEY}")]
    image_mib, snapshots_mib = store.mib(one.folder for one in images), store.mib(snapshots)
    unlike = pins.differing(images[0].packages, image.recorded(linux))
    versions = f"not of the recorded versions ({unlike})" if unlike else "of the recorded versions"
    return f"{images[0].release}, {versions}, images {image_mib} MiB, snapshots {snapshots_mib} MiB"
