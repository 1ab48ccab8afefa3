"""Does the book's own configuration build a chapter: warnings as errors, offline, the same twice?"""

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from host.paths import REPOSITORY
from tests.site.conftest import PROVENANCE, SOURCE, code, markdown, notebook

QUOTE = ":::{annotated-source} net/wait/queue.c queue_length\n\n1. `length++;`: a *note*\n:::\n"
OTHER = QUOTE.replace("\n\n", "\n:tree: qemu\n\n", 1)
BUILD = "from jupyter_book.cli.main import main; main()"


def chapter(folder: Path) -> Path:
    """The book's configuration with a chapter of our own, and things to ignore. Its extensions are the checkout's."""
    shutil.copy(REPOSITORY / "_config.yml", folder)
    shutil.copytree(
        REPOSITORY / "book",
        folder / "book",
        ignore=lambda where, names: [n for n in names if n in ("_recordings", "_ext") or n.endswith(".md")],
    )
    toc = {
        "format": "jb-book",
        "root": "book/index",
        "parts": [{"caption": "1", "chapters": [{"file": "book/wait", "sections": [{"file": "notebooks/wait"}]}]}],
    }
    files = {
        "_toc.yml": json.dumps(toc),
        "book/index.md": "# A book\n",
        "book/wait.md": f"# Wait\n\n{{recorded}}`wait ms .0f` ms for $HOME and $PATH\n\n{QUOTE}\n{OTHER}",
        "book/_recordings/wait.json": json.dumps({"provenance": PROVENANCE, "ms": 257.3}),
        "notebooks/wait.ipynb": notebook(markdown(QUOTE), code("run()")),
        "notebooks/wait.md": "# The text source\n",
        "README.md": "# No page\n",
        "labs/cases/notes.md": "# No page\n",
    }
    (folder / "core").mkdir(exist_ok=True)
    shutil.copy(REPOSITORY / "core/style.toml", folder / "core")
    for name, text in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text)
    return folder


def build(folder: Path) -> subprocess.CompletedProcess:
    """What ./lab book runs."""
    environment = os.environ | {
        "LAB_KERNEL_SOURCE": str(SOURCE),
        "LAB_QEMU_SOURCE": str(SOURCE),
        "PYTHONDONTWRITEBYTECODE": "1",
    }
    return subprocess.run(
        [sys.executable, "-P", "-c", BUILD, "build", ".", "--all", "-W", "-n", "--keep-going"],
        cwd=folder,
        env=environment,
        capture_output=True,
        text=True,
    )


def pages(folder: Path) -> dict[str, bytes]:
    """Every written file by its path."""
    html = folder / "_build/html"
    return {str(f.relative_to(html)): f.read_bytes() for f in html.rglob("*") if f.is_file()}


@pytest.fixture(scope="module")
def built(tmp_path_factory):
    """The chapter, built once."""
    folder = chapter(tmp_path_factory.mktemp("a book"))  # a path with a space
    run = build(folder)
    assert run.returncode == 0, run.stdout + run.stderr
    return folder


def test_pages_and_only_pages(built):
    names = {name for name in pages(built) if name.endswith(".html") and not name.startswith("_static")}
    assert names == {
        "index.html",
        "genindex.html",
        "search.html",
        "book/index.html",
        "book/wait.html",
        "notebooks/wait.html",
    }
    assert b"The text source" not in pages(built)["notebooks/wait.html"]


def test_both_source_trees_are_quoted_each_with_its_own_link(built):
    page = pages(built)["book/wait.html"].decode()
    for name in ("linux", "qemu"):
        assert f"https://elixir.bootlin.com/{name}/v6.1.7/source/net/wait/queue.c#L" in page


def test_nothing_is_loaded_from_another_host(built):
    loading = re.compile(
        rb"""<(?:link|script|img|iframe|source|video)\b[^>]*?(?:href|src)=["']"""
        rb"""((?:https?:)?//[^"']+)|@import\s+(?:url\()?["']?(https?://[^"')]+)|"""
        rb"""url\(["']?((?:https?:)?//[^"')]+)"""
    )
    found = {name: loading.findall(text) for name, text in pages(built).items() if name.endswith((".html", ".css"))}
    assert {name: links for name, links in found.items() if links} == {}


def test_no_path_of_this_machine_is_on_a_page(built):
    for name, text in pages(built).items():
        assert str(SOURCE).encode() not in text and str(built).encode() not in text, name


def test_the_same_sources_give_the_same_book(built, tmp_path):
    folder = chapter(tmp_path)
    assert build(folder).returncode == 0
    assert pages(folder) == pages(built)


def test_a_fault_is_an_exit_status(tmp_path):
    folder = chapter(tmp_path)
    (folder / "book/wait.md").write_text(f"# Wait\n\n{QUOTE.replace('length++;', 'goto out;')}")
    run = build(folder)
    assert run.returncode != 0
    assert "wait.md:5: ERROR: callout 1" in run.stderr and "found twice" in run.stderr
