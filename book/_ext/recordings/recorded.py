"""Does what a page shows as recorded come from a recording, and from which?

Notebooks in the book carry stored outputs: each code cell has to have run, without an error unless
it is tagged `raises-exception`, and the notebook says on which machine (metadata key
`where_packets_wait`). Prose takes its numbers from `book/_recordings/<case>.json` at build time::

    B waited {recorded}`frag-needed run.b_ms .0f` ms.

    :::{recorded-figure} frag-needed a-ladder
    A caption in *MyST*.
    :::

The figure is `book/_recordings/<case>/<name>.figure.json`, drawn as core/draw/figures.py does it; below it stand its
provenance and the files with its data, see figure_data.py. The JSON's key `provenance` has the notebook
metadata's fields; a page that uses a recording shows them under its title, as a notebook does, and
then its figures do not repeat them.
"""

import json
from html import escape
from pathlib import Path
from typing import Any

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.environment import BuildEnvironment
from sphinx.util.docutils import SphinxDirective, SphinxRole

from book._ext.fail_closed import fault
from book._ext.html_only import add_html_node
from book._ext.recordings import figure_data
from book._ext.recordings.recorded_figure import recorded_figure, setup_recorded_figure
from core.draw import figures
from core.draw.page import MIME

METADATA = "where_packets_wait"
FIGURES = "wpw_figures"  # of the notebook that is read now
WITH_FIGURES = "with-figures"
FIELDS = ("kernel", "qemu", "acceleration", "date", "commit")


class RecordingError(Exception):
    """What was expected of a recording, and what was found instead."""


def setup_recorded(app: Sphinx) -> None:
    """The component: role, directive, and the checks of notebooks as they are read."""
    app.add_config_value("recordings", "book/_recordings", "env", [str])
    app.add_role("recorded", RecordedValue())
    app.add_directive("recorded-figure", RecordedFigure)
    setup_recorded_figure(app)
    add_html_node(app, recorded_files, visit_files)
    app.connect("build-finished", write_data)
    app.connect("source-read", check_notebook)
    app.connect("doctree-read", put_figures)
    app.connect("doctree-read", show_provenance)


def provenance_line(found: object, where: str) -> str:
    """One sentence on where a recording was made, or an error that names the missing fields."""
    fields = found if isinstance(found, dict) else {}
    missing = [name for name in FIELDS if not str(fields.get(name) or "").strip()]
    if missing:
        raise RecordingError(f"{where}: provenance lacks {', '.join(missing)}. Next: ./lab record, which writes it")
    return (
        "Recorded {date} in the lab VM: kernel {kernel}, QEMU {qemu}, acceleration {acceleration}, commit {commit}."
    ).format(**fields)


class Recording:
    """The JSON of one case; every page that opens it depends on it."""

    def __init__(self, env: BuildEnvironment, case: str) -> None:
        self.case, self.env = case, env
        self.folder = Path(env.srcdir) / env.config.recordings
        file = self.folder / f"{case}.json"
        env.note_dependency(str(file))
        self.name = f"{env.config.recordings}/{case}.json"
        if not file.is_file():
            raise RecordingError(f"{self.name} is missing. Next: ./lab record {case}")
        try:
            self.data = json.loads(file.read_text("utf-8"))
        except ValueError as error:
            raise RecordingError(f"{self.name} is no JSON: {error}") from None
        self.provenance = provenance_line(
            self.data.get("provenance") if isinstance(self.data, dict) else None, self.name
        )

    def figure(self, name: str) -> dict:
        """The figure of that name, which can be drawn."""
        file = self.folder / self.case / f"{name}{figures.SUFFIX}"
        where = f"{self.name.removesuffix('.json')}/{file.name}"
        self.env.note_dependency(str(file))
        if not file.is_file():
            raise RecordingError(f"{where} is missing. Next: ./lab record {self.case}")
        try:
            figure = json.loads(file.read_text("utf-8"))
            figures.draw(figure)
        except ValueError as error:
            raise RecordingError(f"{where}: {error}") from None
        return figure

    def value(self, path: str) -> Any:
        """What stands at `run.b_ms` or `runs.0.ms`; it has to be a number, a word or a truth."""
        here = self._at(path)
        if here is None or isinstance(here, (dict, list)):
            raise RecordingError(f"{self.name}: {path!r} is {json.dumps(here)[:60]}, no single value")
        return here

    def sequence(self, path: str) -> list:
        """What stands at `trace.stacks`; it has to be a list."""
        here = self._at(path)
        if not isinstance(here, list):
            raise RecordingError(f"{self.name}: {path!r} is {json.dumps(here)[:60]}, no list")
        return here

    def table(self, path: str) -> dict:
        """What stands at `run.addresses`; it has to be a table."""
        here = self._at(path)
        if not isinstance(here, dict):
            raise RecordingError(f"{self.name}: {path!r} is {json.dumps(here)[:60]}, no table")
        return here

    def provenance_of(self, path: str) -> str:
        """Where the value at this path was recorded: what the nearest `provenance` above it says."""
        steps = path.split(".")
        for length in range(len(steps) - 1, 0, -1):
            part = self._at(".".join(steps[:length]))
            if isinstance(part, dict) and "provenance" in part:
                return provenance_line(part["provenance"], f"{self.name}, {'.'.join(steps[:length])}")
        return self.provenance

    def _at(self, path: str) -> Any:
        here: Any = self.data
        walked: list[str] = []
        for step in path.split("."):
            try:
                here = here[int(step)] if isinstance(here, list) else here[step]
            except (KeyError, IndexError, TypeError, ValueError):
                there = ", ".join(map(str, here)) if isinstance(here, dict) else type(here).__name__
                raise RecordingError(
                    f"{self.name} has no {path!r}: no {step!r} in {'.'.join(walked) or 'the top level'} ({there})"
                ) from None
            walked.append(step)
        return here


