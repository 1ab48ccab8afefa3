"""Which tests does a change call for? The base, always. The rest is cut into parts: a part comes along if its own files
differ from the commit that landed last, which the environment's LAND_BASE names."""

import json
import os
import subprocess
from collections.abc import Callable
from dataclasses import dataclass

from core import cases
from core.files import write_whole
from host.paths import REPOSITORY
from host.phases import say

BASE = "base"
RECORD = "_build/tests/passed.json"  # so that `./lab test --all` goes on where it was ended
AT_MOST_S = 480  # of parts that come along with the base
A_CASE_S = 1000  # its answers, each in a guest
MACHINERY = (
    "core/",
    "host/",
    "labs/",
    "vm-image/",
    "tests/vm/",
    "tests/guest/",
    "lab",
    "requirements.txt",
    "tests/requirements.txt",
)
# Files of tests/vm that have no test of a case.
OF_NO_CASE = "accounts answers c_answers damage evidence forgery kernel qemu shell tab toolbox vm".split()
# Of these, what no test of a case runs through: the kernel in a browser's tab, what draws, measures or chooses tests.
NOT_ON_PATH = (
    "host/tab/",
    "vm-image/tab/",
    *(f"tests/vm/test_{name}.py" for name in OF_NO_CASE),
    "host/site/",
    "host/testing/",
    "host/bench.py",
    "host/cache.py",
    "host/chromium.py",
    "host/doctor.py",
    "host/fetching/",
    "host/recording/conclusions.py",
    "host/recording/update.py",
)


@dataclass(frozen=True)
class Part:
    """A part of the tests beyond the base. It comes along when its `own` files change (paths as git has them, folders
    with a slash at their end). `./lab test --all` runs it again when its `machinery` has changed too, what lies `aside`
    left out. `about_s` is what it took on two quiet cores."""

    about_s: int
    own: tuple[str, ...]
    machinery: tuple[str, ...] = ()
    aside: tuple[str, ...] = ()


def parts() -> dict[str, Part]:
    """The parts by the name that tests say: `@pytest.mark.part("site")`."""
    own = {
        name: (f"labs/cases/{case.folder.name}/", f"notebooks/{name}.md", f"tests/guest/test_{case.folder.name}.py")
        for name, case in cases.cases().items()
    }
    of_cases = {
        name: Part(A_CASE_S, paths, MACHINERY, sum((own[other] for other in own if other != name), NOT_ON_PATH))
        for name, paths in own.items()
    }
    return {
        "site": Part(
            340,
            (
                "book/",
                "notebooks/",
                "tests/site/",
                "core/style.toml",
                "_config.yml",
                "_toc.yml",
                "requirements.txt",
                "tests/requirements.txt",
                "host/chromium.py",
                "host/site/",
                "host/tab/",
                "vm-image/tab/",
                "vm-image/qemu/",
            ),
        ),
        # Every known answer that a page can judge, half a minute each; only `./lab test --all` has time for them.
        "tab": Part(3000, (), ("core/", "labs/", "host/tab/", "vm-image/tab/", "tests/vm/test_tab_answers.py")),
        "machinery": Part(370, ("book/toolbox.md",), MACHINERY),  # whose lines are tried in the VM
        **of_cases,
    }


def recorded() -> dict[str, str]:
    """The commit on which each part passed last in this checkout, by its name."""
    try:
        known = json.loads((REPOSITORY / RECORD).read_text())
    except (OSError, ValueError):
        known = {}
    return known if isinstance(known, dict) else {}


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


def touched() -> tuple[list[str], list[str]]:
    """(the parts that come along with the base, those for which there is no time), by what differs from LAND_BASE. Both
    are empty where the environment names no commit, as in CI, which judges what has been judged before."""
    files = changed_since(os.environ["LAND_BASE"]) if os.environ.get("LAND_BASE") else []
    left_s, along, of = AT_MOST_S, [], parts()
    names = [name for name, part in of.items() if files is None or _touched(files, part.own)]
    for name in sorted(names, key=lambda name: of[name].about_s):
        if of[name].about_s <= left_s:
            along.append(name)
            left_s -= of[name].about_s
    return along, [name for name in names if name not in along]


def not_passed() -> list[str]:
    """The parts that have not passed on the files as they are."""
    known = recorded()
    return [
        name
        for name, part in parts().items()
        if (files := changed_since(known[name]) if name in known else None) is None
        or any(_touched([file], part.own + part.machinery) and not _touched([file], part.aside) for file in files)
    ]


def passed(name: str, run: Callable[[], int], whole: bool = True) -> int:
    """Run a part; its status. Write down that it passed, if the `whole` of it ran and what it ran on is a commit, or
    that it did not."""
    commit, status = _head(), run()
    if name == BASE or not (status or whole):
        return status
    known = recorded()
    if status:
        known.pop(name, None)
    elif commit and _head() == commit:
        known[name] = commit
    else:
        say(f"{name} passed; not written to {RECORD}, because there are changes without a commit")
    file = REPOSITORY / RECORD
    file.parent.mkdir(parents=True, exist_ok=True)
    write_whole(file, json.dumps(known, indent=1))
    return status


def _head() -> str | None:
    """The commit that the working tree is; None if it is not one."""
    differ, head = _git("status", "--porcelain"), _git("rev-parse", "HEAD")
    return head[0] if head and differ == [] else None
