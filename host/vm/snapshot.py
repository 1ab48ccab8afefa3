"""Why does a guest start in under a second? It never boots: it goes on from a snapshot.

After the first cold boot the machine is stopped and kept: its memory is a file that QEMU wrote
through (`share=on`), its device state a stream of under a megabyte, its disk a squashfs that
nobody writes. A restored guest maps the memory file copy-on-write, so any number of guests go on
from the same snapshot and share every page that they do not touch.
"""

import contextlib
import functools
import json
import os
import subprocess
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import cast

from qemu.qmp import QMPError
from qemu.qmp.legacy import QEMUMonitorProtocol

from core.waiting import poll
from host import paths, store
from host.errors import LabError
from host.phases import phase, say
from host.sandbox import confined
from host.vm import boot_files, hotplug, labs_sync, machine, ssh
from host.vm.acceleration import Acceleration, acceleration, processor, qemu_version
from host.vm.image import Image, image, need
from host.vm.machine import Guest, GuestDied, GuestSilent
from host.vm.profile import Profile, profile

BOOT_DEADLINE_S = 600  # ten times what it takes on two cores under emulation, for a machine that is busy
MONITOR_DEADLINE_S = 120  # for what takes QEMU milliseconds
KEEP_DEADLINE_S = 60
RUN_DEADLINE_S = 20
UNDER_WAY = ("none", "setup", "active", "device")  # a migration, as QEMU calls its steps
VMLINUX, INITRAMFS = "vmlinux", "initramfs"
KEPT_AS = "ram.json"  # beside guest memory: which file that was, and when it was written last
# What the control protocol raises when QEMU ends in the middle of it.
QMP_ERRORS = (EOFError, OSError, QMPError)


@functools.cache
def machine_setup(which: str | Profile) -> tuple[Profile, Image, Acceleration]:
    """The profile (by its name, or itself), its image and the acceleration, all made or found out if
    need be."""
    ours = which if isinstance(which, Profile) else profile(which)
    need(ours.linux)
    disk = image(ours.linux)
    return ours, disk, acceleration(disk, ours.kept.program)


def snapshot(which: str | Profile = "stock") -> Path:
    """The folder of the snapshot (`ram`, `state`), made by one cold boot if need be."""
    ours, disk, how = machine_setup(machine_setup(which)[0].kept)
    # Memory fits only the very disk, machine and QEMU that it was kept with, under KVM also only
    # the processor; the image's list of files tells one build of the same recipe from the next.
    made_of = [
        *ours.command(Image(Path("image")), how.name, Path("ram"), shared=False, port=0),
        *ours.kernel(Path(VMLINUX), Path(INITRAMFS)),
    ]
    key = store.key_of(
        (disk.folder / store.LIST).read_bytes(),
        ssh.public_keys(),
        qemu_version(ours.qemu),
        processor(how.name),
        KEPT_AS,
        *map(_wherever_it_lies, made_of),
    )
    make = functools.partial(_boot_and_keep, ours, disk, how)
    for _ in range(2):
        # Its own for each user, because QEMU opens for writing what it maps copy-on-write.
        kept = store.build_once(f"snapshot-{ours.name}", key, make, needs_mib=ours.memory_mib + 200, own=True)
        kept_generation = store.generation(kept)
        if not _written_since(kept):
            return kept
        say(f"guest {ours.name}: the memory of its snapshot was written after it was kept; making it again")
        store.discard(f"snapshot-{ours.name}", kept, kept_generation)
    raise LabError(
        f"guest {ours.name}: the memory of its snapshot is written by somebody, time and again: {kept / 'ram'}",
        "leave that file alone, or set XDG_CACHE_HOME to a folder on a disk of this machine; then the same ./lab call",
    )


def _wherever_it_lies(word: str) -> str:
    """A word of a command line without the cache's path: a snapshot fits a copy of that cache as well."""
    return functools.reduce(
        lambda word, base: word.replace(f"{base}/", ""), filter(None, (paths.cache(), paths.shared())), word
    )


