"""What do the tracing programs go by in the tab's kernel, which carries no type information? By a small BTF of the
structures that they read, made from the headers that belong to that kernel."""

import json
import re
import subprocess
import tempfile
from pathlib import Path

from host import store
from host.debian import archive
from host.errors import LabError
from host.paths import LABS
from host.phases import phase
from host.tab.root import TAB, recipe

DECLARED = TAB / "fields.c"
MADE_OF = "made-of.json"
# As the kernel's own Makefile has it (LINUXINCLUDE, USERINCLUDE), as far as it says what a structure is like; 32 bits.
COMPILER = ["cc", "-m32", "-std=gnu11", "-O2", "-g", "-w", "-nostdinc", "-D__KERNEL__", '-DKBUILD_MODNAME="fields"']
FOLDERS = [
    *("arch/x86/include", "arch/x86/include/generated", "include"),
    *("arch/x86/include/uapi", "arch/x86/include/generated/uapi", "include/uapi", "include/generated/uapi"),
]
BEFORE = ["compiler-version.h", "kconfig.h", "compiler_types.h"]


def btf(kernel: str, version: str) -> Path:
    """RELEASE.btf for this package of a kernel, "linux-image-RELEASE", beside what it was made of."""
    release = kernel.removeprefix("linux-image-")
    headers = [f"linux-headers-{release}", f"linux-headers-{release.rpartition('-')[0]}-common"]
    source = "\n".join([DECLARED.read_text(), *fields(), ""])

    def make(folder: Path) -> None:
        archive.need("cc", "pahole")
        with phase(f"tab: type information for Linux {release}"), tempfile.TemporaryDirectory(dir=folder) as aside:
            _unpacked([f"{name}={version}" for name in headers], Path(aside))
            encode(source, [Path(aside) / "usr/src" / name for name in headers], folder / f"{release}.btf")
        made_of = {
            "packages": dict.fromkeys(headers, version),
            "cc": _said("cc", "--version"),
            "pahole": _said("pahole", "--version"),
        }
        (folder / MADE_OF).write_text(json.dumps(made_of, indent=1))

    key = store.key_of(kernel, version, source, *COMPILER, *FOLDERS, *BEFORE)
    return store.build_once("tab-btf", key, make, 200) / f"{release}.btf"


def _unpacked(packages: list[str], folder: Path) -> None:
    """Lays the files of these packages below a folder; nothing of that architecture is run."""
    wanted = recipe()
    command = archive.by_apt(
        wanted["suite"],
        f"{archive.APT_GET} download {' '.join(packages)}",
        "debs",
        folder,
        f"--architectures={wanted['architecture']}",
        "--skip=check/qemu",
        *archive.release_alone(wanted["suite"]),
    )
    done, cause = archive.run(command)
    if not done:
        raise LabError(f"tab: {cause}", "fix what it names, then: ./lab tab")
    for package in folder.glob("debs/*.deb"):
        subprocess.run(["dpkg-deb", "-x", package, folder], check=True)


def fields() -> list[str]:
    """What the tracing programs declare, "FIELD(sock, sk_dst_cache);", each once."""
    sources = [LABS / "trace/event.h", *LABS.glob("cases/**/*.bpf.c")]
    return sorted({line for file in sources for line in re.findall(r"^FIELD\(.*\);$", file.read_text(), re.MULTILINE)})


def encode(source: str, headers: list[Path], to: Path) -> None:
    """The BTF of what this C text uses of the kernel's types."""
    compiled = to.with_suffix(".o")
    folders = [f"-I{folder / name}" for name in FOLDERS for folder in headers]
    before = [word for name in BEFORE for word in ("-include", f"linux/{name}")]
    _run(
        [
            *COMPILER,
            "-isystem",
            _said("cc", "-print-file-name=include"),
            *folders,
            *before,
            "-xc",
            "-c",
            "-",
            "-o",
            str(compiled),
        ],
        source,
    )
    _run(["pahole", f"--btf_encode_detached={to}", str(compiled)])
    compiled.unlink()


def _run(command: list[str], text: str = "") -> str:
    done = subprocess.run(command, input=text, capture_output=True, text=True)
    if done.returncode:
        raise LabError(f"tab: {command[0]} made no type information:\n{done.stderr[-1500:]}", "fix it, then: ./lab tab")
    return done.stdout


def _said(*command: str) -> str:
    return _run([*command]).splitlines()[0]
