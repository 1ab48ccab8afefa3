"""What does a person on call type, and does its output tell the fault from health?

A case lists its looks in `looks.toml`, beside its case.toml:

    [[look]]
    id = "exception"                    # what a page calls it by
    on = "client"                       # the host that it is typed on
    command = "ip route get 10.0.0.2"   # run by sh, in the topology's folder
    expect = 'expires \\d+sec mtu 1480'  # matches where the fault is; `.` stays in its line

Each is run twice: while the fault is there, and in a control where it is not. `expect` has to match the
first output and must not match the second: a look that cannot tell them apart is worthless. One that only
describes, such as a size that was agreed, says `describes = true`; it need only match. With
`meanwhile = true` the users go on as long as the command runs, which then has to end by itself.
"""

from __future__ import annotations

import re
import subprocess
import time
import tomllib
from collections.abc import Callable, Iterable, Sequence
from contextlib import AbstractContextManager
from dataclasses import asdict, dataclass
from pathlib import Path

from labs.check import Check, Claims
from labs.net.node import Node
from labs.net.topology import Topology

DEADLINE_S = 120
SHOWN_LINES = 12  # of an output, in a recording; what a page shows has to fit it


class NoLook(RuntimeError):
    """A look could not be taken: it did not end in time, or said nothing."""


@dataclass(frozen=True)
class Look:
    """One command, see the module. `rows` chooses the lines that are kept for the page, by default all."""

    id: str
    on: str
    command: str
    expect: str
    rows: str = ""
    meanwhile: bool = False
    describes: bool = False

    def tells(self, output: str) -> bool:
        """Whether the output has what is looked for."""
        return bool(re.search(self.expect, output, re.MULTILINE))

    def kept(self, output: str) -> list[str]:
        """Lines for the page as the command printed them, the telling ones first of all."""
        lines = [line.rstrip() for line in output.splitlines() if line.strip() and re.search(self.rows, line)]
        telling = self.telling(lines)[:SHOWN_LINES]
        others = [number for number in range(len(lines)) if number not in telling]
        return [lines[number] for number in sorted(telling + others[: SHOWN_LINES - len(telling)])]

    def telling(self, lines: Sequence[str]) -> list[int]:
        """Numbers of the lines that `expect` reaches over."""
        text = "\n".join(lines)
        found: set[int] = set()
        for match in re.finditer(self.expect, text, re.MULTILINE):
            first = text.count("\n", 0, match.start())
            found.update(range(first, first + 1 + match[0].strip("\n").count("\n")))
        return sorted(found)


@dataclass(frozen=True)
class Taken(Claims):
    """Looks, and what each said while the fault was there and in the control."""

    looks: list[Look]
    broken: dict[str, str]
    healthy: dict[str, str]

    @property
    def checks(self) -> list[Check]:
        """Each look has found what it is for, and does not find it where nothing is wrong."""
        found = []
        for look in self.looks:
            there, alone = look.tells(self.broken[look.id]), look.describes or not look.tells(self.healthy[look.id])
            found.append(
                Check(
                    there and alone,
                    f"{look.id} on {look.on}: "
                    + (
                        "does not find it"
                        if not there
                        else "only describes"
                        if look.describes
                        else "tells the fault from health"
                        if alone
                        else "finds it where nothing is wrong, too"
                    ),
                )
            )
        return found

    def to_json(self) -> dict:
        """Plain values: by id what a page shows of a look."""
        return {
            look.id: {
                **asdict(look),
                "tells": look.tells(self.broken[look.id]),
                "tells_in_control": look.tells(self.healthy[look.id]),
                "lines": (lines := look.kept(self.broken[look.id])),
                "telling": look.telling(lines),
                "control": look.kept(self.healthy[look.id]),
            }
            for look in self.looks
        }

    def __repr__(self) -> str:
        return "\n\n".join(f"{look.on}# {look.command}\n{self.broken[look.id]}" for look in self.looks)


# What is begun for the length of a block: the hosts, and what the users do once more when it is called.
Scene = Callable[[], AbstractContextManager[tuple[Topology, Callable[[], object]]]]


def read(file: Path) -> list[Look]:
    """The looks of a file."""
    return [Look(**look) for look in tomllib.loads(file.read_text())["look"]]


def taken(looks: Iterable[Look], broken: Scene, healthy: Scene) -> Taken:
    """All looks in both scenes."""
    looks, said = list(looks), []
    for scene in (broken, healthy):
        with scene() as (net, again):
            said.append({look.id: output(look, net[look.on], net.folder, again) for look in looks})
    return Taken(looks, *said)


def output(look: Look, node: Node, folder: Path, again: Callable[[], object]) -> str:
    """What the command says on standard output."""
    until = time.monotonic() + DEADLINE_S
    process = node.start("sh", "-c", look.command, cwd=folder)
    try:
        while look.meanwhile and process.poll() is None and time.monotonic() < until:
            again()
        out, err = process.communicate(timeout=max(until - time.monotonic(), 1))
    except subprocess.TimeoutExpired as error:
        raise NoLook(f"on {look.on}: expected `{look.command}` to end within {DEADLINE_S} s") from error
    finally:
        process.kill()  # no more than a formality, unless it hangs or we were interrupted
    if not out.strip() and process.returncode not in (0, 1):  # 1: grep and its like have found nothing
        raise NoLook(
            f"on {look.on}: expected `{look.command}` to say something, found exit status "
            f"{process.returncode} and: {err.strip() or 'nothing'}"
        )
    return out
