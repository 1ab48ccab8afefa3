"""Can anything stand on a page as recorded that was not?"""

import json
import re
from pathlib import Path

import pytest

from core.draw import figures
from core.draw.ladder import Ladder
from core.draw.page import MIME
from core.draw.tree import markup
from tests.site.conftest import PROVENANCE, code, markdown, notebook

ERROR = {"output_type": "error", "ename": "OSError", "evalue": "no guest", "traceback": []}
RECORDING = {"provenance": PROVENANCE, "run": {"b_ms": 257.31, "ways": [{"name": "A"}, {"name": "B"}]}}
LINE = "Recorded 2026-11-20 in the lab VM: kernel 6.1.0-56-amd64, QEMU 7.2.22, acceleration tcg, commit abc1234."


FIGURE = Ladder("A & B", ["client"], []).figure()
DRAWN = markup(figures.draw(FIGURE))


def with_recording(text: str, recording: object = RECORDING) -> dict:
    """A page with this text, beside a recording of the case `frag`."""
    return {"index.md": f"# Page\n\n{text}\n", "_recordings/frag.json": json.dumps(recording)}


def test_executed_notebook_shows_its_provenance(book):
    built = book(
        {
            "index.ipynb": notebook(
                code("run()", {"output_type": "stream", "name": "stdout", "text": "257 ms"}),
                code("", count=None),
                code("later()", count=None, tags=("no-run",)),
                code("1/0", ERROR, tags=("raises-exception",)),
            )
        }
    )
    assert (built.status, built.warnings) == (0, "")
    title, rest = built.page().split("</h1>")
    assert rest.lstrip().startswith(f'<p class="wpw-provenance">{LINE}</p>')


@pytest.mark.parametrize(
    "cells, message",
    [
        ([code("run()", count=None)], "cell 2: 'run()' was never executed"),
        ([code("run()"), code("run()\nmore", ERROR)], "cell 3: 'run()' failed: OSError: no guest"),
        ([code("run()", count=None, tags=("raises-exception",))], "was never executed"),
    ],
)
def test_unexecuted_and_failed_cells_stop_the_build(book, cells, message):
    built = book({"index.ipynb": notebook(*cells)})
    assert built.status == 1
    assert "index.ipynb: ERROR: " in built.warnings and message in built.warnings
    assert "Next: ./lab record index" in built.warnings
    assert book({}).status == 1


@pytest.mark.parametrize(
    "provenance, missing",
    [(None, "lacks kernel, qemu, acceleration, date, commit"), (PROVENANCE | {"commit": ""}, "lacks commit")],
)
def test_provenance_is_required(book, provenance, missing):
    built = book({"index.ipynb": notebook(code("run()"), provenance=provenance)})
    assert built.status == 1 and missing in built.warnings


def test_text_source_beside_a_notebook_is_not_read(book):
    built = book(
        {
            "index.md": "# Page\n\n```{toctree}\nnotebooks/frag\n```\n",
            "notebooks/frag.ipynb": notebook(code("run()")),
            "notebooks/frag.md": "---\nkernelspec: {name: lab-vm}\n---\n# The text source\n",
        }
    )
    assert (built.status, built.warnings) == (0, "")
    assert "The text source" not in built.page("notebooks/frag")


def test_values_stand_in_prose_with_their_provenance(book):
    built = book(with_recording("B took {recorded}`frag run.b_ms .0f` ms, way {recorded}`frag run.ways.1.name`."))
    assert (built.status, built.warnings) == (0, "")
    assert 'took <span class="wpw-recorded">257</span> ms' in built.page()
    assert 'way <span class="wpw-recorded">B</span>' in built.page()
    assert built.page().count(LINE) == 1


def test_a_part_that_was_recorded_by_itself_has_its_own_provenance(book):
    parts = RECORDING | {"other": {"provenance": PROVENANCE | {"commit": "fff9999"}, "seen": {"b_ms": 1}}}
    built = book(with_recording("{recorded}`frag run.b_ms .0f`, {recorded}`frag other.seen.b_ms`.", parts))
    assert (built.status, built.warnings) == (0, "")
    assert built.page().count(LINE) == built.page().count(LINE.replace("abc1234", "fff9999")) == 1
    unsaid = RECORDING | {"other": {"provenance": {"commit": "fff9999"}, "b_ms": 1}}
    refused = book(with_recording("{recorded}`frag other.b_ms`.", unsaid))
    assert refused.status == 1 and "frag.json, other: provenance lacks " in refused.warnings


