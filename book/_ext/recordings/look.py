"""What did a command say where the fault was, in the control, and in a look-alike? A recorded look, on a page.

    :::{look} frag-needed exception
    *Look for* an MTU and a term.
    :::

The command, where it was typed and its outputs come from `on_call` in the case's recording; the page adds
in its own words what to look for. Lines that tell are marked, in words for those who do not see it. A look-alike is
another cause that one may take for the fault (labs/looks.py), and has an output if the look was typed there; with the
option `:alike:` that output alone is shown, where a page is about that cause. The
look's place is `look-frag-needed-exception`, on the first page that shows it. Where looks were recorded is said
once, at the page's end: a person on call reads many of them, and no such line.
"""

from docutils import nodes
from docutils.parsers.rst import directives
from sphinx.application import Sphinx
from sphinx.util.docutils import SphinxDirective

from book._ext.fail_closed import fault
from book._ext.html_only import add_html_node
from book._ext.recordings.recorded import Recording, RecordingError, provenance_node
from core.draw.tree import Element, h, markup

MARK = "look here: "
KEYS = ("on", "command", "lines", "telling", "control", "describes")
KEYS_ALIKE = ("cause", "lines", "telling")


class look_output(nodes.General, nodes.Element):  # noqa: N801  docutils names nodes so
    """Lines that a command printed, and which of them tell."""


class LookDirective(SphinxDirective):
    """`look`: CASE ID, with what to look for as its content."""

    required_arguments = 2
    has_content = True
    option_spec = {"alike": directives.flag}

    def run(self) -> list[nodes.Node]:
        """The command, what to look for, its outputs and their origin."""
        case, name = self.arguments
        alone = "alike" in self.options
        try:
            recording = Recording(self.env, case)
            seen = found(recording, name, alone)
        except RecordingError as error:
            fault(self.env, str(error), self.env.docname, self.lineno)
            return []
        box = nodes.container("", classes=["wpw-look"], ids=[self.place(case, name)])
        box["recorded"] = (case, recording.provenance)
        box += sentence("On ", nodes.literal("", "", nodes.Text(seen["on"])), ":")
        command = nodes.literal_block(seen["command"], seen["command"].strip(), language="bash")
        self.set_source_info(command)
        box += command
        self.state.nested_parse(self.content, self.content_offset, box)
        box += outputs(seen, name, alone)
        return [box]

    def place(self, case: str, name: str) -> str:
        """The look's id; a page that shows it twice has one place for it."""
        shown = self.env.temp_data.setdefault("looks", {})
        count = shown[case, name] = shown.get((case, name), 0) + 1
        return f"look-{case}-{name}" + (f"-{count}" if count > 1 else "")


def outputs(seen: dict, name: str, alone: bool) -> list[nodes.Node]:
    """What the look's command said, each output under its sentence: first where it finds what it is for. The
    look-alike's alone, if the page wants no other."""
    alike = seen.get("look_alike")
    there: list[nodes.Node] = []
    if alike:
        cause = alike["cause"]
        instead = " instead" if seen["telling"] and not alone else ""
        there = [
            sentence(f"With {cause}{instead}:"),
            output(alike["lines"], alike["telling"], f"Output of {name} with {cause}"),
        ]
    if alone:
        return there
    if not seen["telling"]:  # it is for the look-alike
        return (
            there
            + plain_output("With the fault", seen["lines"], name)
            + plain_output("In the control", seen["control"], name)
        )
    first = (
        "With the fault, and perhaps in the control:"
        if seen["describes"]
        else "With the fault:"
        if seen["control"]
        else "With the fault; in the control it said nothing:"
    )
    return [
        sentence(first),
        output(seen["lines"], seen["telling"], f"Output of {name}"),
        *(plain_output("In the control", seen["control"], name) if seen["control"] and not seen["describes"] else []),
        *there,
    ]


def plain_output(where: str, lines: list[str], name: str) -> list[nodes.Node]:
    """An output of which no line tells anything, under a sentence of where it came: `where` is "In the control"."""
    if not lines:
        return [sentence(f"{where} it said nothing.")]
    return [sentence(f"{where}:"), output(lines, [], f"Output of {name} {where[0].lower()}{where[1:]}")]


