"""Which QEMU does a profile run on? Debian's, or one built here from Debian's source with a change of
ours: vm-image/qemu/<name>/ holds files to lay over the source (tree/) and patches to apply to it.

The build tree stays in the cache, so that an edit of one file costs seconds (see device.py), and
goes on where it was when it was interrupted.
"""

import json
import os
import re
import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path

from host import store
from host.debian import installed, source
from host.errors import LabError
from host.paths import VM_IMAGE, cache
from host.phases import phase

RECIPES = VM_IMAGE / "qemu"
STOCK = "qemu-system-x86_64"
NEEDS_MIB = 800
# The firmware is that of the packages which the host's own QEMU brings along.
FIRMWARE = ("/usr/share/qemu", "/usr/share/seabios")
# Only what the command line of profile.py needs.
CONFIGURE = [
    "--target-list=x86_64-softmmu",
    "--without-default-features",
    "--without-default-devices",
    "--with-devices-x86_64=packets",
    "--enable-tcg",
    "--enable-kvm",
    "--enable-slirp",
    "--enable-seccomp",
    "--disable-docs",
    "--disable-user",
    "--disable-install-blobs",
    "--disable-debug-info",
    "--disable-werror",
    "--cxx=none",  # else it is linked by the C++ compiler where there is one, which the next machine may lack
]


def stock() -> str:
    """Where Debian's is; its name if it is nowhere."""
    return shutil.which(STOCK) or STOCK


@dataclass(frozen=True)
class Built:
    """A QEMU built here: its source with our changes in it, and the build beside it."""

    folder: Path

    @property
    def source(self) -> Path:
        return self.folder / "source"

    @property
    def build(self) -> Path:
        return self.folder / "build"

    @property
    def binary(self) -> Path:
        return self.build / STOCK

    @property
    def made_in(self) -> Path:
        """The folder that this was when it was configured: another one, if the cache was copied since. Meson writes
        that down in the list of its commands."""
        return Path(json.loads((self.build / "compile_commands.json").read_text())[0]["directory"]).parent


def built(name: str) -> Built:
    """The QEMU of that recipe, built if need be (some minutes, once)."""
    version = (source.fetched("qemu") / "version").read_text()
    key = store.key_of(RECIPES / name, *CONFIGURE, version)
    return Built(store.build_resumable(f"qemu-{name}", key, lambda folder: build(name, folder), NEEDS_MIB))


def build(name: str, folder: Path) -> list[Path]:
    """Build that recipe in `folder`, or go on with it; returns what makes the folder whole."""
    ours = Built(folder)
    installed.need(*installed.QEMU_BUILD)
    if not ours.source.exists():
        _prepare(RECIPES / name, ours)
    if not (ours.build / "build.ninja").exists():
        _configure(ours)
    _compile(name, ours)
    return [ours.binary]


def _prepare(recipe: Path, ours: Built) -> None:
    """Unpack aside, so that a source that is there is whole."""
    aside = ours.folder / "source.part"
    shutil.rmtree(aside, ignore_errors=True)
    with phase("QEMU: unpacking its source"):
        source.unpack("qemu", aside)
        shutil.rmtree(aside / "roms")  # half of it, and not ours to build
        shutil.copytree(recipe / "tree", aside, dirs_exist_ok=True)
        for patch in sorted(recipe.glob("*.patch")):
            source.apply(patch, aside)
    aside.rename(ours.source)


def _configure(ours: Built) -> None:
    shutil.rmtree(ours.build, ignore_errors=True)
    ours.build.mkdir()
    with phase("QEMU: configuring it"), open(log_file(), "w") as log:
        result = subprocess.run(
            ["setpriv", "--pdeathsig", "TERM", "../source/configure", *CONFIGURE],
            cwd=ours.build,
            env=environment(),
            stdin=subprocess.DEVNULL,
            stdout=log,
            stderr=subprocess.STDOUT,
        )
    if result.returncode != 0:
        raise LabError(
            f"QEMU: {cause()}", installed.install_command(installed.PACKAGES[n] for n in installed.QEMU_BUILD)
        )


def _compile(name: str, ours: Built) -> None:
    """Run ninja, which goes on where an earlier one was ended."""
    ours.binary.unlink(missing_ok=True)  # it may be here damaged; the link takes a second
    with phase(f"QEMU for {name}: building it (once, two to five minutes)") as progress:
        with open(log_file(), "w") as log:
            # A signal when we end, however we do: ninja then removes what is half written.
            ninja = subprocess.Popen(
                ["setpriv", "--pdeathsig", "TERM", "ninja", STOCK],
                cwd=ours.build,
                env=environment(),
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT,
                text=True,
            )
            try:
                for line in ninja.stdout:
                    log.write(line)
                    if step := re.match(r"\[(\d+)/(\d+)\]", line):
                        progress(f"step {step[1]} of {step[2]}")
            finally:
                ninja.terminate()
                ninja.wait()
    if ninja.returncode != 0:
        raise LabError(f"QEMU: {cause()}", f"fix what it names, or rm -r {ours.folder}; then the same ./lab call")


def environment() -> dict[str, str]:
    """Debian's own tools and no flags of this user's, so that the build is the same everywhere."""
    path = "/usr/bin:/bin:" + os.environ.get("PATH", "")
    return {"PATH": path, "HOME": os.environ.get("HOME", "/"), "LC_ALL": "C.UTF-8", "TERM": "dumb"}


def log_file() -> Path:
    """What configure or ninja said last."""
    return cache() / "qemu.log"


def cause() -> str:
    """One line of cause from a failed step's log, and where the whole log is."""
    text = log_file().read_text(errors="replace")
    if "No space left on device" in text:
        found = f"the disk is full (about {NEEDS_MIB} MiB are needed in {cache()})"
    else:
        errors = re.findall(r"^.*(?:\berror\b|ERROR|FAILED).*$", text, re.MULTILINE)
        found = errors[0] if errors else "see the log"
    return f"{found}\n  The whole log: {log_file()}"
