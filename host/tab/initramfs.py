"""What does the tab's kernel find in its memory? A few of Debian's programs with the libraries they are
linked with, the kernel's modules in the order in which they are loaded, our `init`, `shell` and `exchange`."""

import re
import subprocess
from collections.abc import Iterable, Iterator
from pathlib import Path

from host.debian import installed
from host.errors import LabError
from host.tab.cpio import Entry, archive
from host.tab.node import TAB

LIBRARIES = ("lib/i386-linux-gnu", "usr/lib/i386-linux-gnu")
MUSL, GCC = "usr/lib/i386-linux-musl", "usr/lib/gcc/i686-linux-gnu"
RECIPE = "vm-image/tab/packages.toml"
SOURCES = [TAB / name for name in ("exchange.c", "capture.c", "exchange.h")]  # of our program


def initramfs(unpacked: Path, wanted: dict) -> bytes:
    """The archive, of the packages that lie `unpacked` and the recipe that names what is taken of them."""
    installed.need("cc")
    programs = list(wanted["programs"])
    entries = [
        *(Entry.folder(name) for name in ("proc", "sys", "dev", "run", "tmp", "etc")),
        Entry.file("init", (TAB / "init").read_bytes(), 0o755),
        Entry.file("etc/shell", (TAB / "shell").read_bytes()),
        Entry.file("bin/exchange", exchange(unpacked), 0o755),
        *(Entry.file(path.lstrip("/"), _file(unpacked, path.lstrip("/")).read_bytes(), 0o755) for path in programs),
        *_libraries(unpacked, programs),
        *_modules(unpacked, list(wanted["modules"])),
    ]
    return archive(entries)


def exchange(unpacked: Path) -> bytes:
    """Our program, linked statically with the C library that lies `unpacked`, whatever this machine's is."""
    gcc = next((unpacked / GCC).iterdir())
    musl, program = unpacked / MUSL, unpacked / "exchange"
    command: list[str | Path] = [
        "cc",
        "-m32",
        "-march=i686",
        "-Os",
        "-Wall",
        "-Wextra",
        "-std=gnu11",
        "-fno-pie",
        "-no-pie",
        "-static",
        "-nostdlib",
        "-nostdinc",
        "-isystem",
        unpacked / "usr/include/i386-linux-musl",
        "-isystem",
        gcc / "include",
        "-o",
        program,
        musl / "crt1.o",
        musl / "crti.o",
        *(file for file in SOURCES if file.suffix == ".c"),
        musl / "libc.a",
        gcc / "libgcc.a",
        musl / "crtn.o",
        "-Wl,--build-id=none,-s",
    ]
    result = subprocess.run(command, capture_output=True, text=True)
    if result.returncode != 0 or result.stderr:
        raise LabError(f"tab: exchange does not compile:\n{result.stderr[-1500:]}", "fix it, then: ./lab tab")
    return program.read_bytes()


def _file(unpacked: Path, path: str) -> Path:
    """The file of that name, links followed within what is unpacked."""
    found = unpacked / path
    if not found.exists():
        raise LabError(f"tab: expected /{path} in one of the packages, found none", f"name its package in {RECIPE}")
    return found


def _libraries(unpacked: Path, programs: Iterable[str]) -> Iterator[Entry]:
    """The loader and each library that a program names, or that one of those names."""
    waiting, taken = [path.lstrip("/") for path in programs], set()
    while waiting:
        for name in linked_with(_file(unpacked, waiting.pop())):
            if name in taken:
                continue
            taken.add(name)
            folder = next((place for place in LIBRARIES if (unpacked / place / name).exists()), LIBRARIES[0])
            path = f"{folder}/{name}"
            waiting.append(path)
            yield Entry.file(path, _file(unpacked, path).read_bytes(), 0o755)
    yield Entry.file("lib/ld-linux.so.2", _file(unpacked, f"{LIBRARIES[0]}/ld-linux.so.2").read_bytes(), 0o755)


def linked_with(program: Path) -> list[str]:
    """The libraries that an ELF file names as needed."""
    said = subprocess.run(["readelf", "-d", program], capture_output=True, text=True, check=True).stdout
    return re.findall(r"\(NEEDED\).*\[(.*)\]", said)


def _modules(unpacked: Path, names: Iterable[str]) -> Iterator[Entry]:
    """The modules, numbered in the order in which they can be loaded."""
    found = {path.stem.replace("-", "_"): path for path in (unpacked / "lib/modules").rglob("*.ko")}
    for number, name in enumerate(load_order(names, lambda name: needs(_module(found, name)))):
        yield Entry.file(f"modules/{number:02}-{name}.ko", _module(found, name).read_bytes())


def _module(found: dict[str, Path], name: str) -> Path:
    if name not in found:
        raise LabError(f"tab: the kernel's package has no module {name}", f"fix {RECIPE}, then: ./lab tab")
    return found[name]


def needs(module: Path) -> list[str]:
    """The modules that one says it depends on (its section .modinfo)."""
    said = re.search(rb"\0depends=([^\0]*)\0", module.read_bytes())
    return said[1].decode().split(",") if said and said[1] else []


def load_order(names: Iterable[str], needs) -> list[str]:
    """The names and all that they need, each behind what it needs itself."""
    order: dict[str, None] = {}

    def add(name: str) -> None:
        if name not in order:
            for other in needs(name):
                add(other)
            order[name] = None

    for name in names:
        add(name)
    return list(order)
