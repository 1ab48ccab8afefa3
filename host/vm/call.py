"""What did a module of labs/ print in a guest? Shown as it comes, without what a terminal would obey; or read as the
one JSON object that it should be. Root in the guest may print anything, and without end."""

import json
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from io import BufferedReader
from typing import IO, cast

from host.errors import LabError
from host.terminal_escape import escaped_pieces
from host.vm.machine import Guest
from host.vm.ssh import module_command

LARGEST_BYTES = 16 << 20  # the most that a call may print; a recording prints a tenth of it
TAIL_BYTES = 2000  # how much of the end of its stderr is kept
PIECE_BYTES = 1 << 16
DEEPEST = 100  # levels of objects and lists; a recording has nine, Python's json fails near 1000


@dataclass(frozen=True)
class Result:
    """`found` is the object that was printed, or `why` says what there was instead; `said` ends its stderr, `printed`
    is whether there was anything on its stdout."""

    status: int
    found: dict
    why: str
    said: str
    printed: bool


def stream(guest: Guest, *words: str) -> int:
    """Run a module of labs/ while the reader watches; return its exit status. Raises LabError if it prints too much."""
    pipes = {"stdin": subprocess.DEVNULL, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
    with ThreadPoolExecutor(1) as beside, guest.connection.started(module_command(*words), **pipes) as process:
        saying = beside.submit(_shown_whole, process, cast(BufferedReader, process.stderr), sys.stderr)
        enough = _shown_whole(process, cast(BufferedReader, process.stdout), sys.stdout) & saying.result()
    if not enough:
        raise LabError(
            f"{' '.join(words)}: it printed more than {LARGEST_BYTES >> 20} MiB, and was ended", "./lab doctor"
        )
    return process.returncode


def _shown_whole(process: subprocess.Popen, stream: BufferedReader, to: IO[str]) -> bool:
    """Shows what comes of a call, and returns whether that was all: at more than LARGEST_BYTES the call is ended."""
    left = LARGEST_BYTES

    def first() -> Iterator[bytes]:
        nonlocal left
        while left >= 0 and (piece := stream.read1(PIECE_BYTES)):
            yield piece[:left]
            left -= len(piece)

    for text in escaped_pieces(first()):
        to.write(text)
        to.flush()
    if left < 0:
        process.kill()
    return left >= 0


def call_json(guest: Guest, *words: str, given: str = "") -> Result:
    """Run a module that prints one JSON object, with `given` on its stdin. Raises nothing for what it prints."""
    with tempfile.TemporaryFile() as stdin, ThreadPoolExecutor(1) as beside:
        stdin.write(given.encode())
        stdin.seek(0)
        pipes = {"stdin": stdin, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
        with guest.connection.started(module_command(*words), **pipes) as process:
            saying = beside.submit(_tail, cast(BufferedReader, process.stderr))
            printed = process.stdout.read(LARGEST_BYTES + 1)
            if len(printed) > LARGEST_BYTES:
                process.kill()
            said = saying.result()
    found, why = _object(printed)
    return Result(process.returncode, found, why, said, bool(printed.strip()))


def _tail(stream: BufferedReader) -> str:
    kept = b""
    while piece := stream.read1(PIECE_BYTES):
        kept = (kept + piece)[-TAIL_BYTES:]
    return kept.decode(errors="replace").strip()


def _object(printed: bytes) -> tuple[dict, str]:
    """The one object, or what was found instead."""
    if len(printed) > LARGEST_BYTES:
        return {}, f"expected one JSON object, found more than {LARGEST_BYTES >> 20} MiB"
    try:
        found = json.loads(printed.decode())
    except UnicodeDecodeError as error:
        return {}, f"expected one JSON object, found bytes that are not UTF-8 (byte {error.start})"
    except RecursionError:
        return {}, "expected one JSON object, found one nested too deeply to read"
    except ValueError as error:
        return {}, f"expected one JSON object, found other text ({error})"
    if not isinstance(found, dict):
        return {}, f"expected one JSON object, found a {type(found).__name__}"
    return (found, "") if _shallow(found) else ({}, "expected one JSON object, found one nested too deeply to read")


def _shallow(found: dict) -> bool:
    """Whether what was read can be written again: json.dumps() fails on what is nested too deeply."""
    level: list = [found]
    for _ in range(DEEPEST):
        inside = (value for each in level for value in (each.values() if isinstance(each, dict) else each))
        level = [value for value in inside if isinstance(value, dict | list)]
    return not level