def _kept_as(ram: Path) -> list[int]:
    """Which file guest memory is, and when it was changed last. That time (st_ctime) is the kernel's, and not for
    anybody to set back, as st_mtime is (stat(2), utime(2))."""
    found = ram.stat()
    return [found.st_ino, found.st_ctime_ns]


def _written_since(kept: Path) -> bool:
    """Whether a QEMU that goes on from this snapshot has written into its memory, which it is to map copy-on-write: all
    guests after it would go on from that. Of a cache that was copied nothing is known."""
    try:
        file, changed_ns = json.loads((kept / KEPT_AS).read_text())
        found, found_ns = _kept_as(kept / "ram")
    except (OSError, ValueError, TypeError):
        return False
    return file == found and changed_ns != found_ns


def anew(name: str = "stock") -> Path:
    """The snapshot made again, with labs/ as it stands now: what a fresh clone has."""
    kept = snapshot(name)
    store.discard(f"snapshot-{name}", kept, store.generation(kept))
    return snapshot(name)


def _boot_and_keep(ours: Profile, disk: Image, how: Acceleration, folder: Path) -> None:
    ram = folder / "ram"
    with phase(f"guest {ours.name}: first boot, kept as a snapshot (once, {how.name})") as progress:
        with open(ram, "wb") as file:
            # All of it now: a disk that fills up later would kill QEMU in the middle of a write.
            os.posix_fallocate(file.fileno(), 0, ours.memory_mib << 20)
        guest = boot(ours, disk, how, ram, shared=True)
        try:
            machine.wait_for_console(guest, machine.READY_LINE, BOOT_DEADLINE_S, progress)
            for booted in (VMLINUX, INITRAMFS):
                (folder / booted).unlink()
            progress("labs/")
            _bring_labs(guest, folder)
            progress("keeping it")
            _keep(guest, folder / "state")
        except QMP_ERRORS as error:
            raise GuestDied(
                f"QEMU ended while it was kept ({error})\n{machine.last_words(guest)}", "./lab doctor"
            ) from error
        finally:
            guest.end()
        (folder / KEPT_AS).write_text(json.dumps(_kept_as(ram)))


def _bring_labs(guest: Guest, folder: Path) -> None:
    """Have labs/ in the snapshot, compiled, its tracing programs too, and in memory what it takes to reach it: what a
    restored guest gets is then only what has changed."""
    labs_sync.has(folder, labs_sync.contents())
    machine.wake(guest, BOOT_DEADLINE_S)
    guest.connection.run(
        ssh.module_command("compileall", "-q", "-x", "/exercises/[^/]*/start", "core", "labs"), check=True
    )
    guest.connection.run(ssh.module_command("labs.trace.objects"), check=True)
    guest.connection.close()


def boot(ours: Profile, disk: Image, how: Acceleration, ram: Path, shared: bool) -> Guest:
    """A cold boot. The guest is killed when this process ends; what it booted from stays beside `ram`: its kernel,
    unpacked, and its initramfs with the installation's keys."""
    booted = vmlinux, initramfs = ram.with_name(VMLINUX), ram.with_name(INITRAMFS)
    boot_files.unpack(disk.vmlinuz, vmlinux)
    boot_files.with_keys(disk.initramfs, ssh.keys(), initramfs)
    return _start(ours, disk, how, ram, shared, ours.kernel(*booted), outlives_us=False, reads=booted)


