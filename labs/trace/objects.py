"""Where is a tracing program's object, so that nothing needs to be compiled when it is attached? Under the hash of all
that it is made of: one whose source has changed since is not found, and made.

`python -m labs.trace.objects` makes them all. The host has that done in the guest of which it keeps a snapshot, so that
each guest wakes with them. `python -m labs.trace.objects 32 FOLDER` makes those of a kernel of 32 bits, for a guest
that has no compiler: there they lie in BROUGHT. So do those that the VM's image was made with.
"""

import contextlib
import hashlib
import os
import re
import struct
import subprocess
import sys
from pathlib import Path

from labs.errors import CannotTry

KEPT = Path("/run/lab-objects")  # as long as the guest runs; outside of labs/, which is brought anew
BROUGHT = Path("/usr/local/lib/lab/objects")  # with a guest's disk, made beforehand
FOLDER = Path(__file__).parent
HEADER, WORDS = FOLDER / "event.h", FOLDER / "object.h"
COMPILER = "clang"
WORD_BITS = 8 * struct.calcsize("P")  # of this kernel, because ours are its programs
OPTIONS = [
    *("-target", "bpf", "-mcpu=v2", "-O2", "-g"),  # libbpf reads what maps are like in debug information (BTF)
    *("-idirafter", "/usr/include/x86_64-linux-gnu"),  # where Debian has <asm/types.h>
]
INCLUDE = re.compile(r'^[ \t]*#[ \t]*include[ \t]*"event\.h"[^\n]*(\n|\Z)', re.MULTILINE)
BEGUN_WITH = "start.bpf.c"  # by a reader, who writes for bcc


def text(program: Path) -> str:
    """The program with event.h in the place of its `#include`, as one file: bcc rewrites calls on maps only in the main
    one. The compiler still names each file and its lines."""
    source = program.read_text()
    if not (include := INCLUDE.search(source)):
        return source
    before, after = source[: include.start()], source[include.end() :]
    return f'{before}#line 1 "event.h"\n{HEADER.read_text()}#line {before.count(chr(10)) + 2} "{program.name}"\n{after}'


def compiled(program: Path, bits: int = WORD_BITS, folder: Path | None = None) -> Path:
    """The object of a program of ours, for a kernel whose words have so many bits: BROUGHT's, or one in this folder,
    made if it is not there. Raises CannotTry if it cannot be made."""
    source = re.sub(r"\b(\w+)\.(lookup|update|perf_submit)\(", r"map_\2(\1, ", text(program))
    options = [*OPTIONS, f"-DWORD_BITS={bits}"]
    made_of = "\0".join([source, WORDS.read_text(), *options])
    name = f"{program.stem}-{hashlib.sha256(made_of.encode()).hexdigest()[:16]}.o"
    if (brought := BROUGHT / name).exists():
        return brought
    made = (folder or KEPT) / name
    if not made.exists():
        made.parent.mkdir(exist_ok=True)
        aside = made.with_suffix(f".{os.getpid()}")
        _compile(program.name, source, options, aside)
        aside.rename(made)
    return made


def _compile(name: str, source: str, options: list[str], to: Path) -> None:
    command: list[str | Path] = [COMPILER, *options, "-include", WORDS, "-x", "c", "-c", "-", "-o", to]
    try:
        done = subprocess.run(command, input=source, capture_output=True, text=True)
    except FileNotFoundError:
        raise CannotTry(f"no object of {name} as it is now, and no {COMPILER} to make one", "./lab reset") from None
    if done.returncode:
        raise CannotTry(f"{name} does not compile: {done.stderr.strip()}")


def main(bits: str = str(WORD_BITS), folder: str = str(KEPT)) -> None:
    """All of them. What does not compile says so when it is attached."""
    for program in (FOLDER.parent / "cases").rglob("*.bpf.c"):
        if program.name != BEGUN_WITH:
            with contextlib.suppress(CannotTry):
                compiled(program, int(bits), Path(folder))


if __name__ == "__main__":
    main(*sys.argv[1:])
