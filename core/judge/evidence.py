"""What was seen of an answer? Taken in a guest, kept as JSON, judged anywhere; labs/judge/judging.py says how.

A file of it is one object: `schema`, the `exercise`, the `answer`'s text, the guest's `kernel`, what became of the
answer's `script`, the `settings` of the hosts that are not the answer's, and what the case has `seen`, of a kind
that it defines. It may come from anybody: read() takes nothing on trust, and says of damage what and where.
"""

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from core.protocol import LARGEST_EVIDENCE_BYTES
from core.serialization import Damaged, from_json, to_json

SCHEMA = 1
LONGEST_ID = 80  # of an exercise
LONGEST_LINE = 400  # that is shown of what a script prints
FORBIDDEN_SHOWN = 20  # an answer may name a host as often as it likes
REFUSED = re.compile(  # EACCES, EPERM, EROFS; the last but one is umount(8)'s
    r"Permission denied|Operation not permitted|must be superuser|Read-only file system", re.IGNORECASE
)


@dataclass(frozen=True)
class Script:
    """What became of an answer's script: its exit `status` (None when it was still running at its deadline), what it
    printed, the `forbidden` hosts that it tried to touch, what those `variables` of its shell that were asked for held
    at its end, if they were set, how often another network was `reached` by its number while it ran, for how many
    seconds it ran (`took_s`), which are the machine's as well: for a reader to know, and not for a judge, the
    seconds of processor time (`busy_s`) for whose use it was ended, 0 if it was not, and how many processes it had
    `left` running, once all was measured."""

    status: int | None
    output: str
    forbidden: list[str] = field(default_factory=list)
    deadline_s: float = 20
    variables: dict[str, str] = field(default_factory=dict)
    reached: int = 0
    took_s: float = 0
    busy_s: float = 0
    left: int = 0

    def problems(self) -> list[tuple[str, str]]:
        """What no answer may do and this one did: the ids of checks that it failed by it, each with a sentence."""
        forbidden = self.forbidden[:FORBIDDEN_SHOWN]
        found = [("own-hosts", f"the answer acts on {node}, which this exercise leaves as it is") for node in forbidden]
        if self.reached:
            found.append(("own-hosts", "the answer reaches another network by its number (netnsid), and not by `on`"))
        if self.busy_s:
            found.append(("in-time", f"the script had used {self.busy_s:.0f} s of processor time and was ended"))
        elif self.status is None:
            found.append(("in-time", f"the script was still running after {self.deadline_s:.0f} s and was ended"))
        return found

    @property
    def ended_badly(self) -> str:
        """The sentence for a status that is not 0, with its last message; else nothing."""
        if not self.status or self.forbidden:
            return ""
        return f"the script ended with status {self.status}: {(self._lines or ['no message'])[-1]}"

    @property
    def refused(self) -> str:
        """The script's message that the kernel refused it something; empty if there is none."""
        return next(filter(REFUSED.search, self._lines), "")

    @property
    def _lines(self) -> list[str]:
        return [line[:LONGEST_LINE] for line in self.output.strip().splitlines()]


@dataclass(frozen=True)
class Settings:
    """The settings of a host that an answer has to leave alone: which lines of its settings are `gone`, and which are
    new."""

    host: str
    gone: list[str] = field(default_factory=list)
    now: list[str] = field(default_factory=list)

    @property
    def change(self) -> str | None:
        """The first difference, for a person; None if all is as it was."""
        if self.now:
            return f"now {self.now[0].strip()!r}"
        return f"gone: {self.gone[0].strip()!r}" if self.gone else None


@dataclass(frozen=True)
class Evidence:
    """All that a verdict rests on. `script` is there if the answer is one. `unanswered` says what a workload found
    instead of an answer, if it got none; what the case had seen until then is there. `seen` is of the case's kind, None
    if the answer failed in itself. `spent_s` says where the seconds went (labs/measure/timing.py), and is not judged.
    """

    exercise: str
    answer: str
    kernel: str
    script: Script | None = None
    settings: list[Settings] = field(default_factory=list)
    unanswered: str = ""
    seen: object = None
    spent_s: dict[str, float] = field(default_factory=dict)

    def text(self) -> str:
        """The evidence as JSON, in one line."""
        return json.dumps(self.to_json())

    def to_json(self) -> dict[str, Any]:
        """Plain values."""
        return {"schema": SCHEMA, **to_json(self)}


def read(text: bytes) -> dict[str, Any]:
    """What a file of evidence holds, not yet of any kind; it has the id of an `exercise`. Raises Damaged."""
    if len(text) > LARGEST_EVIDENCE_BYTES:
        raise Damaged(f"expected {LARGEST_EVIDENCE_BYTES >> 20} MiB of JSON at most")
    try:
        found = json.loads(text.decode())
    except UnicodeDecodeError as error:
        raise Damaged(f"expected JSON in UTF-8, found another byte at {error.start}") from error
    except RecursionError as error:
        raise Damaged("expected JSON, found some nested too deeply") from error
    except ValueError as error:
        raise Damaged(f"expected JSON, found other text ({error})") from error
    if not isinstance(found, dict) or not isinstance(id := found.get("exercise"), str) or len(id) > LONGEST_ID:
        raise Damaged("expected one object of JSON that names its exercise")
    if type(found.get("schema")) is not int or found.pop("schema") != SCHEMA:
        raise Damaged(f"expected evidence of schema {SCHEMA}, found another")
    return found


def of_kind(kind: type, found: Mapping[str, Any]) -> Evidence:
    """The evidence in it; what was `seen` is of the case's kind. Raises Damaged."""
    common = {name: each for name, each in found.items() if name != "seen"}
    try:
        evidence: Evidence = from_json(Evidence, common, "evidence")
        seen = None if found.get("seen") is None else from_json(kind, found["seen"], "evidence.seen")
    except RecursionError as error:  # a packet may quote one
        raise Damaged("expected JSON, found some nested too deeply") from error
    return replace(evidence, seen=seen)
