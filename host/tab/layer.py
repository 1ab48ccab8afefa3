"""What lies in the tab's guest above Debian's packages? The lab's own Python, the fork server's second door, and what
is made for it elsewhere; on a disk of its own, because it changes often and is small."""

import itertools
import json
import subprocess
import tempfile
from collections.abc import Iterator
from pathlib import Path

from host import store
from host.debian import root as disks
from host.paths import REPOSITORY, VM_IMAGE
from host.tab import btf, tracers
from host.tab.root import TAB, Root, recipe
from host.vm.labs_sync import contents

LAB = "root/lab"  # where fork_server.py looks for it, labs.pth too
OURS = "usr/local/lib/lab"
OBJECTS = f"{OURS}/objects"  # where labs/trace/objects.py looks for what it cannot make
SHARED = ("fork_server.py", "mounts.sh")  # of what is in the VM
SENT = ("core/", "labs/")  # tests/guest are the VM's
# Begun before a state is saved, by the state's name: chapter 1's network stands, and who asks for the same goes on from
# there. The guest begins the first one when it boots.
HELD = {
    "state.zst": {"module": "labs", "arguments": ["live", "frag-needed"]},
    "cells.zst": {"module": "labs", "arguments": ["cells", "frag-needed"]},
}


def files() -> Iterator[tuple[str, bytes]]:
    """Each file of ours, by its path in the guest."""
    for name in contents():
        if name.startswith(SENT):
            yield f"{LAB}/{name}", (REPOSITORY / name).read_bytes()
    for name in SHARED:
        yield f"{OURS}/{name}", (VM_IMAGE / "rootfs" / OURS / name).read_bytes()
    for file in sorted((TAB / "rootfs").rglob("*")):
        if file.is_file():
            yield file.relative_to(TAB / "rootfs").as_posix(), file.read_bytes()
    yield f"{OURS}/modules", " ".join(recipe()["modules"]).encode()
    yield f"{OURS}/held.json", json.dumps([*HELD.values()][0]).encode()


def key() -> str:
    """Of all of them, and of what the tracers' files are made of besides."""
    return store.key_of(*(part for path, data in files() for part in (path, data)), btf.DECLARED)


def laid(disk: Path, base: Root) -> None:
    """Make the disk that goes with this root file system."""
    for_tracers = ((f"{OBJECTS}/{file.name}", file.read_bytes()) for file in tracers.files(base))
    with tempfile.TemporaryDirectory(dir=disk.parent) as folder:
        for path, data in itertools.chain(files(), for_tracers):
            file = Path(folder) / path
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_bytes(data)
            file.chmod(0o755 if data.startswith(b"#!") else 0o644)
        for each in (Path(folder), *Path(folder).rglob("*")):
            if each.is_dir():
                each.chmod(0o755)
        same = ["-all-root", "-all-time", "0", "-mkfs-time", "0"]  # the same bytes each time
        subprocess.run([*disks.squashing(folder, disk), *same], check=True, stdout=subprocess.DEVNULL)
