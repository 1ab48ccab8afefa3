"""Which tests does a change call for? The base, always. The rest is cut into parts. A part comes along if its own
files have changed since it last passed, and is owed if only its machinery has. tests/whole.toml says what passed on
which commit."""

import subprocess
import time
import tomllib
from collections.abc import Callable
from dataclasses import dataclass

from core import cases
from host.paths import REPOSITORY
from host.phases import say

BASE = "base"
RECORD = "tests/whole.toml"
AT_MOST_S = 480  # of parts that come along with the base
MACHINERY = ("core/", "host/", "labs/", "vm-image/", "tests/vm/", "tests/guest/", "lab", "requirements.txt")
# Files of tests/vm that have no test of a case.
OF_NO_CASE = "accounts answers c_answers damage evidence forgery kernel qemu shell tab toolbox vm".split()
# Of these, what no test of a case runs through: the kernel in a browser's tab, what draws, measures or chooses tests.
ASIDE = (
    "host/tab/",
    "vm-image/tab/",
    *(f"tests/vm/test_{name}.py" for name in OF_NO_CASE),
    "host/site/",
    "host/testing/",
    "host/bench.py",
    "host/chromium.py",
    "host/doctor.py",
    "host/fetching/",
    "host/recording/conclusions.py",
)
HEAD = """\
# The commit on which each part of the tests last passed, and the seconds that it took. Written by
# `./lab test --all`; a part is owed again when files that it tests have changed since.
"""


@dataclass(frozen=True)
class Part:
    """A part of the tests beyond the base. It comes along when its `own` files change (paths as git has them, folders
    with a slash at their end), and is owed when its `machinery` does, what lies `aside` left out."""

    own: tuple[str, ...]
    machinery: tuple[str, ...] = ()
    aside: tuple[str, ...] = ()


def parts() -> dict[str, Part]:
    """By the name that tests say: `@pytest.mark.whole("site")`."""
    own = {
        name: (f"labs/cases/{case.folder.name}/", f"notebooks/{name}.md", f"tests/guest/test_{case.folder.name}.py")
        for name, case in cases.cases().items()
    }
    of_cases = {
        name: Part(paths, MACHINERY, sum((own[other] for other in own if other != name), ASIDE))
        for name, paths in own.items()
    }
    return {
        "site": Part(
            (
                "book/",
                "notebooks/",
                "tests/site/",
                "core/style.toml",
                "_config.yml",
                "_toc.yml",
                "requirements.txt",
                "host/chromium.py",
                "host/site/",
                "host/tab/",
                "vm-image/tab/",
                "vm-image/qemu/",
            )
        ),
        "machinery": Part(("book/toolbox.md",), MACHINERY),  # whose lines are tried in the VM
        **of_cases,
    }


def recorded() -> dict[str, dict]:
    """{part: {"passed_on": commit, "took_s": seconds}}"""
    file = REPOSITORY / RECORD
    return tomllib.loads(file.read_text()) if file.exists() else {}


def _git(*words: str) -> list[str] | None:
    """The lines that git says; None if it fails, or is not there."""
    try:
        done = subprocess.run(["git", "-C", str(REPOSITORY), *words], capture_output=True, text=True)
    except FileNotFoundError:
        return None
    return done.stdout.splitlines() if done.returncode == 0 else None


def changed_since(commit: str) -> list[str] | None:
    """Files that differ from that commit, in the working tree too; None if this clone does not have it."""
    differ, new = (
        _git("diff", "--name-only", "--no-renames", commit, "--"),
        _git("ls-files", "-o", "--exclude-standard"),
    )
    return None if differ is None or new is None else differ + new


def _touched(files: list[str], paths: tuple[str, ...]) -> bool:
    return any(file == path or path.endswith("/") and file.startswith(path) for file in files for path in paths)


def stale(known: dict[str, dict]) -> dict[str, bool]:
    """The parts that have not passed on the files as they are, each with whether its own files are why."""
    found = {}
    for name, part in parts().items():
        files = changed_since(known[name]["passed_on"]) if name in known else None
        own = files is not None and _touched(files, part.own)
        if (
            files is None
            or own
            or any(_touched([file], part.machinery) and not _touched([file], part.aside) for file in files)
        ):
            found[name] = own
    return found


def due() -> tuple[list[str], list[str]]:
    """(the parts that come along with the base, those that are owed)"""
    known = recorded()
    along, left_s, of = [], AT_MOST_S, stale(known)
    for name in sorted((name for name in of if of[name]), key=lambda name: known[name]["took_s"]):
        if known[name]["took_s"] <= left_s:
            along.append(name)
            left_s -= known[name]["took_s"]
    return along, [name for name in of if name not in along]


def passed(name: str, run: Callable[[], int], whole: bool = True) -> int:
    """Run a part; its status. Write down that it passed, if the `whole` of it ran and what it ran on is a commit, or
    that it did not."""
    commit, began = _head(), time.monotonic()
    status = run()
    if name == BASE or not (status or whole):
        return status
    known = recorded()
    if status:
        known.pop(name, None)
    elif commit and _head() == commit:
        known[name] = {"passed_on": commit, "took_s": round(time.monotonic() - began)}
    else:
        say(f"{name} passed; not written to {RECORD}, because there are changes without a commit")
    _record(known)
    return status


def came_along(names: list[str], run: Callable[[], int]) -> int:
    """Run these parts, with others; the status. Write down that they passed, if what they ran on is a commit. What they
    took is kept from when they ran alone."""
    commit, status = _head(), run()
    if names and status == 0 and commit and _head() == commit:
        known = recorded()
        _record(known | {name: known[name] | {"passed_on": commit} for name in names})
        say(f"passed, and written to {RECORD}: {', '.join(names)}")
    return status


def _record(known: dict[str, dict]) -> None:
    lines = [
        f'\n[{part}]\npassed_on = "{entry["passed_on"]}"\ntook_s = {entry["took_s"]}\n'
        for part, entry in sorted(known.items())
    ]
    if known or (REPOSITORY / RECORD).exists():
        (REPOSITORY / RECORD).write_text(HEAD + "".join(lines))


def _head() -> str | None:
    """The commit that the working tree is, but for the record; None if it is not one."""
    differ, head = _git("status", "--porcelain", "--", ".", f":!{RECORD}"), _git("rev-parse", "HEAD")
    return head[0] if head and differ == [] else None
