"""The directive `states`: what is where, state by state, drawn from a recording.

::

    ::::{states} frag-needed
    :open: 2

    A caption in *MyST*.

    1. **Nothing has been sent.** What this state is about, in words.
    2. **A writes.** As many items as there are states.
    ::::

The picture is described in `book/_states/CASE.toml`, or with a NAME behind the case in `CASE-NAME.toml`: boxes in rows,
their fields, and for each state what has changed since the one before. `{run.direct.b_ms:.0f}` within words is a value
of the recording. A list of paths, or of one less others, is a queue of segments; what has 0 bytes is not there, and
"without PATH" is a gap. The queues of a box with `ruler = true` are drawn to scale. `at` is a list of times to be added
up, seconds or milliseconds by the end of their names, or as in "trace.unsent.0 ms". Where nothing is timed, `counts`
may name what the line counts instead, and `adds` of each state says which tables of the recording add their entries to
the count; without either there is no line. states_svg.py draws. Without script and on paper the states are a strip;
states.js steps through them, from the one that `:open:` names, or from the first.
"""

import re
import tomllib
from pathlib import Path

from docutils import nodes
from docutils.parsers.rst import directives
from sphinx.application import Sphinx
from sphinx.util.docutils import SphinxDirective

from book._ext.drawn import states_svg
from book._ext.fail_closed import fault
from book._ext.html_only import add_html_node
from book._ext.recordings.recorded import Recording, RecordingError, provenance_node, recorded_files
from core.draw.tree import markup

VALUE = re.compile(r"\{([^{}:]+)(?::([^{}]*))?\}")
UNITS_MS = {"_ms": 1, "_s": 1000}
OF_A_STATE = {"at", "adds", "when", "waits"}
OF_A_BOX = {"keeps", "is"}
MISSING = "without "


class StatesError(Exception):
    """What was expected of a description, and what was found instead."""


def read(described: dict, recording: Recording) -> dict:
    """The whole picture as plain data: every state with all that is so in it."""
    boxes, rows = described["boxes"], described["rows"]
    if sorted(name for row in rows for name in row) != sorted(boxes):
        raise StatesError(f"rows: expected each of {', '.join(boxes)} once, found {rows}")
    now: dict = {"boxes": {name: dict.fromkeys(box["fields"], []) for name, box in boxes.items()}}
    unit = described.get("counts") or ("ms" if any("at" in change for change in described["states"]) else "")
    now |= {"keeps": {}, "is": {}, "at": 0.0, "unit": unit}
    states = []
    for number, change in enumerate(described["states"], 1):
        now = _changed(now, change, boxes, recording, f"state {number}")
        states.append(now)
    return {"rows": rows, "boxes": boxes, "unit": unit, "states": states}


def _changed(before: dict, change: dict, boxes: dict, recording: Recording, where: str) -> dict:
    """A state from the one before it and what is said of it. What a box with `passing` had is gone."""
    if ("adds" if before["unit"] in ("", "ms") else "at") in change:
        raise StatesError(f"{where}: expected `at` where states are timed and `adds` where they count, found the other")
    now = {
        "boxes": {
            name: dict.fromkeys(fields, []) if boxes[name].get("passing") else dict(fields)
            for name, fields in before["boxes"].items()
        },
        "keeps": dict(before["keeps"]),
        "is": dict(before["is"]),
        "at": sum(_ms(path, recording) for path in change["at"]) if "at" in change else before["at"],
        "unit": before["unit"],
        "waits": change.get("waits", False),
    }
    now["at"] += sum(len(recording.table(path)) for path in change.get("adds", []))
    said = {"": "", "ms": f"{now['at']:.1f} ms"}.get(now["unit"], f"{now['at']:.0f} {now['unit']}")
    now["when"] = change.get("when", "{}").replace("{}", said)
    if now["at"] < before["at"]:
        raise StatesError(f"{where}: at {said}, expected none before {before['at']:.1f}")
    for name in (name for name in change if name not in OF_A_STATE):
        if name not in boxes:
            raise StatesError(f"{where}: {name!r} is no box ({', '.join(boxes)})")
        for field, value in change[name].items():
            if field in OF_A_BOX:
                now[field][name] = value
            elif field in boxes[name]["fields"]:
                now["boxes"][name][field] = _value(value, recording)
            else:
                raise StatesError(f"{where}: {name} has no field {field!r} ({', '.join(boxes[name]['fields'])})")
        if (kept := now["keeps"].get(name)) and kept not in boxes:
            raise StatesError(f"{where}: {name} keeps {kept!r}, which is no box ({', '.join(boxes)})")
    return now