def _start(ours, disk, how, ram, shared, options: list[str], outlives_us: bool, reads: Iterable[Path] = ()) -> Guest:
    if ours.confined:
        # It could write into the memory from which others go on: QEMU opens the file for writing, although it maps it
        # copy-on-write (softmmu/physmem.c, file_ram_open()). So it gets one of its own.
        kept, ram = ram, ours.confined / "ram"
        _copied(kept, ram)
    confine = None
    if ours.confined or not ours.binary and _can_confine():
        reads = [disk.disk, Path(ours.qemu), *reads]
        confine = functools.partial(confined.guest, reads=reads, memory=ram, is_an_answers=bool(ours.confined))
    command = functools.partial(ours.command, disk, how.name, ram, shared)
    return machine.start(command, machine.new_folder(), options, outlives_us, confine)


@functools.cache
def _can_confine() -> bool:
    """Whether QEMU can be; if not, the reader is told so, once."""
    why = confined.refusal()
    if why:
        say(f"QEMU runs as you, for nothing here keeps it from your files: {why}")
    return not why


def _copied(kept: Path, ram: Path) -> None:
    """A copy of a gigabyte of which most was never written, so it takes a third of that."""
    copying: list[str | Path] = ["setpriv", "--pdeathsig", "KILL", "cp", "--reflink=auto", "--sparse=always", kept, ram]
    result = subprocess.run(copying, stdin=subprocess.DEVNULL, capture_output=True, text=True)
    if result.returncode != 0:
        raise LabError(f"the guest's memory could not be copied: {result.stderr.strip()}", "free some space there")


class _Monitor(QEMUMonitorProtocol):
    """QEMU's control protocol, which gives QEMU until the deadline to answer, be it stopped or stuck."""

    def _sync(self, future, timeout=None):  # the one way by which all of it waits; settimeout() is for commands alone
        try:
            return super()._sync(future, timeout or MONITOR_DEADLINE_S)
        except TimeoutError:
            if timeout:  # whoever waits for an event is told that there was none
                raise
            raise GuestDied(f"QEMU runs and has not answered for {MONITOR_DEADLINE_S} s", "./lab doctor") from None


@contextlib.contextmanager
def _monitor(guest: Guest):
    """QEMU's control protocol, with guest memory kept out of the device state's stream."""
    monitor = _Monitor(str(guest.folder / "qmp"))
    try:
        try:
            monitor.connect()
        except AssertionError as error:  # qemu.qmp's own, of a QEMU that ends as soon as it has greeted
            raise EOFError("it ended as soon as it had greeted") from error
        capability = {"capability": "x-ignore-shared", "state": True}
        monitor.cmd("migrate-set-capabilities", capabilities=[capability])
        yield monitor
    finally:
        with contextlib.suppress(*QMP_ERRORS, GuestDied):
            monitor.close()


@contextlib.contextmanager
def _copy_in_memory(file: Path) -> Iterator[int]:
    """A descriptor of a copy that has no path. One of the file itself, though open for reading, could be opened anew
    for writing (/proc/self/fd), also out of namespaces in which the file cannot be seen."""
    copy = os.memfd_create(file.name)
    try:
        os.write(copy, file.read_bytes())
        os.lseek(copy, 0, os.SEEK_SET)
        yield copy
    finally:
        os.close(copy)


def _given(monitor: QEMUMonitorProtocol, descriptor: int) -> str:
    """QEMU's address for an open file, which it is given: it may start no program that reads or writes one."""
    monitor.send_fd_scm(descriptor)
    monitor.cmd("getfd", fdname="state")
    return "fd:state"


def _keep(guest: Guest, state: Path) -> None:
    """Write device state to `state` and end QEMU; memory is in its file already.

    The guest is left running until QEMU stops it for the last step of the migration, so that a
    restored one runs at once (a stream from a stopped machine comes in stopped).
    """
    with _monitor(guest) as monitor, open(state, "wb") as file:
        monitor.cmd("migrate", uri=_given(monitor, file.fileno()))

        def end() -> str:
            status = cast(dict[str, str], monitor.cmd("query-migrate"))["status"]
            return "" if status in UNDER_WAY else status

        if (status := poll(end, KEEP_DEADLINE_S, 0.05)) != "completed":
            why = status or f"not at its end after {KEEP_DEADLINE_S} s"
            raise GuestDied(f"QEMU could not keep the device state ({why})", "./lab doctor")
        with contextlib.suppress(*QMP_ERRORS):
            monitor.cmd("quit")  # QEMU may be gone before it has answered
    poll(lambda: not guest.alive(), 10, 0.05)


