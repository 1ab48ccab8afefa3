"""What is looked for in which output, and does it tell the fault from health and from its look-alike?

A case lists its looks in `looks.toml`, beside its case.toml:

    look_alike = "a lost segment"       # the other cause, which one may take for the fault

    [[look]]
    id = "timer"                        # what a page calls it by
    on = "client"                       # the host that it is typed on
    command = "ss -tno dst 10.0.0.2"    # run by sh, in the topology's folder
    expect = 'timer:\\(persist'         # matches where the fault is; `.` stays in its line
    alike = 'timer:\\(on'               # matches in the look-alike

labs/on_call.py runs each while the fault is there, and in a control where nothing is wrong. `expect` has to match the
first output and must not match the second: a look that cannot tell them apart is worthless. One that only
describes, such as a size that was agreed, says `describes = true`; it need only match. With
`meanwhile = true` the users go on as long as the command runs, which then has to end by itself.

A look with `alike` is typed a third time, in the look-alike. There `alike` has to match, and neither where the fault is
nor in the control; if the look says that all is well, as in the control, `acquits = true` lets it match there.
`expect` must not match in the look-alike, unless it is what both have in common: `common = true`. A look that has
`alike` alone is one for the look-alike.
"""

import re
import tomllib
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from labs.claims import Claim, Claims

SHOWN_LINES = 12  # of an output, in a recording; what a page shows has to fit it


@dataclass(frozen=True)
class Look:
    """One command, see the module. `rows` chooses the lines that are kept for the page, by default all; `cause` is what
    the look-alike is, in words."""

    id: str
    on: str
    command: str
    expect: str = ""
    rows: str = ""
    meanwhile: bool = False
    describes: bool = False
    alike: str = ""
    common: bool = False
    acquits: bool = False
    cause: str = ""

    def __post_init__(self) -> None:
        if not (self.expect or self.alike):
            raise ValueError(f"the look {self.id!r}: expected `expect` or `alike`, found neither")
        if (self.common or self.acquits) and not self.alike:
            raise ValueError(f"the look {self.id!r}: expected `alike` with `common` or `acquits`, found none")
        if self.alike and not self.cause:
            raise ValueError(f"the look {self.id!r}: expected `look_alike` at the file's top, which `alike` is of")

    def tells(self, output: str) -> bool:
        """Whether the output has what is looked for where the fault is."""
        return matches(self.expect, output)

    def tells_alike(self, output: str) -> bool:
        """Whether the output has what is looked for in the look-alike."""
        return matches(self.alike, output)

    def kept(self, output: str, pattern: str) -> list[str]:
        """Lines for the page as the command printed them, those that the pattern reaches over first of all."""
        lines = [line.rstrip() for line in output.splitlines() if line.strip() and re.search(self.rows, line)]
        first = telling(lines, pattern)[:SHOWN_LINES]
        others = [number for number in range(len(lines)) if number not in first]
        return [lines[number] for number in sorted(first + others[: SHOWN_LINES - len(first)])]


def matches(pattern: str, output: str) -> bool:
    """Whether the pattern is found in the output; an empty pattern is found nowhere."""
    return bool(pattern and re.search(pattern, output, re.MULTILINE))


def telling(lines: Sequence[str], pattern: str) -> list[int]:
    """Numbers of the lines that the pattern reaches over."""
    text = "\n".join(lines)
    found: set[int] = set()
    for match in re.finditer(pattern, text, re.MULTILINE) if pattern else ():
        first = text.count("\n", 0, match.start())
        found.update(range(first, first + 1 + match[0].strip("\n").count("\n")))
    return sorted(found)


def read(file: Path) -> list[Look]:
    """The looks of a file. Raises ValueError for one that could tell nothing."""
    said = tomllib.loads(file.read_text())
    cause = said.get("look_alike", "")
    return [Look(**look, cause=cause if "alike" in look else "") for look in said["look"]]


@dataclass(frozen=True)
class LookResults(Claims):
    """Looks, and what each said while the fault was there, in the control, and, if it has something to look for there,
    in the look-alike."""

    looks: list[Look]
    broken: dict[str, str]
    healthy: dict[str, str]
    alike: dict[str, str] = field(default_factory=dict)

    @property
    def claims(self) -> list[Claim]:
        """Each look has found what it is for, and does not find it where it must not."""
        return [
            Claim(not wrong, f"{look.id} on {look.on}: {wrong or self._right(look)}")
            for look in self.looks
            for wrong in [self._wrong(look)]
        ]

    def _wrong(self, look: Look) -> str:
        """What this look does and should not, or does not and should; nothing if all is as it should be."""
        broken, healthy, alike = self.broken[look.id], self.healthy[look.id], self.alike.get(look.id, "")
        wrong = {
            "does not find it": look.expect and not look.tells(broken),
            "finds it where nothing is wrong, too": not look.describes and look.tells(healthy),
            f"finds it in {look.cause}, too": not look.common and look.tells(alike),
            f"does not find {look.cause}": look.alike and not look.tells_alike(alike),
            f"finds {look.cause} where the fault is, too": look.tells_alike(broken),
            f"finds {look.cause} where nothing is wrong, too": not look.acquits and look.tells_alike(healthy),
        }
        return "; ".join(words for words, is_so in wrong.items() if is_so)

    def _right(self, look: Look) -> str:
        """What this look is good for."""
        good = {
            "only describes": look.expect and look.describes,
            "tells the fault from health": look.expect and not look.describes,
            f"tells {look.cause} from it": look.alike,
        }
        return ", ".join(words for words, is_so in good.items() if is_so)

    def to_json(self) -> dict[str, Any]:
        """Plain values: by id what a page shows of a look."""
        return {
            look.id: {
                **asdict(look),
                "tells": look.tells(self.broken[look.id]),
                "tells_in_control": look.tells(self.healthy[look.id]),
                "lines": (lines := look.kept(self.broken[look.id], look.expect)),
                "telling": telling(lines, look.expect),
                "control": look.kept(self.healthy[look.id], look.expect),
                "look_alike": self._in_look_alike(look),
            }
            for look in self.looks
        }

    def _in_look_alike(self, look: Look) -> dict[str, Any] | None:
        """What a look said in the look-alike, and which outputs have what it looks for there, if it was typed there."""
        if not look.alike:
            return None
        lines = look.kept(self.alike[look.id], look.alike)
        return {
            "cause": look.cause,
            "lines": lines,
            "telling": telling(lines, look.alike),
            "tells": look.tells_alike(self.alike[look.id]),
            "tells_with_fault": look.tells_alike(self.broken[look.id]),
            "tells_in_control": look.tells_alike(self.healthy[look.id]),
            "has_the_faults": look.tells(self.alike[look.id]),
        }

    def __repr__(self) -> str:
        return "\n\n".join(f"{look.on}# {look.command}\n{self.broken[look.id]}" for look in self.looks)
