"""Which exercise is meant, and is this answer right? Found as data, judged by its case.

labs/cases/<case>/exercises/<n>/exercise.toml holds `title`, `task`, `worth`, which tells the reader where
the verdict is seen from and what an answer could forge there, `hints`, `allowed`, the hosts that an answer may touch,
perhaps `applies`, if an answer makes the machine that it is judged on, and `deadline_s`, after which the host ends a
guest that an answer has broken.
labs/cases/<case>/judges.py offers `JUDGES`, a function for each number:
judge(exercise, answer, verdict) adds its checks to the verdict.
"""

from __future__ import annotations

import contextlib
import importlib
import re
import tomllib
from dataclasses import dataclass
from pathlib import Path

from labs.case import cases
from labs.errors import CannotTry, CouldNotTell
from labs.judge.verdict import Judged, Verdict
from labs.net.topology import Node


class Unknown(Exception):
    """No such exercise; the message names those that there are."""


@dataclass(frozen=True)
class Exercise:
    """One exercise, read. `allowed` are the hosts that an answer may touch. `applies` is "guest" where
    the judge applies the answer; else the host has applied it to the machine that we run on."""

    id: str
    folder: Path
    title: str
    task: str
    worth: str
    allowed: frozenset[str]
    applies: str = "guest"


def exercise(id: str) -> Exercise:
    """The exercise "case/n". Raises Unknown with the known ones."""
    known = {
        f"{case.name}/{folder.name}": folder
        for case in cases().values()
        for folder in sorted((case.folder / "exercises").glob("[0-9]*"), key=lambda f: int(f.name))
    }
    if id not in known:
        raise Unknown(f"no exercise {id!r}; there are: {', '.join(known)}")
    read = tomllib.loads((known[id] / "exercise.toml").read_text())
    return Exercise(
        id,
        known[id],
        read["title"],
        read["task"],
        read["worth"],
        frozenset(read.get("allowed", [])),
        read.get("applies", "guest"),
    )


def judge(id: str, answer: str) -> Verdict:
    """Judge an answer. A machine that lacks something gives SKIP with the reason, one that did not hold still,
    or an instrument that lost something, COULD NOT TELL."""
    asked = exercise(id)
    verdict = Verdict(id)
    if not re.search(r"^\s*(?!#|//)\S", answer, re.MULTILINE):
        verdict.expect(False, "", "the answer is empty: only blanks and comments were found")
        return verdict
    judges = importlib.import_module(f"labs.cases.{asked.folder.parent.parent.name}.judges")
    try:
        with contextlib.suppress(Judged):
            judges.JUDGES[asked.folder.name](asked, answer, verdict)
    except CannotTry as reason:
        verdict.skipped = f"{reason}. Next: {reason.next_command}"
    except CouldNotTell as reason:
        verdict.untold = f"{reason}. Next: the same call again"
    return verdict


# What a host is set to do with packets, by commands whose output holds still while packets pass.
SETTINGS = (
    ("ip", "-oneline", "link"),
    ("ip", "-oneline", "address"),
    ("ip", "route", "show", "table", "all"),
    ("ip", "rule"),
    ("ip", "-6", "rule"),
    ("ip", "addrlabel"),
    ("iptables-legacy-save",),
    ("iptables-nft-save",),
    ("ipvsadm", "-S", "-n"),
    ("tc", "qdisc"),
)
# And these files of /proc/sys/net, read by grep: sysctl -a looks at a thousand names to find them.
KERNEL_PARAMETERS = "ipv4/conf ipv4/route ipv4/tcp_* ipv4/ip_* ipv4/vs ipv6/conf ipv6/route ipv6/ip_nonlocal_bind"
PARAMETER = re.compile(r"/proc/sys/(\S+?):(.*)")


def settings(node: Node) -> list[str]:
    """A host's settings as lines, to be compared before and after an answer."""
    script = "; ".join(" ".join(f"'{word}'" for word in command) for command in SETTINGS)
    files = " ".join(f"/proc/sys/net/{files}" for files in KERNEL_PARAMETERS.split())
    output = node.on("sh", "-c", f"({script}; grep -rs '' {files}) 2>/dev/null; true")
    # Counters and the time of saving move by themselves.
    return [
        PARAMETER.sub(r"\1 = \2", re.sub(r"\[\d+:\d+\]", "", line)) for line in output.splitlines() if line[:1] != "#"
    ]


def first_change(before: list[str], after: list[str]) -> str | None:
    """The first setting that differs, for a person; None if all are as they were."""
    old, new = set(before), set(after)
    for line in after:
        if line not in old:
            return f"now {line.strip()!r}"
    for line in before:
        if line not in new:
            return f"gone: {line.strip()!r}"
    return None
