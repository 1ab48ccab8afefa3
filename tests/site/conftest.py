"""Small Sphinx projects, built in this process, over a small source tree of our own."""

import io
import json
import os
import re
import shutil
from dataclasses import dataclass
from pathlib import Path

import pytest
from filelock import FileLock

from host.chromium import served

SOURCE = Path(__file__).parent / "source"

PROVENANCE = {
    "kernel": "6.1.0-56-amd64",
    "qemu": "7.2.22",
    "acceleration": "tcg",
    "date": "2026-11-20",
    "commit": "abc1234",
}


@pytest.fixture(scope="session", autouse=True)
def needed():
    """No quiet skipping: without these there is no book."""
    for command, package in (("ctags", "universal-ctags"), ("dot", "graphviz")):
        if not shutil.which(command):
            pytest.exit(f"{command} is missing. Next: sudo apt-get install -y {package}", 3)


@pytest.fixture(scope="session")
def built_site(tmp_path_factory) -> Path:
    """The folder of the real book, built once in a run: of its workers the first that needs it builds, and the others
    wait for that one."""
    from host.site import build

    folder = tmp_path_factory.getbasetemp()
    if os.environ.get("PYTEST_XDIST_WORKER"):
        folder = folder.parent  # which the workers of a run have in common
    built = folder / "built-site"
    with FileLock(folder / "built-site.lock"):
        if not built.exists():
            built.write_text(str(build.book()))
    return Path(built.read_text())


@pytest.fixture(scope="session")
def site(built_site):
    """The site's address on loopback."""
    with served(built_site) as address:
        yield address


@pytest.fixture(scope="module")
def browser():
    """Debian's Chromium, without a window. Not kept longer: while it lives, this thread has a running
    asyncio loop, and nothing else that needs one (QEMU's monitor) can work in the same process."""
    from playwright.sync_api import sync_playwright

    with sync_playwright() as play:
        chromium = play.chromium.launch(
            executable_path=shutil.which("chromium"),
            args=["--no-sandbox", "--disable-gpu", "--disable-background-networking"],
        )
        yield chromium
        chromium.close()


@dataclass
class Built:
    """What a build gave: its exit status, its complaints without colours, and its pages."""

    status: int
    warnings: str
    out: Path

    def page(self, name: str = "index") -> str:
        """One written page."""
        return next(self.out.glob(f"{name}.*")).read_text("utf-8")


@pytest.fixture
def book(tmp_path):
    """book(pages, builder="html", **configuration) writes the pages and builds them."""
    from sphinx.application import Sphinx
    from sphinx.util.docutils import docutils_namespace, patch_docutils

    def build(pages: dict[str, str], builder: str = "html", **overrides) -> Built:
        for name, text in pages.items():
            (tmp_path / "src" / name).parent.mkdir(parents=True, exist_ok=True)
            (tmp_path / "src" / name).write_text(text, "utf-8")
        settings = {
            "extensions": [
                "myst_nb",
                "book._ext.quoted.annotated_source",
                "book._ext.recordings.recorded",
                "book._ext.links.places",
                "book._ext.drawn.chart",
                "book._ext.recordings.look",
                "book._ext.drawn.states",
                "book._ext.drawn.bars",
                "book._ext.drawn.growth",
            ],
            "nb_execution_mode": "off",
            "myst_enable_extensions": ["colon_fence"],
            "kernel_source_root": str(SOURCE),
            "recordings": "_recordings",
            "html_theme": "basic",
            "exclude_patterns": ["notebooks/*.md"],
        } | overrides
        warnings, out = io.StringIO(), tmp_path / builder
        with patch_docutils(None), docutils_namespace():
            app = Sphinx(
                tmp_path / "src", None, out, tmp_path / "doctrees", builder, settings, status=None, warning=warnings
            )
            app.build()
        return Built(app.statuscode, re.sub(r"\x1b\[[0-9;]*m", "", warnings.getvalue()), out)

    return build


def notebook(*cells: dict, provenance: dict | None = PROVENANCE) -> str:
    """The JSON of a notebook that has a title and these cells."""
    metadata = {"kernelspec": {"name": "lab-vm", "display_name": "Lab VM (root)"}, "language_info": {"name": "python"}}
    if provenance is not None:
        metadata["where_packets_wait"] = provenance
    cells = [markdown("# Run it"), *cells]
    for number, cell in enumerate(cells):
        cell["id"] = f"cell-{number}"
    return json.dumps({"nbformat": 4, "nbformat_minor": 5, "metadata": metadata, "cells": cells})


def markdown(text: str) -> dict:
    """A cell of prose."""
    return {"cell_type": "markdown", "metadata": {}, "source": text}


def code(text: str, *outputs: dict, count: int | None = 1, tags: tuple[str, ...] = ()) -> dict:
    """A cell of code; `count` None is one that never ran."""
    return {
        "cell_type": "code",
        "metadata": {"tags": list(tags)},
        "source": text,
        "execution_count": count,
        "outputs": list(outputs),
    }