def _ms(path: str, recording: Recording) -> float:
    """A recorded time in milliseconds; its unit is the end of its name, or stands behind it."""
    path, _, said = path.partition(" ")
    unit = next((ms for end, ms in UNITS_MS.items() if f"{path}_{said}".endswith(end) or path.endswith(end)), None)
    if unit is None:
        raise StatesError(f"{path}: expected a name that ends with {' or '.join(UNITS_MS)}, which says its unit")
    return recording.value(path) * unit


def _bytes(paths: str, recording: Recording) -> int:
    """A recorded size, or what is left of it without others: "run.sent_bytes - run.first_bytes". Below 0 for a gap."""
    gap, sized = paths.startswith(MISSING), paths.removeprefix(MISSING)
    whole, *others = (recording.value(path) for path in sized.split(" - "))
    return (whole - sum(others)) * (-1 if gap else 1)


def _value(value: str | list, recording: Recording) -> list | dict:
    """Words as pieces that know whether they were recorded, or a queue's sizes."""
    if isinstance(value, list):
        return {"queue": [size for paths in value if (size := _bytes(paths, recording))]}
    pieces, end = [], 0
    for found in VALUE.finditer(value):
        pieces += [(value[end : found.start()], False), (format(recording.value(found[1]), found[2] or ""), True)]
        end = found.end()
    return [piece for piece in [*pieces, (value[end:], False)] if piece[0]]


class state_picture(nodes.General, nodes.Element):  # noqa: N801  docutils names nodes so
    """One state, drawn, and in words."""


class States(SphinxDirective):
    """`states`: CASE [NAME], with a caption and a list of the states as its content."""

    required_arguments = 1
    optional_arguments = 1
    has_content = True
    option_spec = {"open": directives.positive_int}

    def run(self) -> list[nodes.Node]:
        """A figure, or nothing but a reported fault."""
        case = self.arguments[0]
        file = Path(self.env.srcdir) / self.config.states / f"{'-'.join(self.arguments)}.toml"
        self.env.note_dependency(str(file))
        text = nodes.Element()
        self.state.nested_parse(self.content, self.content_offset, text)
        try:
            recording = Recording(self.env, case)
            picture = read(tomllib.loads(file.read_text("utf-8")), recording)
            caption, strip = self.parts(text, len(picture["states"]))
        except (OSError, KeyError, ValueError, StatesError, RecordingError) as error:
            said = f"{error} is missing" if isinstance(error, KeyError) else str(error)
            fault(self.env, f"{self.config.states}/{file.name}: {said}", self.env.docname, self.lineno)
            return []
        for number, item in enumerate(strip):
            drawn = states_svg.svg(picture, number)
            item["classes"] += ["wpw-opens"] if number + 1 == self.options.get("open") else []
            item.insert(0, state_picture("", svg=drawn, said=states_svg.said(picture, number)))
        strip["classes"].append("wpw-strip")
        figure = nodes.figure("", strip, classes=["wpw-recorded-figure", "wpw-states"])
        figure += nodes.caption("", "", *caption.children)
        files = recorded_files("", case=case, figure="", names=[])
        figure += nodes.legend("", provenance_node(recording.provenance), files)
        self.set_source_info(figure)
        return [figure]

    def parts(self, text: nodes.Element, count: int) -> tuple[nodes.Element, nodes.Element]:
        """The caption's paragraph and the list."""
        shape = [type(each) for each in text]
        if shape != [nodes.paragraph, nodes.enumerated_list]:
            raise StatesError("expected a caption and a numbered list on the page")
        if len(text[1]) != count:
            raise StatesError(f"{count} states, and {len(text[1])} in the page's list")
        if self.options.get("open", 1) > count:
            raise StatesError(f"opens at state {self.options['open']}, of {count}")
        return text[0], text[1]


def visit_html(self, node: state_picture) -> None:
    """Write the picture."""
    self.body.append(markup(node["svg"]))
    raise nodes.SkipNode


def visit_text(self, node: state_picture) -> None:
    """Write the picture's words, where there are no pictures."""
    self.new_state()
    self.add_text(node["said"])
    self.end_state()
    raise nodes.SkipNode


def setup(app: Sphinx) -> dict:
    """Sphinx calls this."""
    app.add_config_value("states", "book/_states", "env", [str])
    add_html_node(app, state_picture, visit_html, visit_text)
    app.add_directive("states", States)
    return {"version": "1", "parallel_read_safe": False, "parallel_write_safe": True}