@pytest.mark.parametrize(
    "text, message",
    [
        ("frag run.c_ms", "frag.json has no 'run.c_ms': no 'c_ms' in run (b_ms, ways)"),
        ("frag run.ways.2.name", "no '2' in run.ways (list)"),
        ("frag run", "'run' is {"),
        ("frag run.b_ms d", "'run.b_ms' cannot be written as 'd'"),
        ("frag", "expected 'CASE PATH [FORMAT]'"),
        ("none run.b_ms", "none.json is missing. Next: ./lab record none"),
    ],
)
def test_missing_values_stop_the_build(book, text, message):
    built = book(with_recording(f"Prose.\n\nB took {{recorded}}`{text}` ms."))
    assert built.status == 1
    assert "index.md:5: ERROR: " in built.warnings and message in built.warnings


def test_a_missing_value_in_a_notebook_names_the_cell(book):
    built = book({"index.ipynb": notebook(markdown("Prose.\n\nB took {recorded}`frag run` ms."))})
    assert built.status == 1 and "index.ipynb: ERROR: cell 2, line 3: _recordings" in built.warnings


@pytest.mark.parametrize(
    "recording, message", [({"run": {"b_ms": 1}}, "provenance lacks kernel"), ([1], "provenance lacks kernel")]
)
def test_a_recording_has_provenance(book, recording, message):
    built = book(with_recording("{recorded}`frag run.b_ms`", recording))
    assert built.status == 1 and message in built.warnings


def test_figure_with_caption_and_provenance(book):
    pages = with_recording(":::{recorded-figure} frag a-ladder\nThe *ladder*.\n:::")
    pages["_recordings/frag/a-ladder.figure.json"] = json.dumps(FIGURE)
    built = book(pages)
    assert (built.status, built.warnings) == (0, "")
    assert DRAWN in built.page()
    assert "<em>ladder</em>" in built.page() and LINE in built.page()
    text = book({}, builder="text")
    assert text.status == 0 and "The *ladder*." in text.page()


def test_a_page_may_leave_provenance_to_its_figures_but_not_leave_it_out(book):
    pages = with_recording("B took {recorded}`frag run.b_ms` ms.\n\n:::{recorded-figure} frag a-ladder\n:::")
    pages["_recordings/frag/a-ladder.figure.json"] = json.dumps(FIGURE)
    matter = "---\nprovenance: with-figures\n---\n"
    assert book(pages).page().count(LINE) == 1 and LINE in book(pages).page().partition("</h1>")[2][:200]
    once = book({"index.md": matter + pages["index.md"]})
    assert (once.status, once.warnings, once.page().count(LINE)) == (0, "", 1)
    never = book({"index.md": matter + pages["index.md"].split(":::")[0]})
    assert never.status == 1 and "provenance: with-figures, and no figure says 'Recorded" in never.warnings


@pytest.mark.parametrize(
    "stored, message",
    [
        (None, "_recordings/frag/b-ladder.figure.json is missing. Next: ./lab record frag"),
        ("{", "_recordings/frag/b-ladder.figure.json: Expecting"),
        ('{"kind": "html"}', "_recordings/frag/b-ladder.figure.json: expected a figure (one of stack,"),
        ('{"kind": "ladder", "title": ""}', "b-ladder.figure.json: not whole, a figure of kind ladder"),
    ],
)
def test_a_figure_that_cannot_be_drawn_stops_the_build(book, stored, message):
    pages = with_recording(":::{recorded-figure} frag b-ladder\n:::")
    built = book(pages | ({"_recordings/frag/b-ladder.figure.json": stored} if stored else {}))
    assert built.status == 1 and "index.md:3: ERROR: _rec" in built.warnings and message in built.warnings


def test_a_notebooks_figure_is_drawn_for_the_page(book):
    output = {"output_type": "display_data", "metadata": {}, "data": {MIME: FIGURE, "text/html": "as stored"}}
    other = {"output_type": "display_data", "metadata": {}, "data": {"text/html": "<b>as it is</b>"}}
    built = book({"index.ipynb": notebook(code("run()", output, other))})
    assert (built.status, built.warnings) == (0, "")
    assert DRAWN in built.page() and "as stored" not in built.page() and "<b>as it is</b>" in built.page()


def test_what_may_scroll_can_be_reached_by_key_in_every_recording():
    files = list(Path("book/_recordings").rglob(f"*{figures.SUFFIX}"))
    for file in files:
        html = markup(figures.draw(json.loads(file.read_text("utf-8"))))
        boxes = re.findall(r'<(?:div class="wpw-scroll"|\w+ [^>]*style="[^"]*overflow-x:auto)[^>]*>', html)
        assert all('tabindex="0"' in box and "aria-label=" in box for box in boxes), (file, boxes)
    assert files
