"""How does QEMU get a reader's C into one of its devices? The answer takes the place of one file of the
source; the unit that includes it is compiled, and the program linked anew, beside the cached build.

Nothing here writes to the build tree: the unit is compiled from a copy, for a quoted #include looks
in its own folder first. Compiler and linker run confined (host/sandbox/confined.py), for an answer may name any file
in `#include` or `.incbin`.
"""

import json
import re
import shlex
import shutil
import subprocess
from pathlib import Path

from host.sandbox import confined
from host.vm import qemu
from host.vm.qemu import Built

DEADLINE_S = 60
LIMITS = ["prlimit", f"--cpu={DEADLINE_S}", f"--as={4 << 30}", f"--fsize={256 << 20}"]  # ten times what is made
READ_BYTES = 1 << 20  # of what compiler and linker say
SHOWN_ERRORS = 3
# What a compiler lets pass and what then goes wrong in the guest, far from its cause.
ALSO_ERRORS = ["-Werror=implicit-function-declaration", "-Werror=return-type", "-Werror=int-conversion"]
# Makes a brace that is not closed an error here and not a thousand lines on: no function within
# another may be static.
END = "static inline void here_the_answer_ends(void) {}"


class DoesNotBuild(Exception):
    """The compiler or the linker refused; `reasons` are its first errors, at the reader's lines."""

    def __init__(self, reasons: list[str]):
        super().__init__("; ".join(reasons))
        self.reasons = reasons


def rebuilt(
    ours: Built, replaces: str, unit: str, answer: str, label: str, folder: Path, unconfined: bool = False
) -> Path:
    """The program with `answer` in place of the source file `replaces`, made in `folder`. Messages
    call the answer `label`."""
    (folder / unit).parent.mkdir(parents=True)
    shutil.copyfile(ours.source / unit, folder / unit)
    quoted = label.replace("\\", "\\\\").replace('"', '\\"').replace("\n", " ")
    (folder / replaces).write_text(f'#line 1 "{quoted}"\n{answer}\n{END}\n')
    compile_it, link_it = _commands(ours, unit)
    object_file, binary = folder / "unit.o", folder / qemu.STOCK
    old_object = compile_it["output"]
    compiling = _instead(
        compile_it["words"],
        {old_object: object_file, f"{old_object}.d": folder / "unit.d", f"../source/{unit}": folder / unit},
    )
    compiling += [*ALSO_ERRORS, "-iquote", str((ours.source / unit).parent)]
    linking = _instead(link_it["words"], {old_object: object_file, qemu.STOCK: binary})
    for command, made, done in (
        (compiling, [object_file, folder / "unit.d"], "compiled"),
        (linking, [binary], "linked"),
    ):
        for file in made:
            file.touch()
        words = [*LIMITS, *command]
        if not unconfined:
            words = confined.confined(words, [ours.folder, folder], made, starts_in=ours.build)
        _run(words, ours, folder, label, done)
    binary.chmod(0o700)
    return binary


def _commands(ours: Built, unit: str) -> tuple[dict, dict]:
    """How ninja compiles that unit and links the program: `output`, and the command's `words`."""
    listed = subprocess.run(
        ["ninja", "-t", "compdb", "-x"], cwd=ours.build, env=qemu.environment(), capture_output=True, check=True
    ).stdout
    entries = json.loads(listed)
    chosen = (
        next(entry for entry in entries if entry["file"] == f"../source/{unit}"),
        next(entry for entry in entries if entry["output"] == qemu.STOCK),
    )
    for entry in chosen:  # of a build that was copied, the words name the folder in which it was made
        words = shlex.split(entry["command"])
        entry["words"] = [word.replace(f"{ours.made_in}/", f"{ours.folder}/") for word in words]
    return chosen


def _instead(words: list[str], others: dict[str, Path]) -> list[str]:
    """The command with other files in it; what `-MQ` names is only a word in a list of dependencies."""
    return [str(others.get(word, word)) for word in words]


def _run(words: list[str], ours: Built, folder: Path, label: str, done: str) -> None:
    with open(folder / "said", "w+b") as said:  # a file, for its size has a limit
        try:
            result = subprocess.run(
                words,
                cwd=ours.build,
                env=qemu.environment(),
                stdin=subprocess.DEVNULL,
                stdout=said,
                stderr=said,
                timeout=DEADLINE_S,
            )
        except subprocess.TimeoutExpired:
            raise DoesNotBuild([f"it was not {done} after {DEADLINE_S} s"]) from None
        said.seek(0)
        text = said.read(READ_BYTES).decode(errors="replace")
    if result.returncode != 0:
        lines = text.replace(f"{folder}/", "").splitlines()
        errors = [line for line in lines if re.search(r"\b(error|undefined reference)\b", line)]
        theirs = [line for line in errors if line.startswith(f"{label}:")]
        raise DoesNotBuild((theirs or errors or lines[-1:] or [f"it could not be {done}"])[:SHOWN_ERRORS])