def say_where_recorded(_app: Sphinx, doctree: nodes.document) -> None:
    """Where a page's looks were recorded, as its last paragraph; by case, if not all in one place. Not again, if the
    page has said it under its title."""
    cases = dict(box["recorded"] for box in doctree.findall(nodes.container) if "recorded" in box)
    if not cases:
        return
    lines = set(cases.values())
    if lines <= {each.astext() for each in doctree.findall(nodes.paragraph) if "wpw-provenance" in each["classes"]}:
        return
    last = list(doctree.findall(nodes.section))[-1]
    last += provenance_node(lines.pop() if len(lines) == 1 else " ".join(f"{case}: {cases[case]}" for case in cases))


def found(recording: Recording, name: str, alone: bool = False) -> dict:
    """A look of a recording, if it has all that a page shows and an output tells something: the look-alike's, if it
    stands `alone`."""
    looks = recording.data.get("on_call") or {}
    seen = looks.get(name)
    if seen is None:
        raise RecordingError(
            f"{recording.name} has no look {name!r} ({', '.join(looks) or 'none at all'}). "
            f"Next: ./lab record {recording.case}"
        )
    if missing := [key for key in KEYS if key not in seen]:
        raise RecordingError(f"{recording.name}: the look {name!r} lacks {', '.join(missing)}")
    alike = seen.get("look_alike")  # older recordings have none
    if alone and not alike:
        raise RecordingError(
            f"{recording.name}: the look {name!r} was not typed in a look-alike. Next: ./lab record {recording.case}"
        )
    if alike and (missing := [key for key in KEYS_ALIKE if key not in alike]):
        raise RecordingError(f"{recording.name}: the look {name!r} lacks {', '.join(missing)} of its look-alike")
    if alike and not alike["telling"]:
        raise RecordingError(f"{recording.name}: no recorded line of {name!r} tells its look-alike")
    if not seen["telling"] and (seen.get("expect") or not alike):
        raise RecordingError(f"{recording.name}: no recorded line of {name!r} is what it looks for")
    return seen


def sentence(*parts: str | nodes.Node) -> nodes.paragraph:
    """A paragraph of our own."""
    return nodes.paragraph("", "", *(nodes.Text(part) if isinstance(part, str) else part for part in parts))


def output(lines: list[str], telling: list[int], label: str) -> look_output:
    """The lines as a node."""
    return look_output("", lines=list(lines), telling=list(telling), label=label)


def visit_html(self, node: look_output) -> None:
    """Write preformatted lines that wrap; those that tell stand out, and a screen reader says so."""
    self.body.append(markup(preformatted(node["lines"], node["telling"], node["label"])))
    raise nodes.SkipNode


def preformatted(lines: list[str], telling: list[int], label: str) -> Element:
    """Lines of an output, of which those that tell are marked."""
    mark = h("span", {"class": "visually-hidden"}, MARK)
    spans = [
        h("span", {"class": "wpw-telling"}, mark, line) if number in telling else h("span", {}, line)
        for number, line in enumerate(lines)
    ]
    between = [part for span in spans for part in ("\n", span)][1:]
    return h("pre", {"class": "wpw-output", "tabindex": 0, "role": "region", "aria-label": label}, between)


def visit_text(self, node: look_output) -> None:
    """Write the lines of an output as plain text; those that tell begin with `>`."""
    self.new_state()
    self.add_text(
        "\n".join(("> " if number in node["telling"] else "  ") + line for number, line in enumerate(node["lines"]))
    )
    self.end_state(wrap=False)
    raise nodes.SkipNode


def setup(app: Sphinx) -> dict:
    """Sphinx calls this."""
    add_html_node(app, look_output, visit_html, visit_text)
    app.add_directive("look", LookDirective)
    app.connect("doctree-read", say_where_recorded)
    return {"version": "1", "parallel_read_safe": False, "parallel_write_safe": True}
