"""The directive `chart`: a drawn graph on a page, whose nodes lead to places in the book.

::

    :::{chart} way-of-a-packet
    :alt: What the picture says, in words.
    :caption: What stands below it, in *MyST*.

    digraph {
        push [label="tcp_push()\\nwas not called", class="stall", URL="splice-push#do_tcp_sendpages"]
        send -> push [class="lost"]
    }
    :::

`:alt:` is required. With `:recorded: CASE`, `{run.direct.b_ms:.0f}` in the graph and in `:alt:` is a value of that
case's recording. A `URL` is a place as in places.py. Classes: `stall` for where a packet waits,
`main` for what the picture is about, `icmp` for messages and remarks, `quiet` for what stands aside, `lost`
for what does not happen. The language is that of Graphviz's dot; chart_svg.py draws it.
"""

import re
import xml.etree.ElementTree as Xml

from docutils import nodes
from docutils.parsers.rst import directives
from sphinx.application import Sphinx
from sphinx.util.docutils import SphinxDirective

from book._ext.drawn import chart_svg
from book._ext.fail_closed import fault
from book._ext.html_only import add_html_node
from book._ext.links import places
from book._ext.recordings.recorded import Recording, RecordingError

VALUE = re.compile(r"\{(\w+(?:\.\w+)+)(?::([^{}]*))?\}")  # a path has a point: dot's own braces have none at once


class chart(nodes.General, nodes.Element):  # noqa: N801  docutils names nodes so
    """What dot drew, to be written when the way to each place is known."""


class Chart(SphinxDirective):
    """`chart`: NAME, with the graph as its content."""

    required_arguments = 1
    has_content = True
    option_spec = {"alt": directives.unchanged, "caption": directives.unchanged, "recorded": directives.unchanged}

    def run(self) -> list[nodes.Node]:
        """A figure, or nothing but a reported fault."""
        name, alt = self.arguments[0], self.options.get("alt", "").strip()
        drawn = self.env.temp_data.setdefault("charts", set())
        try:
            if not re.fullmatch(r"[a-z][a-z0-9-]*", name) or name in drawn:
                raise chart_svg.ChartError(
                    f"chart {name!r}: expected a name of its own on this page, in small letters, digits and hyphens"
                )
            if not alt:
                raise chart_svg.ChartError(f"chart {name!r}: expected :alt: with what it says, found none")
            alt, graph = (self.valued(text) for text in (alt, "\n".join(self.content)))
            picture = chart_svg.drawn(graph)
        except (chart_svg.ChartError, RecordingError, ValueError) as error:
            fault(self.env, str(error), self.env.docname, self.lineno)
            return []
        drawn.add(name)
        for place in chart_svg.links(picture):
            places.named(self.env, place, self.lineno)
        node = chart("", name=name, alt=alt, svg=Xml.tostring(picture, encoding="unicode"))
        figure = nodes.figure("", node, classes=["wpw-chart"])
        if "caption" in self.options:
            words, messages = self.state.inline_text(self.options["caption"], self.lineno)
            figure += nodes.caption("", "", *words, *messages)
        self.set_source_info(figure)
        return [figure]

    def valued(self, text: str) -> str:
        """The text with the recording's values, if it names a recording."""
        if "recorded" not in self.options:
            return text
        recording = Recording(self.env, self.options["recorded"])
        return VALUE.sub(lambda found: format(recording.value(found[1]), found[2] or ""), text)


def visit_html(self, node: chart) -> None:
    """The picture, in a box that scrolls if the page is narrower."""
    app, docname = self.builder.app, self.builder.current_docname
    svg = chart_svg.svg(
        Xml.fromstring(node["svg"]), node["name"], node["alt"], lambda place: places.address(app, place, docname)
    )
    self.body.append(
        f'<div class="wpw-scroll" tabindex="0" role="region" aria-label="Chart {self.attval(node["name"])}">{svg}</div>'
    )
    raise nodes.SkipNode


def visit_text(self, node: chart) -> None:
    """Write the picture's words, where there are no pictures."""
    self.new_state()
    self.add_text(node["alt"])
    self.end_state()
    raise nodes.SkipNode


def setup(app: Sphinx) -> dict:
    """Sphinx calls this."""
    add_html_node(app, chart, visit_html, visit_text)
    app.add_directive("chart", Chart)
    return {"version": "1", "parallel_read_safe": False, "parallel_write_safe": True}
