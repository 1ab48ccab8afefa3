"""Where in a kernel file does a function stand, and which lines of it does a page quote?

universal-ctags names each definition with its first and last line; the rest is choosing. Nothing
here knows Sphinx, the VM or where a source tree came from: a tree is a folder of files at their
own paths, with a file VERSION of two lines::

    upstream 6.1.192
    package linux-source-6.1 6.1.192-2

Every way to quote the wrong line is an error: a name or a pattern has to match exactly once.
"""

import difflib
import functools
import json
import re
import subprocess
from dataclasses import dataclass
from pathlib import Path

CTAGS_NEXT = "Next: sudo apt-get install -y universal-ctags"
# What a page may quote by name. ctags also knows prototypes, members and locals; nobody means those.
KINDS = {"function": "f", "macro": "d", "struct": "s", "union": "u", "enum": "g", "typedef": "t", "variable": "v"}
# SYSCALL_DEFINE6(splice, …) defines splice(), but to ctags it is a function SYSCALL_DEFINE6.
SYSCALL = re.compile(r"(?:COMPAT_)?SYSCALL_DEFINE\d$")
DIRECTIVE = re.compile(r"^[ \t>]*(?P<fence>[:`~]{3,})\{annotated-source\}[ \t]+(?P<path>\S+)")
TREE_OPTION = re.compile(r"^[ \t>]*:tree:[ \t]*(\S+)")


class SourceError(Exception):
    """What was expected of a source tree, a file or a pattern, and what was found instead."""


@dataclass(frozen=True)
class Version:
    """Whose source this is: the upstream release, and the Debian package with its own version."""

    upstream: str
    package: str


@dataclass(frozen=True)
class Definition:
    """One definition in one file. Lines count from 1, both ends belong to it."""

    name: str
    kind: str
    first: int
    last: int


@dataclass(frozen=True)
class Excerpt:
    """The quoted lines of one definition, and the whole of it, from which they were cut."""

    path: str
    definition: Definition
    text: tuple[str, ...]  # the whole definition: a highlighter must see where a comment began
    first: int
    last: int

    @property
    def label(self) -> str:
        """How prose writes the name: `tcp_v4_err()`, `struct sock`, `TCP_MSS`."""
        kind, name = self.definition.kind, self.definition.name
        if kind == "function":
            return f"{name}()"
        return f"{kind} {name}" if kind in ("struct", "union", "enum") else name

    @property
    def lines(self) -> tuple[str, ...]:
        """The quoted lines alone."""
        offset = self.first - self.definition.first
        return self.text[offset : offset + self.last - self.first + 1]

    def line_of(self, pattern: str, what: str = "callout") -> int:
        """The number of the one quoted line that matches."""
        found = [self.first + index for index in matching(self.lines, pattern)]
        return one_line(
            found, pattern, f"{what} in the quoted lines {self.first}-{self.last} of {self.label} in {self.path}"
        )


def matching(lines: tuple[str, ...] | list[str], pattern: str) -> list[int]:
    """Indices of the lines that match: a literal in which any run of blanks equals any other
    (so that no one has to type the kernel's tabs), or `re:` and a regular expression."""
    if not pattern.strip():
        raise SourceError("an empty pattern matches every line; expected a piece of one")
    if pattern.startswith("re:"):
        try:
            expression = re.compile(pattern[3:].strip())
        except re.error as error:
            raise SourceError(f"{pattern!r} is no regular expression: {error}") from None
        return [i for i, line in enumerate(lines) if expression.search(line)]
    wanted = " ".join(pattern.split())
    return [i for i, line in enumerate(lines) if wanted in " ".join(line.split())]


def one_line(found: list[int], pattern: str, where: str) -> int:
    """The only number in `found`; otherwise an error that says where and, for several, which."""
    if not found:
        raise SourceError(f"{where}: {pattern!r} not found; expected exactly one line")
    if len(found) > 1:
        times = "twice" if len(found) == 2 else f"{len(found)} times"
        raise SourceError(
            f"{where}: {pattern!r} found {times}, in lines "
            f"{', '.join(map(str, found))}; expected exactly one line. "
            "Next: a longer pattern"
        )
    return found[0]


def read_version(root: Path) -> Version:
    """What the tree's VERSION file says."""
    try:
        text = (root / "VERSION").read_text("utf-8")
    except OSError:
        raise SourceError(f"{root.name}/VERSION is missing from the source tree") from None
    fields = dict(line.split(maxsplit=1) for line in text.splitlines() if len(line.split()) > 1)
    if not {"upstream", "package"} <= fields.keys():
        raise SourceError(
            f"VERSION of the source tree: expected the lines 'upstream …' and 'package …', found {text.strip()!r}"
        )
    return Version(fields["upstream"].strip(), fields["package"].strip())


def licence_of(text: str, default: str) -> str:
    """What the file's head says: its SPDX line, or the words that open the MIT licence."""
    head = "\n".join(text.splitlines()[:10])
    found = re.search(r"SPDX-License-Identifier:\s*(.+?)\s*(?:\*/)?\s*$", head, re.MULTILINE)
    if found:
        return found.group(1)
    return "MIT" if "Permission is hereby granted, free of charge" in head else default


def definitions(file: Path) -> list[Definition]:
    """Every definition ctags sees in a C file, in the file's order."""
    status = file.stat()
    return list(_definitions(file, status.st_mtime_ns, status.st_size))


