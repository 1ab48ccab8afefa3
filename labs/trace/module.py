"""How does C of ours get into the running kernel, and out again? Built in the guest, loaded, unloaded.

    with livepatched(Path("regression.c")):   # or livepatched(build(…)), built before
        measure()                             # every task of the guest runs the patched function

kbuild takes half a minute under emulation, most of it in asking the compiler for its options, and a
quarter of one in reading the kernel's headers. So the compiler is called here, once, by the image's
`kernel-cc`, with the headers precompiled; what kbuild's `modpost` would add (the module's descriptor
and the checksums of what it imports) is written from what the kernel says of itself: its type
information, and Module.symvers beside the headers.
"""

import contextlib
import hashlib
import os
import re
import subprocess
import time
from dataclasses import dataclass
from pathlib import Path

from core.waiting import poll
from labs.errors import CannotTry
from labs.trace import btf
from labs.trace.signal_safe import ShieldedExitStack

BUILT = Path("/run/lab-modules")  # kept as long as the guest runs
LIVEPATCHES = Path("/sys/kernel/livepatch")
PREFIX = "lab_"  # of every module's name, so that one left behind is known for ours
_ours: set[str] = set()  # names of what this process has loaded
TRANSITION_DEADLINE_S = 60  # the kernel tries once a second, and signals those who lag after 15

COMPILER, HEADERS = ["/usr/local/lib/lab/kernel-cc"], "/usr/local/lib/lab/kernel.h"  # of the image
# objtool writes down how to walk up the stack from any instruction; livepatching relies on it. Newer ones are told by
# their environment, as kbuild has it, for which processor.
OBJTOOL = (
    "--hacks=jump_label",
    "--hacks=noinstr",
    "--orc",
    "--retpoline",
    "--rethunk",
    "--sls",
    "--static-call",
    "--uaccess",
    "--module",
)


class DoesNotCompile(Exception):
    """The compiler, or the kernel's list of exported symbols, refuses the source; `said` is its word."""

    def __init__(self, said: str) -> None:
        super().__init__(said)
        self.said = said


class DoesNotLoad(Exception):
    """The kernel refuses the module; the message has the kernel's reason."""


@dataclass(frozen=True)
class Module:
    """A built module: its name in the kernel, its file, and the seconds that building it took."""

    name: str
    file: Path
    built_s: float = 0.0


def build(source: Path | str, name: str = "") -> Module:
    """Builds a module from one C file, or from C text, once as long as the guest runs.

    Raises DoesNotCompile with the compiler's first error, CannotTry if headers are missing.
    """
    start = time.monotonic()
    text = source.read_text() if isinstance(source, Path) else source
    called = PREFIX + re.sub(r"\W", "_", name or (source.stem if isinstance(source, Path) else "answer"))
    folder = BUILT / f"{called}-{hashlib.sha256(text.encode()).hexdigest()[:12]}"
    module = Module(called, folder / f"{called}.ko")
    if module.file.exists():
        return module
    folder.mkdir(parents=True, exist_ok=True)
    (folder / f"{called}.c").write_text(text)
    compile_module(folder, called)
    return Module(called, module.file, time.monotonic() - start)


def compile_module(folder: Path, name: str) -> None:
    """Compile `name`.c to `name`.ko, which appears whole or not at all."""
    headers = Path(f"/lib/modules/{os.uname().release}/build")
    if not (headers / "Module.symvers").exists():
        raise CannotTry(f"no kernel headers in {headers}", "./lab reset")
    _run(folder, [*COMPILER, "-include", HEADERS, "-c", "-o", f"{name}.o", f"{name}.c"])
    _run(folder, ["env", "SRCARCH=x86", f"{headers}/tools/objtool/objtool", *OBJTOOL, f"{name}.o"])
    imported = _run(folder, ["nm", "-u", "-j", f"{name}.o"]).split()
    (folder / "descriptor.c").write_text(descriptor(name, checksums(headers, imported)))
    _run(folder, [*COMPILER, "-c", "-o", "descriptor.o", "descriptor.c"])
    _run(
        folder,
        [
            "ld",
            "-r",
            "-m",
            "elf_x86_64",
            "-z",
            "noexecstack",
            "--build-id=sha1",
            "-T",
            f"{headers}/arch/x86/module.lds",
            "-o",
            "whole.ko",
            f"{name}.o",
            "descriptor.o",
        ],
    )
    (folder / "whole.ko").rename(folder / f"{name}.ko")


