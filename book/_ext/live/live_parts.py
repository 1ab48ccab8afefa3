"""What is the kernel in a reader's tab made of? A section of a page with each program that its state holds: version,
licences, and where its source lies.

    :::{live-parts} The title of the section
    Words above the table.
    :::

All but the last is in state.json, see live_run.py. `LAB_TAB_SOURCES` says where the publisher of the site put the
folder that `./lab tab --sources` made: an address, or a folder of the site. Without a state there is no such section.
"""

import json
import os
import re
from pathlib import Path

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.util.docutils import SphinxDirective

from book._ext.live.live_run import COPYRIGHT
from core.source_files import debian_file, npm_file, sources

HEAD = ("In the state", "Version", "Licences", "Source")
UNSAID = (
    "This build does not say where these sources lie. It is for its maker's own use: whoever publishes it "
    "publishes the sources as well, by ",
    "./lab tab --sources DIR",
    ", and says where by ",
    "LAB_TAB_SOURCES",
    ".",
)


def debian(entry: dict) -> list[tuple[str, str]]:
    """A Debian package's sources and the file that describes each, in the folder of sources."""
    return [(f"{name} {version}", f"debian/{debian_file(name, version)}") for name, version in sources(entry)]


def npm(name: str, entry: dict) -> list[tuple[str, str]]:
    """The packed file of an npm package, and where it lies in the folder of sources."""
    file = npm_file(name, entry["version"])
    return [(file, f"npm/{file}")]


class LiveParts(SphinxDirective):
    """`live-parts`: TITLE, and MyST."""

    required_arguments, final_argument_whitespace, has_content = 1, True, True

    def run(self) -> list[nodes.Node]:
        """The section, if there is a state."""
        app = self.env.app
        if not app.config.live_state:
            return []
        described = json.loads((Path(app.config.live_state) / "state.json").read_text())
        up = "../" * self.env.docname.count("/")
        base = app.config.live_sources.rstrip("/")
        base = base if not base or re.match(r"(https?:)?/", base) else up + base
        title = self.arguments[0]
        section = nodes.section("", nodes.title("", title), names=[nodes.fully_normalize_name(title)])
        self.state.document.note_implicit_target(section, section)
        self.state.nested_parse(self.content, self.content_offset, section)
        section += table(
            [
                *((name, entry, debian(entry)) for name, entry in described["packages"].items()),
                *((name, entry, npm(name, entry)) for name, entry in described["npm"].items()),
            ],
            base,
        )
        section += self._texts(f"{up}{app.live_pair.folder}/{COPYRIGHT}")
        section += where(base)
        return [section]

    def _texts(self, address: str) -> nodes.paragraph:
        return nodes.paragraph(
            "",
            "",
            nodes.Text("What each package says of its licences, and their texts: "),
            nodes.reference("", COPYRIGHT, refuri=address),
            nodes.Text("."),
        )


def where(base: str) -> nodes.paragraph:
    """Where all the sources lie, or who has to say so."""
    if not base:
        return nodes.paragraph(
            "",
            "",
            *(nodes.literal("", words) if number % 2 else nodes.Text(words) for number, words in enumerate(UNSAID)),
        )
    return nodes.paragraph(
        "",
        "",
        nodes.Text("The sources, the recipe, and what belongs to what: "),
        nodes.reference("", "README.md", refuri=f"{base}/README.md"),
        nodes.Text("."),
    )


def table(parts: list[tuple[str, dict, list[tuple[str, str]]]], base: str) -> nodes.table:
    """A row for each part; its sources lead below `base`, if there is one."""
    group = nodes.tgroup("", *(nodes.colspec(colwidth=width) for width in (20, 20, 35, 25)), cols=len(HEAD))
    group += nodes.thead("", row(*([nodes.Text(words)] for words in HEAD)))
    body = nodes.tbody()
    for name, entry, its in parts:
        leads = [
            nodes.reference("", label, refuri=f"{base}/{file}") if base else nodes.Text(label) for label, file in its
        ]
        leads = [node for lead in leads for node in (nodes.Text(", "), lead)][1:]
        body += row(
            [nodes.literal("", name)], [nodes.Text(entry["version"])], [nodes.Text(", ".join(entry["licences"]))], leads
        )
    group += body
    return nodes.table("", group, classes=["wpw-parts"])


def row(*cells: list[nodes.Node]) -> nodes.row:
    """One row of a table."""
    return nodes.row("", *(nodes.entry("", nodes.paragraph("", "", *cell)) for cell in cells))


def setup(app: Sphinx) -> dict:
    """Sphinx calls this."""
    app.add_config_value("live_sources", lambda config: os.environ.get("LAB_TAB_SOURCES", ""), "env", [str])
    app.add_directive("live-parts", LiveParts)
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
