"""What is the tab's guest, and how is it made? It boots once in the emulator, brings chapter 1's network up, and its
memory is saved; then once more, ready for the cells of a notebook. Emulator, disks and these states belong together,
described by state.json."""

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
from host.tab import layer, licences, node, pieces, root

# Of the machine, when it is saved and each time it is restored. The second serial line is the page's way in. No network
# device: nothing can leave.
SETTINGS = {
    "memory_size": 256 << 20,
    "vga_memory_size": 1 << 20,
    "disable_keyboard": True,
    "disable_mouse": True,
    "disable_speaker": True,
    "uart1": True,
}
# Freed pages are zero, so that the state packs well; the disks are the root and what lies above it; the rest is what
# this machine does not need.
CMDLINE = (
    "console=ttyS0 quiet disks=sda,sdb nokaslr mitigations=off tsc=reliable init_on_free=1 init_on_alloc=0 apparmor=0 "
    "audit=0 lsm= cryptomgr.notests panic=-1"
)
KEPT = (*layer.HELD, "libv86.js", "v86.wasm")
# live.js is one of them, because the control of the checks is measured by its clock before the guest is saved.
MADE_OF = [*(node.TAB / name for name in ("packages.toml", "node.mjs", "disk.js", "live.js")), Path(pieces.__file__)]


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
    """The state that vm-image/ describes, made if need be (two minutes, once; with all fetched)."""
    base, emulator = root.built(), node.emulator()

    def make(folder: Path) -> None:
        for name in node.EMULATOR.values():
            shutil.copy(emulator / name, folder / name)
        disks, held = _boot(base, folder)
        with phase("tab: booting its guest in the emulator, and saving it"):
            described = call("make", folder)
        for name in (*root.BOOT, "boot.json"):
            (folder / name).unlink()
        (folder / "state.json").write_text(
            json.dumps(
                {
                    **described,
                    "recipe": _recipe(),
                    "settings": SETTINGS,
                    "cmdline": CMDLINE,
                    "disks": disks,
                    "held": layer.HELD,
                    "date": time.strftime("%Y-%m-%d"),
                    "files": {name: _hashed(folder / name) for name in KEPT},
                    "suite": root.recipe()["suite"],
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

    return State(store.build_once("tab", store.key_of(base.folder.name, _recipe()), make, 800))


def newest_stored() -> State | None:
    """The newest state of this checkout's recipe, whatever its packages' versions; None if none was made."""
    made = [State(file.parent) for file in store.stored("tab-*/state.json") if store.damage(file.parent) is None]
    ours = [state for state in made if state.described.get("recipe") == _recipe()]
    return max(ours, key=lambda state: state.folder.stat().st_mtime, default=None)


def _recipe() -> str:
    return store.key_of(
        json.dumps([SETTINGS, layer.HELD]), CMDLINE, layer.key(), *MADE_OF, *node.LOCK, node.REQUIREMENTS
    )


def _boot(base: root.Root, folder: Path) -> tuple[dict, dict[str, dict]]:
    """Lays what the emulator boots from into the folder, the disks' pieces, and the copyright files; the disks as
    disk.js knows them, and the packages with their licences."""
    for name in root.BOOT:
        shutil.copy(base.folder / name, folder / name)
    (folder / pieces.FOLDER).mkdir()
    above = folder / "layer.squashfs"
    layer.laid(above, base)
    disks = {name: pieces.cut(disk, folder / pieces.FOLDER) for name, disk in {"hda": base.disk, "hdb": above}.items()}
    above.unlink()
    (folder / "boot.json").write_text(
        json.dumps({"settings": SETTINGS, "cmdline": CMDLINE, "disks": disks, "held": layer.HELD})
    )
    (folder / licences.ARCHIVE).write_bytes(licences.packed(base.texts))
    named = licences.named(base.texts, base.packages, root.recipe()["licences"])
    return disks, {name: {**entry, "licences": named[name]} for name, entry in base.packages.items()}


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
        raise LabError(f"tab: {answer['error']}", f"rm -r {folder} && ./lab tab" if verb == "ask" else "./lab tab")
    return answer


def _hashed(file: Path) -> dict:
    return {"sha256": hashlib.sha256(file.read_bytes()).hexdigest(), "bytes": file.stat().st_size}