class RecordedValue(SphinxRole):
    """`{recorded}`: CASE PATH [FORMAT], the format as in Python's format()."""

    def run(self) -> tuple[list[nodes.Node], list[nodes.system_message]]:
        """The value as text that remembers its provenance."""
        try:
            case, path, *spec = self.text.split(maxsplit=2)
        except ValueError:
            return self.failed(f"expected 'CASE PATH [FORMAT]', found {self.text!r}")
        try:
            recording = Recording(self.env, case)
            text, where = format(recording.value(path), *spec), recording.provenance_of(path)
        except RecordingError as error:
            return self.failed(str(error))
        except ValueError as error:
            return self.failed(f"{recording.name}: {path!r} cannot be written as {spec[0]!r}: {error}")
        return [nodes.inline(text, text, classes=["wpw-recorded"], provenance=where)], []

    def failed(self, message: str) -> tuple[list[nodes.Node], list[nodes.system_message]]:
        """A located fault, and nothing in the prose."""
        fault(self.env, message, self.env.docname, self.lineno)
        return [], []


class recorded_files(nodes.General, nodes.Element):  # noqa: N801
    """The files with a figure's data: its case, its name, their names."""


def visit_files(self, node: recorded_files) -> None:
    """Links that download, said in words that make sense alone."""
    case = escape(node["case"])
    up = "../" * self.builder.current_docname.count("/") + figure_data.FOLDER
    links = [
        f'<a href="{up}/{case}/{escape(name)}" download aria-label="{escape(name)}, data of this '
        f'figure">{escape(name.removeprefix(node["figure"] + "."))}</a>'
        for name in node["names"]
    ]
    links.append(f'<a href="{up}/{case}.json" download>the whole recording of {case}</a>')
    self.body.append(f'<p class="wpw-files">Data: {", ".join(links)}</p>')
    raise nodes.SkipNode


def write_data(app: Sphinx, failure: Exception | None) -> None:
    """All recordings' data, beside the pages."""
    if failure is None and app.builder.format == "html":
        figure_data.write(Path(app.srcdir) / app.config.recordings, Path(app.outdir), provenance_line)


class RecordedFigure(SphinxDirective):
    """`recorded-figure`: CASE NAME, with a caption as its content."""

    required_arguments = 2
    has_content = True

    def run(self) -> list[nodes.Node]:
        """A figure with the stored piece, its caption and its provenance."""
        case, name = self.arguments
        try:
            recording = Recording(self.env, case)
            figure = recording.figure(name)
        except RecordingError as error:
            fault(self.env, str(error), self.env.docname, self.lineno)
            return []
        node = recorded_figure("", figure=figure, label=f"Recording {name}")
        shown = nodes.figure("", node, classes=["wpw-recorded-figure"])
        text = nodes.Element()
        self.state.nested_parse(self.content, self.content_offset, text)
        if text.children and isinstance(text[0], nodes.paragraph):
            shown += nodes.caption("", "", *text[0].children)
        offered = figure_data.names(recording.folder, case, name, figure)
        files = recorded_files("", case=case, figure=name, names=offered)
        shown += nodes.legend("", *text.children[1:], provenance_node(recording.provenance), files)
        return [shown]


