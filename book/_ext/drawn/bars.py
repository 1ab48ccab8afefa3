"""The role `bar`: a recorded number with a bar as long as it, in a table's cell or a sentence.

::

    | {bar}`frag-needed run.direct.b_ms run.direct.b_ms .0f` ms | B waits |

CASE, the number's PATH, the path of the number whose bar is full, and the number's FORMAT. A bar far longer than full
is full and has a gap, like an axis that is cut. One that is a little longer stops the build: cut, it would look as long
as the one that is far longer. The number stands beside the bar, so that a page read aloud, copied or without pictures
loses nothing.
"""

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.util.docutils import SphinxRole

from book._ext.fail_closed import fault
from book._ext.html_only import add_html_node
from book._ext.recordings.recorded import Recording, RecordingError

WIDTH, HEIGHT = 120.0, 10.0  # pixels
GAP = (96.0, 104.0)  # where a bar is cut that is too long
CUT_FROM = 2.0  # times full


class recorded_bar(nodes.Inline, nodes.Element):  # noqa: N801  docutils names nodes so
    """How much of a full bar there is: `share`."""


class Bar(SphinxRole):
    """`{bar}`: CASE PATH FULL FORMAT."""

    def run(self) -> tuple[list[nodes.Node], list[nodes.system_message]]:
        """The number, which remembers its provenance, and its bar."""
        try:
            case, path, full, form = self.text.split()
        except ValueError:
            return self.failed(f"expected 'CASE PATH FULL FORMAT', found {self.text!r}")
        try:
            recording = Recording(self.env, case)
            text, where = format(recording.value(path), form), recording.provenance_of(path)
            share = recording.value(path) / recording.value(full)
        except (RecordingError, TypeError, ValueError, ZeroDivisionError) as error:
            return self.failed(f"{self.text!r}: {error}")
        if 1 < share < CUT_FROM:
            return self.failed(f"{path} is {share:.3g} times {full}. Next: let {path} be full")
        number = nodes.inline(text, text, classes=["wpw-recorded"], provenance=where)
        return [nodes.inline("", "", number, recorded_bar("", share=share), classes=["wpw-measure"])], []

    def failed(self, message: str) -> tuple[list[nodes.Node], list[nodes.system_message]]:
        """A located fault, and nothing on the page."""
        fault(self.env, message, self.env.docname, self.lineno)
        return [], []


def svg(share: float) -> str:
    """The bar; one that would be longer than full is cut."""
    if share > 1:
        drawn = f"M0 0H{GAP[0]:g}l-4 {HEIGHT:g}H0zM{GAP[1]:g} 0H{WIDTH:g}V{HEIGHT:g}H{GAP[1] - 4:g}z"
    else:
        drawn = f"M0 0H{WIDTH * max(share, 0):.1f}V{HEIGHT:g}H0z"
    return (
        f'<svg class="wpw-measured" viewBox="0 0 {WIDTH:g} {HEIGHT:g}" width="{WIDTH:g}" height="{HEIGHT:g}" '
        f'aria-hidden="true"><path d="{drawn}"/></svg>'
    )


def visit_html(self, node: recorded_bar) -> None:
    """The picture."""
    self.body.append(svg(node["share"]))
    raise nodes.SkipNode


def setup(app: Sphinx) -> dict:
    """Sphinx calls this."""
    app.add_role("bar", Bar())
    add_html_node(app, recorded_bar, visit_html)
    return {"version": "1", "parallel_read_safe": False, "parallel_write_safe": True}