@functools.cache
def _definitions(file: Path, _mtime_ns: int, _size: int) -> tuple[Definition, ...]:
    # The language is named because ctags takes a .h for C++.
    command = [
        "ctags",
        "--quiet",
        "--options=NONE",
        "--language-force=C",
        "--output-format=json",
        "--fields=+neKS",
        f"--kinds-C={''.join(KINDS.values())}",
        "--sort=no",
        "-f",
        "-",
        str(file.absolute()),
    ]
    try:
        run = subprocess.run(command, capture_output=True, text=True, timeout=60)
    except FileNotFoundError:
        raise SourceError(f"ctags is missing; it finds functions in C files. {CTAGS_NEXT}") from None
    if run.returncode or "--output-format" in run.stderr:
        raise SourceError(
            f"ctags cannot read {file.name} (is it universal-ctags with JSON?): "
            f"{run.stderr.strip() or run.returncode}. {CTAGS_NEXT}"
        )
    lines = read(file).splitlines()
    tags = map(json.loads, run.stdout.splitlines())
    return tuple(_definition(tag, lines) for tag in tags if tag.get("kind") in KINDS)


def _definition(tag: dict, lines: list[str]) -> Definition:
    name, first = tag["name"], tag["line"]
    if tag["kind"] == "function" and SYSCALL.match(name):
        name = tag.get("signature", "(").strip("()").split(",")[0].strip() or name
    # ctags points at the name; in `static int⏎name(…)` the definition began a line before.
    while tag["kind"] == "function" and _begins_a_declaration(lines, first - 1):
        first -= 1
    return Definition(name, tag["kind"], first, tag.get("end", tag["line"]))


def _begins_a_declaration(lines: list[str], number: int) -> bool:
    """Does line `number` hold a return type whose function name stands on the line after it?"""
    if number < 1:
        return False
    line, before = lines[number - 1].rstrip(), lines[number - 2].rstrip() if number > 1 else ""
    return (
        bool(re.match(r"[A-Za-z_]", line))
        and line[-1] not in ";}:,\\"
        and not line.endswith("*/")
        and not before.endswith("\\")
    )


def read(file: Path) -> str:
    """A source file's text. A stray byte in a comment must not stop a build."""
    return file.read_text("utf-8", errors="replace")


def find(root: Path, path: str, symbol: str, having: str | None = None) -> Definition:
    """The one definition of `symbol` ("tcp_v4_err", or with its kind: "struct sock") in a file.

    `having` picks, of several definitions under different #ifdef, the one with a line like it.
    """
    file = root / path
    if not file.is_file():
        raise SourceError(
            f"{path} is not in the source tree. Next: is the path right? Then "
            "./lab book, which fetches what the pages quote"
        )
    *kind, name = symbol.removesuffix("()").split()
    known = definitions(file)
    found = [d for d in known if d.name == name and (not kind or d.kind == kind[0])]
    if having:
        lines = read(file).splitlines()
        found = [d for d in found if matching(lines[d.first - 1 : d.last], having)]
    if not found:
        near = difflib.get_close_matches(name, sorted({d.name for d in known}), 3)
        hint = f"; the nearest names there: {', '.join(near)}" if near else ""
        within = f" with a line like {having!r}" if having else ""
        raise SourceError(f"{path}: {symbol}{within} not found{hint}")
    if len(found) > 1:
        each = "; ".join(f"{d.kind} in lines {d.first}-{d.last}" for d in found)
        fix = ":with: and a line that only the wanted one has"
        if len({d.kind for d in found}) == len(found):
            fix = f"its kind with its name, `{found[0].kind} {name}`"
        raise SourceError(f"{path}: {symbol} found {'twice' if len(found) == 2 else 'often'}: {each}. Next: {fix}")
    return found[0]


def excerpt(
    root: Path,
    path: str,
    symbol: str,
    *,
    start: str | None = None,
    end: str | None = None,
    end_next: str | None = None,
    having: str | None = None,
) -> Excerpt:
    """The lines of a definition from the line like `start` to the line like `end`.

    `start` and `end` match once in the whole definition. `end_next` is for an end that cannot
    (`goto out;`): the first line like it from `start` on.
    """
    definition = find(root, path, symbol, having)
    text = tuple(read(root / path).splitlines()[definition.first - 1 : definition.last])
    whole = Excerpt(path, definition, text, definition.first, definition.last)
    first = whole.line_of(start, "start") if start else whole.first
    last = whole.line_of(end, "end") if end else whole.last
    if end_next:
        after = Excerpt(path, definition, text, first, whole.last)
        found = [first + index for index in matching(after.lines, end_next)]
        last = one_line(found[:1], end_next, f"end at or after line {first} of {whole.label} in {path}")
    if last < first:
        raise SourceError(
            f"{path}, {whole.label}: the end {end!r} (line {last}) stands before the start {start!r} (line {first})"
        )
    return Excerpt(path, definition, text, first, last)


def quoted_files(folder: Path, tree: str = "linux") -> list[str]:
    """The paths that the book under `folder` quotes from a tree, sorted: what has to be fetched.

    Reads the text of pages and notebooks, so it works before anything was built.
    """
    pages = [*Path(folder).glob("book/*.md"), *Path(folder).glob("notebooks/*.md")]
    found = set()
    for page in pages:
        found |= {path for name, path in _quotes(page.read_text("utf-8")) if name == tree}
    return sorted(found)


def _quotes(text: str) -> list[tuple[str, str]]:
    """(tree, path) of each directive in a page."""
    found, fence = [], None
    for line in text.splitlines():
        if opening := DIRECTIVE.match(line):
            fence = opening["fence"]
            found.append(("linux", opening["path"]))
        elif fence and line.strip(" \t>") == fence:
            fence = None
        elif fence and (option := TREE_OPTION.match(line)):
            found[-1] = (option[1], found[-1][1])
    return found