def provenance_node(line: str) -> nodes.paragraph:
    """The sentence, to be set small."""
    return nodes.paragraph(line, line, classes=["wpw-provenance"])


def check_notebook(app: Sphinx, docname: str, source: list[str]) -> None:
    """An unexecuted cell, a failed one, or a notebook without provenance stops the build."""
    if not app.env.doc2path(docname).endswith(".ipynb"):
        return
    try:
        notebook = json.loads(source[0])
        cells, metadata = notebook["cells"], notebook.get("metadata", {})
    except (ValueError, KeyError, TypeError):
        fault(app.env, "expected a notebook (JSON with cells), found something else", docname)
        return
    for number, cell in enumerate(cells, 1):
        if complaint := fault_of(cell):
            fault(app.env, f"cell {number}: {complaint}. Next: ./lab record {Path(docname).name}", docname)
    app.env.temp_data[FIGURES] = take_figures(cells)
    source[0] = json.dumps(notebook)
    try:
        app.env.temp_data[METADATA] = provenance_line(metadata.get(METADATA), "the notebook")
    except RecordingError as error:
        fault(app.env, str(error), docname)


def take_figures(cells: list[dict]) -> dict[str, dict]:
    """The figures among the cells' outputs, each by the mark that takes its HTML's place."""
    found: dict[str, dict] = {}
    for cell in cells:
        for output in cell.get("outputs", []):
            if figure := output.get("data", {}).get(MIME):
                mark = f"<!-- figure {len(found)} -->"
                found[mark] = figure
                output["data"] = {"text/html": mark}
    return found


def put_figures(app: Sphinx, doctree: nodes.document) -> None:
    """Put in place of each mark its figure, to be drawn for the page."""
    found = app.env.temp_data.get(FIGURES, {})
    for raw in list(doctree.findall(nodes.raw)) if found else ():
        if figure := found.get(raw.astext()):
            raw.replace_self(recorded_figure("", figure=figure))


def fault_of(cell: dict) -> str | None:
    """Why a cell may not be shown as recorded, or None."""
    code = "".join(cell.get("source", "")).strip()
    if cell.get("cell_type") != "code" or not code:  # no one executes an empty cell
        return None
    tags = cell.get("metadata", {}).get("tags", [])
    first_line = repr(code.splitlines()[0][:60])
    if cell.get("execution_count") is None and "no-run" not in tags:
        return f"{first_line} was never executed (and is not tagged no-run)"
    errors = [each for each in cell.get("outputs", []) if each.get("output_type") == "error"]
    if errors and "raises-exception" not in tags:
        return (
            f"{first_line} failed: {errors[0].get('ename')}: {errors[0].get('evalue')} "
            "(and is not tagged raises-exception)"
        )
    return None


def show_provenance(app: Sphinx, doctree: nodes.document) -> None:
    """Under the page's title: where its notebook, or the values in its prose, were recorded. If that is one line, the
    page's figures do not repeat it. A page whose front matter has `provenance: with-figures` leaves it to them."""
    lines = {inline["provenance"]: None for inline in doctree.findall(nodes.inline) if "provenance" in inline}
    if app.env.metadata.get(app.env.docname, {}).get("provenance") == WITH_FIGURES:
        said = {node.astext() for node in doctree.findall(nodes.paragraph) if "wpw-provenance" in node["classes"]}
        for line in lines.keys() - said:
            fault(app.env, f"provenance: {WITH_FIGURES}, and no figure says {line!r}", app.env.docname)
        return
    if notebook := app.env.temp_data.get(METADATA):
        lines[notebook] = None
    title = next(iter(doctree.findall(nodes.title)), None)
    if not lines or title is None:
        return
    at = title.parent.index(title) + 1
    if len(lines) == 1:
        for figure in doctree.findall(nodes.figure):
            for node in [each for each in figure.findall(nodes.paragraph) if "wpw-provenance" in each["classes"]]:
                if node.astext() in lines:
                    node.parent.remove(node)
    title.parent[at:at] = [provenance_node(line) for line in lines]


def setup(app: Sphinx) -> dict:
    """Sphinx calls this."""
    setup_recorded(app)
    return {"version": "1", "parallel_read_safe": False, "parallel_write_safe": True}
