"""What lies in the tab's guest above Debian's packages? The lab's own Python, the fork server's second door, and what
is made for it elsewhere; on a disk of its own, because it changes often and is small."""

import json
import subprocess
import tempfile
from collections.abc import Iterator
from pathlib import Path

from host import store
from host.debian import root as disks
from host.paths import REPOSITORY, VM_IMAGE
from host.tab.root import TAB, recipe
from host.vm.parcel import contents

LAB = "root/lab"  # where fork_server.py looks for it, labs.pth too
OURS = "usr/local/lib/lab"
SHARED = ("fork_server.py", "mounts.sh")  # of what is in the VM
SENT = ("core/", "labs/")  # tests/guest are the VM's
# Begun before the state is saved: chapter 1's network stands, and who asks for this goes on from there.
HELD = {"module": "labs", "arguments": ["live", "frag-needed"]}


def files() -> Iterator[tuple[str, bytes]]:
    """Each file, by its path in the guest."""
    for name in contents():
        if name.startswith(SENT):
            yield f"{LAB}/{name}", (REPOSITORY / name).read_bytes()
    for name in SHARED:
        yield f"{OURS}/{name}", (VM_IMAGE / "rootfs" / OURS / name).read_bytes()
    for file in sorted((TAB / "rootfs").rglob("*")):
        if file.is_file():
            yield file.relative_to(TAB / "rootfs").as_posix(), file.read_bytes()
    yield f"{OURS}/modules", " ".join(recipe()["modules"]).encode()
    yield f"{OURS}/held.json", json.dumps(HELD).encode()
    yield from objects()


def objects() -> Iterator[tuple[str, bytes]]:
    """The tracers' objects for 32 bits, by their path in the guest: below OURS/objects, as labs/trace/objects.py names
    them. None yet."""
    yield from ()


def key() -> str:
    """Of all of them."""
    return store.key_of(*(part for path, data in files() for part in (path, data)))


def laid(disk: Path) -> None:
    """Make the disk."""
    with tempfile.TemporaryDirectory(dir=disk.parent) as folder:
        (Path(folder) / OURS / "objects").mkdir(parents=True)
        for path, data in files():
            file = Path(folder) / path
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_bytes(data)
            file.chmod(0o755 if data.startswith(b"#!") else 0o644)
        for each in (Path(folder), *Path(folder).rglob("*")):
            if each.is_dir():
                each.chmod(0o755)
        same = ["-all-root", "-all-time", "0", "-mkfs-time", "0"]  # the same bytes each time
        subprocess.run([*disks.squashing(folder, disk), *same], check=True, stdout=subprocess.DEVNULL)
