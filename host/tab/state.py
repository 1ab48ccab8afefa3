"""What is the tab's kernel, and how is it made? Debian's kernel boots once in the emulator, brings up chapter 1's
hosts, and its memory is saved; emulator and state are one pair, described by state.json."""

import hashlib
import json
import shutil
import subprocess
import time
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from host import store
from host.errors import LabError
from host.phases import phase
from host.tab import licences, node, packages
from host.tab.initramfs import SOURCES, initramfs

# Of the machine, when it is saved and each time it is restored. 64 MiB do not boot: the emulator lays the
# initramfs there. No network device: nothing can leave.
SETTINGS = {
    "memory_size": 96 << 20,
    "vga_memory_size": 1 << 20,
    "disable_keyboard": True,
    "disable_mouse": True,
    "disable_speaker": True,
}
# Freed pages are zero, so that the state packs well; the rest is what this machine does not need.
CMDLINE = (
    "console=ttyS0 quiet nokaslr mitigations=off tsc=reliable init_on_free=1 init_on_alloc=0 apparmor=0 audit=0 "
    "lsm= cryptomgr.notests panic=-1"
)
BOOT_FILES = {
    "vmlinuz": "boot/vmlinuz-*",
    "bios.bin": "usr/share/seabios/bios.bin",
    "vgabios.bin": "usr/share/seabios/vgabios-stdvga.bin",
}
KEPT = ("state.zst", "libv86.js", "v86.wasm")
# live.js and protocol.js are none of them: they restore what was saved, and may change without it.
MADE_OF = [*SOURCES, *(node.TAB / name for name in ("init", "shell", "packages.toml", "node.mjs"))]


@dataclass(frozen=True)
class State:
    """A saved kernel with its emulator."""

    folder: Path

    @cached_property
    def described(self) -> dict:
        """state.json."""
        return json.loads((self.folder / "state.json").read_text())

    def megabytes(self, name: str) -> float:
        """The size of one of its files, in MB."""
        return (self.folder / name).stat().st_size / 1e6


def state() -> State:
    """The state that vm-image/tab/ describes, made if need be (half a minute, once; with all fetched)."""
    fetched, emulator = packages.fetched(), node.emulator()

    def make(folder: Path) -> None:
        for name in node.EMULATOR.values():
            shutil.copy(emulator / name, folder / name)
        boot, held = _boot(fetched, folder)
        described = _booted(folder)
        for name in boot:
            (folder / name).unlink()
        (folder / "state.json").write_text(
            json.dumps(
                {
                    **described,
                    "recipe": _recipe(),
                    "settings": SETTINGS,
                    "cmdline": CMDLINE,
                    "date": time.strftime("%Y-%m-%d"),
                    "files": {name: _hashed(folder / name) for name in KEPT},
                    "suite": packages.recipe()["suite"],
                    "packages": held,
                    "v86": node.locked()["v86"]["version"],
                    "npm": {
                        name: {"version": entry["version"], "licences": [entry["license"]]}
                        for name, entry in node.locked().items()
                    },
                },
                indent=1,
            )
        )

    return State(store.build_once("tab", store.key_of(json.dumps(fetched.versions), _recipe()), make, 500))


def there() -> State | None:
    """The newest state of this checkout's recipe, whatever its packages' versions; None if none was made."""
    made = [State(file.parent) for file in store.stored("tab-*/state.json") if store.damage(file.parent) is None]
    ours = [state for state in made if state.described.get("recipe") == _recipe()]
    return max(ours, key=lambda state: state.folder.stat().st_mtime, default=None)


def _recipe() -> str:
    return store.key_of(json.dumps(SETTINGS), CMDLINE, *MADE_OF, *node.LOCK, node.REQUIREMENTS)


def _boot(fetched: packages.Packages, folder: Path) -> tuple[list[str], dict[str, dict]]:
    """Lays what the emulator boots from into the folder, and the copyright files; the names of what it boots from,
    and the packages with their licences."""
    unpacked, wanted = folder / "unpacked", packages.recipe()
    unpacked.mkdir()
    with phase("tab: making the initramfs"):
        fetched.unpack(unpacked)
        for name, pattern in BOOT_FILES.items():
            shutil.copy(next(unpacked.glob(pattern)), folder / name)
        (folder / "initramfs").write_bytes(initramfs(unpacked, wanted))
        (folder / "boot.json").write_text(json.dumps({"settings": SETTINGS, "cmdline": CMDLINE}))
        (folder / licences.ARCHIVE).write_bytes(licences.packed(unpacked, fetched.held))
        named = licences.named(unpacked, fetched.held, wanted["licences"])
    shutil.rmtree(unpacked)
    held = {name: {**entry, "licences": named[name]} for name, entry in fetched.held.items()}
    return [*BOOT_FILES, "initramfs", "boot.json"], held


def _booted(folder: Path) -> dict:
    with phase("tab: booting its kernel in the emulator, and saving it"):
        return call("make", folder)


def call(verb: str, folder: Path, *words: str) -> dict:
    """What node.mjs answers to a verb; its error becomes ours."""
    result = subprocess.run(
        [node.node(), node.TAB / "node.mjs", verb, folder, *words],
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
    )
    try:
        answer = json.loads(result.stdout)
    except ValueError:
        said = (result.stdout + result.stderr).strip()[-800:]
        answer = {"error": f"expected one JSON object from Node, found (status {result.returncode}): {said}"}
    if "error" in answer:
        raise LabError(f"tab: {answer['error']}", f"rm -r {folder} && ./lab tab" if verb == "run" else "./lab tab")
    return answer


def _hashed(file: Path) -> dict:
    return {"sha256": hashlib.sha256(file.read_bytes()).hexdigest(), "bytes": file.stat().st_size}
