"""Are the pages at the back complete, and do they agree with the chapters and the recorded stacks?"""

import json
import re
from pathlib import Path

import pytest

from core.draw import figures
from host.paths import REPOSITORY

CHAPTERS = sorted(REPOSITORY.glob("book/*.md")) + sorted(REPOSITORY.glob("notebooks/*.md"))
BACK = {"glossary.md", "references.md", "corrections.md"}
ENTRY = re.compile(r"((?:^`\w+\(\)`\n)+)  (.+\n(?:  .+\n)*)", re.MULTILINE)
FILE = re.compile(r"`([\w./-]+\.(?:c|h|S))`")
QUOTE = re.compile(r"\{annotated-source\} (\S+) (\S+)")
HASH = re.compile(r"(?<![\w/])`?([0-9a-f]{10,12})`?(?![\w])")
RFC = re.compile(r"RFC (\d{4})")
NO_DEFINITION = {
    "__x64_sys_splice",  # made by a macro
    "splice_to_socket",
}  # of 6.12, says its entry
REFERENCES = (REPOSITORY / "book/references.md").read_text("utf-8")


def entries() -> dict[str, set[str]]:
    """The files that the glossary names, by function."""
    text = (REPOSITORY / "book/glossary.md").read_text("utf-8")
    return {
        name: set(FILE.findall(said))
        for names, said in ENTRY.findall(text)
        for name in re.findall(r"`(\w+)\(\)`", names)
    }


def quoted() -> set[tuple[str, str]]:
    """Every function whose code a chapter shows, with its file."""
    return {(name, path) for page in CHAPTERS for path, name in QUOTE.findall(page.read_text("utf-8"))}


def told() -> set[tuple[str, str | None]]:
    """Every frame of the told stacks, with its file where the recording has it."""
    found = set()
    for file in sorted(REPOSITORY.glob(f"book/_recordings/*/*{figures.SUFFIX}")):
        figure = json.loads(file.read_text("utf-8"))
        if figure["kind"] == "stack":
            found |= {(row["told"], row["source"]) for row in figure["rows"] if row["told"]}
    return found


def hashes(pages: list[Path]) -> set[str]:
    """The commits that pages name, by hash: with a letter and a digit, so no number and no word."""
    return {
        each
        for page in pages
        for each in HASH.findall(page.read_text("utf-8"))
        if re.search(r"[a-f]", each) and re.search(r"\d", each)
    }


@pytest.mark.parametrize("functions", [quoted, told])
def test_every_function_has_an_entry_with_its_file(functions):
    known = entries()
    assert len(functions()) > 40
    assert [name for name, _ in sorted(functions(), key=str) if name not in known] == []
    assert [(name, file, known[name]) for name, file in functions() if file and file not in known[name]] == []


def test_an_entry_names_the_file_of_its_function():
    """Those whose file is among the quoted ones."""
    from book._ext.quoted.kernel_source import SourceError, excerpt
    from host.site import quoted

    tree = quoted.kernel_source()
    checked, wrong = 0, []
    for name, files in entries().items():
        here = [file for file in files if (tree / file).is_file()]
        if len(files) == len(here) == 1 and name not in NO_DEFINITION:
            try:
                excerpt(tree, here[0], name)
                checked += 1
            except SourceError as error:
                wrong.append(str(error))
    assert wrong == [] and checked > 50


def test_the_references_have_every_commit_and_no_other():
    pages = [page for page in CHAPTERS if page.name not in BACK]
    assert hashes(pages) == hashes([REPOSITORY / "book/references.md"])


def test_the_references_have_every_rfc_and_no_other():
    named = {
        number for page in CHAPTERS if page.name != "references.md" for number in RFC.findall(page.read_text("utf-8"))
    }
    listed = re.findall(r"^\| \[(\d{4})\]\(https://www\.rfc-editor\.org/rfc/rfc\1\)", REFERENCES, re.MULTILINE)
    assert named == set(listed)


def test_the_references_are_links_by_https():
    links = re.findall(r"\]\((\w+://[^)]+)\)", REFERENCES)
    assert len(links) > 40 and all(link.startswith("https://") for link in links)


GLOSSARY = re.compile(r"^(:{3,}|`{3,})\{glossary\}\n(.*?)^\1$", re.DOTALL | re.MULTILINE)


def uneven(text: str) -> list[str]:
    """Lines of definitions that are not as far in as the line before: docutils takes as much off each line as the
    first one has, letters too."""
    found = []
    for entry in (paragraph for _, block in GLOSSARY.findall(text) for paragraph in block.split("\n\n")):
        inside = [line for line in entry.splitlines() if line.startswith(" ")]
        found += [
            line
            for before, line in zip(inside, inside[1:])
            if len(before) - len(before.lstrip()) != len(line) - len(line.lstrip())
        ]
    return found


@pytest.mark.parametrize("page", ["glossary", "kernel-c"])
def test_no_line_of_a_definition_loses_its_first_letters(page):
    assert uneven((REPOSITORY / f"book/{page}.md").read_text("utf-8")) == []


def test_such_a_line_is_found():
    assert uneven("```{glossary}\nprobe timer\n    It is meant for\n  asking.\n```\n") == ["  asking."]
