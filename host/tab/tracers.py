"""What do the lab's tracers need in the tab's guest, where there is no compiler? Their objects, which the VM compiles,
and type information for the kernel."""

import subprocess
from collections.abc import Iterator
from pathlib import Path

from host import store
from host.phases import phase
from host.tab.btf import btf
from host.tab.root import Root
from host.vm import guests, labs_sync
from host.vm.ssh import module_command

BITS = "32"
MADE_IN = "/run/for-the-tab"  # in the VM
MADE_BY = ("labs/trace/objects.py", "labs/trace/event.h", "labs/trace/object.h")


def files(base: Root) -> Iterator[Path]:
    """All of them, for the kernel of this root file system."""
    kernel = f"linux-image-{base.release}"
    yield btf(kernel, base.packages[kernel]["version"])
    yield from sorted(objects().glob("*.o"))


def objects() -> Path:
    """The folder of the objects, made if need be."""

    def make(folder: Path) -> None:
        with phase("tab: compiling its tracers, in the VM"), guests.throwaway() as guest:
            guest.connection.run(module_command("labs.trace.objects", BITS, MADE_IN), check=True)
            packed = guest.connection.run(["tar", "-C", MADE_IN, "-c", "."], check=True, stdout=subprocess.PIPE).stdout
        subprocess.run(["tar", "-C", folder, "-x"], input=packed, check=True)

    return store.build_once("tab-objects", store.key_of(*(part for pair in made_of().items() for part in pair)), make)


def made_of() -> dict[str, str]:
    """Each file that has a part in the objects, with its hash."""
    return {name: seen for name, seen in labs_sync.contents().items() if name in MADE_BY or name.endswith(".bpf.c")}
