"""What HTML does an annotated piece of source become?

A figure: caption, code with a gutter of line numbers and markers, and the notes as an ordered list,
each at least as high as the lines from its own to the next one's. So each note stands beside its line,
and a long one pushes the next further down, with no script. style: book/_static/where-packets-wait.css.
"""

from html import escape
from textwrap import dedent

from docutils import nodes
from pygments import highlight
from pygments.formatters import HtmlFormatter
from pygments.lexers import CLexer


class annotated_source(nodes.General, nodes.Element):  # noqa: N801  docutils names nodes so
    """The figure. Its attributes are the excerpt, its children the notes."""


class annotated_note(nodes.General, nodes.Element):  # noqa: N801
    """One callout: number, line, pattern; its children are the parsed note."""


NODES = {"figure": annotated_source, "note": annotated_note}


def setup_source_html(app) -> None:
    """Register both nodes of an excerpt with their visitors."""
    app.add_node(annotated_source, html=(visit_figure, depart_figure))
    app.add_node(annotated_note, html=(visit_note, depart_note))


def visit_figure(self, node: annotated_source) -> None:
    """Caption and code; opens the list of notes."""
    # The theme's script folds the page's contents away while a full-width element is beside them.
    anchor, kind = node["anchor"], " full-width" if node.children else ""
    self.body.append(
        f'<figure class="wpw-source{kind}" id="{anchor}" '
        f'aria-labelledby="{anchor}-caption">{caption(node)}'
        f'<div class="wpw-source-body">{code(node)}'
    )
    if node.children:
        # Safari drops the role of a list without bullets unless it is named.
        self.body.append('<ol class="wpw-notes" role="list">')
        for note, rows in zip(node.children, rows_of(node)):
            note["anchor"], note["rows"] = anchor, rows


def depart_figure(self, node: annotated_source) -> None:
    """Closes what visit_figure opened."""
    self.body.append("</ol></div></figure>" if node.children else "</div></figure>")


def visit_note(self, node: annotated_note) -> None:
    """The number, which leads back to its line, and the pattern unless it is an expression."""
    anchor, number, line = node["anchor"], node["number"], node["line"]
    first, span = node["rows"]
    pattern = node["pattern"]
    name = "" if pattern.startswith("re:") else f'<code class="wpw-anchor">{escape(pattern)}</code>'
    self.body.append(
        f'<li class="wpw-note" id="{anchor}-note-{number}" '
        f'style="--wpw-row:{first};--wpw-span:{span}">'
        f'<p class="wpw-note-head"><a class="wpw-mark" href="#{anchor}-L{line}" '
        f'aria-label="Note {number}, back to line {line}">{number}</a> {name}</p>'
        '<div class="wpw-note-body">'
    )


def depart_note(self, node: annotated_note) -> None:
    """Closes what visit_note opened."""
    self.body.append("</div></li>")


def rows_of(node: annotated_source) -> list[tuple[int, int]]:
    """Each note's first row (its line in the excerpt, from 1) and how many rows are its own.

    Notes keep their order: one whose line stands above its predecessor's follows it directly.
    """
    firsts: list[int] = []
    for note in node.children:
        row = note["line"] - node["first"] + 1
        firsts.append(max(row, firsts[-1] + 1) if firsts else row)
    spans = [after - first for first, after in zip(firsts, firsts[1:])]
    return list(zip(firsts, [*spans, 1]))


def caption(node: annotated_source) -> str:
    """Path, name and lines; below them version, licence and the way to the same lines online."""
    first, last = node["first"], node["last"]
    lines = f"lines {first}–{last}" if last > first else f"line {first}"
    warning = (
        f"Upstream {node['tree']} {node['upstream']}. Line numbers here are those of "
        f"{node['package']}; Debian's patches may shift lines there."
    )
    return (
        f'<figcaption id="{node["anchor"]}-caption"><span class="wpw-where">'
        f"<code>{escape(node['label'])}</code> in <code>{escape(node['path'])}</code>, {lines}"
        f'</span> <span class="wpw-origin">{escape(node["tree"])} {escape(node["upstream"])} '
        f"({escape(node['package'])}), {escape(node['licence'])}, "
        f'<a class="reference external" href="{escape(node["url"])}" '
        f'title="{escape(warning)}">the same lines online</a></span></figcaption>'
    )


def code(node: annotated_source) -> str:
    """The quoted lines, highlighted, each with its number and its callouts' markers."""
    marks: dict[int, list[int]] = {}
    for note in node.children:
        marks.setdefault(note["line"], []).append(note["number"])
    shown = highlighted(node)
    widest = max((len(numbers) for numbers in marks.values()), default=0)
    rows = [
        row(node["anchor"], number, html, marks.get(number, [])) for number, html in enumerate(shown, node["first"])
    ]
    return (
        f'<div class="wpw-code highlight" style="--wpw-digits:{len(str(node["last"]))};'
        f'--wpw-marks:{widest}"><pre tabindex="0" role="region" '
        f'aria-label="Source of {escape(node["label"])}"><code>{"".join(rows)}</code></pre></div>'
    )


def highlighted(node: annotated_source) -> list[str]:
    """The quoted lines as HTML, without the indentation that all of them share.

    The whole definition is highlighted and then cut, so that a piece that begins inside a comment
    is shown as one. The formatter closes its spans at each line's end.
    """
    text, start = node["text"], node["first"] - node["text_first"]
    end = start + node["last"] - node["first"] + 1
    quoted = dedent("\n".join(text[start:end])).split("\n")
    lexer, formatter = CLexer(stripnl=False, stripall=False), HtmlFormatter(nowrap=True)
    whole = highlight("\n".join([*text[:start], *quoted, *text[end:], ""]), lexer, formatter)
    return whole.split("\n")[start:end]


def row(anchor: str, number: int, html: str, marks: list[int]) -> str:
    """One line. The copy button leaves its gutter out (copybutton_exclude in _config.yml)."""
    links = "".join(
        f'<a class="wpw-mark" href="#{anchor}-note-{mark}" aria-label="Note {mark} on line {number}">{mark}</a>'
        for mark in marks
    )
    return (
        f'<span class="wpw-line{" wpw-noted" if marks else ""}" id="{anchor}-L{number}">'
        f'<span class="wpw-gutter"><span class="wpw-number">{number}</span>'
        f'<span class="wpw-marks">{links}</span></span>'
        f'<span class="wpw-text">{html}\n</span></span>'
    )