def restore(which: str | Profile = "stock", outlives_us: bool = False) -> Guest:
    """A guest that goes on from the snapshot, awake and with labs/ as it stands on the host."""
    return _repaired(which, lambda: _awake(which, outlives_us))


def resume(which: str | Profile = "stock", outlives_us: bool = False) -> Guest:
    """A guest that goes on from the snapshot, not waited for: its clock and its labs/ are the snapshot's."""
    return _repaired(which, lambda: _resumed(which, outlives_us))


def _repaired(which: str | Profile, attempt) -> Guest:
    """Try, and once more, for a machine that is busy may miss a deadline; a snapshot from which neither guest goes on
    is made again, once. Of an answer's machine, only one that was silent is tried again, and the second fault is the
    answer's."""
    tried = snapshot(which)
    tried_generation = store.generation(tried)
    ours = machine_setup(which)[0]

    def attempted() -> Guest:
        try:
            return attempt()
        except FileNotFoundError as error:
            if store.generation(tried) == tried_generation:
                raise
            raise GuestSilent("another ./lab has discarded its snapshot meanwhile", "the same ./lab call") from error

    try:
        return attempted()
    except GuestDied as death:
        if ours != ours.kept and not isinstance(death, GuestSilent):
            raise
        say(f"guest {ours.name}: it does not wake ({death}); trying another")
        with open(paths.lost_guests(), "a") as file:
            file.write(f"{ours.name}: {death.message.splitlines()[0]}\n")
    try:
        return attempted()
    except GuestDied as death:
        if ours != ours.kept:
            raise
        say(f"guest {ours.name}: its snapshot does not wake ({death}); making it again")
        store.discard(f"snapshot-{ours.name}", tried, tried_generation)  # unless another ./lab did meanwhile
        return attempt()


def _awake(which: str | Profile, outlives_us: bool) -> Guest:
    guest = _resumed(which, outlives_us)
    try:
        machine.wake(guest, 60)
        ours = machine_setup(which)[0]
        if ours.instead:
            hotplug.wait_until_seen(guest, len(ours.cards) + 1, ours.instead)
        return guest
    except BaseException:
        guest.end()
        raise


def _resumed(which: str | Profile, outlives_us: bool) -> Guest:
    ours, disk, how = machine_setup(which)
    kept = snapshot(which)
    guest = _start(ours, disk, how, kept / "ram", False, ["-incoming", "defer"], outlives_us)
    try:
        labs_sync.has(guest.folder, json.loads((kept / labs_sync.LIST).read_text()))
        with _monitor(guest) as monitor, _copy_in_memory(kept / "state") as state:
            monitor.cmd("migrate-incoming", uri=_given(monitor, state))
            _wait_until_running(guest, monitor)
            for card in ours.instead:
                hotplug.swap(monitor, card)
    except (*QMP_ERRORS, KeyError, TypeError) as error:  # the last two: an answer that no QEMU of ours gives
        said = machine.last_words(guest)
        guest.end()
        raise GuestDied(f"QEMU ended while it took the snapshot in ({error})\n{said}", "./lab doctor") from error
    except BaseException:
        guest.end()
        raise
    return guest


def _wait_until_running(guest: Guest, monitor: QEMUMonitorProtocol) -> None:
    """A connection made earlier would lose its first packet, and its sender waits six seconds."""

    def came_to() -> str:
        if cast(dict[str, str], monitor.cmd("query-status"))["status"] == "running":
            return "running"
        return "" if guest.alive() else "ended"

    if poll(came_to, RUN_DEADLINE_S) != "running":
        raise OSError("it does not run")