def checksums(headers: Path, symbols: list[str]) -> dict[str, str]:
    """The checksum of each imported symbol's type (genksyms), which the kernel compares at loading."""
    listed = (headers / "Module.symvers").read_text()
    found = {
        name: re.search(rf"^(0x[0-9a-f]+)\t{re.escape(name)}\t", listed, re.MULTILINE)
        for name in ["module_layout", *symbols]
        if name != "__this_module"
    }  # ours, see below
    missing = [name for name, match in found.items() if not match]
    if missing:
        raise DoesNotCompile(f"the kernel exports no {', '.join(missing)} to modules")
    return {name: match[1] for name, match in found.items() if match}


def descriptor(name: str, symbols: dict[str, str]) -> str:
    """C of what modpost adds: `struct module`, of which a module fills in three fields, and strings."""
    at = {field: btf.offset("module", field) for field in ("name", "init", "exit")}
    magic = _run(Path("/"), ["modinfo", "-F", "vermagic", "veth"]).strip()
    versions = ", ".join(f'{{ {value}, "{symbol}" }}' for symbol, value in symbols.items())
    return f"""
extern int init_module(void);
extern void cleanup_module(void);
struct {{
    char before_name[{at["name"]}], name[{at["init"] - at["name"]}];
    int (*init)(void);
    char before_exit[{at["exit"] - at["init"] - 8}];
    void (*exit)(void);
    char rest[{btf.size("module") - at["exit"] - 8}];
}} __this_module __attribute__((section(".gnu.linkonce.this_module"), aligned(64))) = {{
    .name = "{name}", .init = init_module, .exit = cleanup_module,
}};
static const struct {{ unsigned long checksum; char name[56]; }} versions[]
    __attribute__((used, section("__versions"))) = {{ {versions} }};
static const char info[] __attribute__((used, section(".modinfo"))) =
    "name={name}\\0vermagic={magic} \\0retpoline=Y\\0depends=";
"""


@contextlib.contextmanager
def livepatched(module: Module | Path):
    """The kernel with this livepatch for the length of the block: on entering, every task has gone
    over to the new functions; on leaving, all are back and the module is gone."""
    module = module if isinstance(module, Module) else build(module)
    tidy()
    with ShieldedExitStack() as undone:
        undone.callback(_ours.discard, module.name)  # last, and whatever has failed before it
        undone.callback(remove, module.name)
        _ours.add(module.name)
        _load(module)
        if not (LIVEPATCHES / module.name).exists():
            raise DoesNotLoad(f"{module.name} was loaded and is no livepatch: its init called no klp_enable_patch()")
        _settled(module.name)
        yield module


def tidy() -> None:
    """Takes out what an interrupted run of another process has left in the kernel."""
    for name in loaded():
        if name not in _ours:
            remove(name)


def loaded() -> list[str]:
    """Our modules that are in the kernel now; none, unless a run was interrupted."""
    return sorted(folder.name for folder in Path("/sys/module").glob(f"{PREFIX}*"))


def remove(name: str) -> None:
    """Takes a module out of the kernel, livepatch or not. Safe to call when it is not there."""
    patch = LIVEPATCHES / name
    if patch.exists():
        with contextlib.suppress(FileNotFoundError):
            _settled(name)  # not every kernel can reverse a transition that is under way
            (patch / "enabled").write_text("0")
        _wait(lambda: not patch.exists(), f"every task to leave {name}")
    if (Path("/sys/module") / name).exists():
        _run(Path("/"), ["rmmod", name], DoesNotLoad)


def _load(module: Module) -> None:
    """insmod; what the kernel says of a refusal stands in its log."""
    with open("/dev/kmsg", "rb") as log:
        os.set_blocking(log.fileno(), False)
        os.lseek(log.fileno(), 0, os.SEEK_END)
        try:
            _run(Path("/"), ["insmod", str(module.file)], DoesNotLoad)
        except DoesNotLoad as error:
            raise DoesNotLoad("; ".join([*_lines(log), str(error)][:2])) from error


def _lines(log) -> list[str]:
    """What has come into the kernel's log, without its prefixes (Documentation/ABI/testing/dev-kmsg)."""
    found = []
    with contextlib.suppress(BlockingIOError):
        while line := os.read(log.fileno(), 8192).decode(errors="replace"):
            found.append(line.partition(";")[2].splitlines()[0])
    return found


def _settled(name: str) -> None:
    _wait(lambda: (LIVEPATCHES / name / "transition").read_text().strip() == "0", f"every task to run {name}")


def _wait(state, meaning: str) -> None:
    if not poll(state, TRANSITION_DEADLINE_S, 0.02):
        raise CannotTry(f"expected {meaning} within {TRANSITION_DEADLINE_S} s", "./lab reset")


def _run(folder: Path, command: list[str], refusal: type[Exception] = DoesNotCompile) -> str:
    """Output of a command run in `folder`; what it said if it failed, as an error of this kind."""
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, errors="replace")
    if done.returncode:
        raise refusal((done.stderr or done.stdout).strip() or f"{command[0]} ended with {done.returncode}")
    return done.stdout
