"""How does a reader solve a chapter's exercises in the page itself? Each with its task, and a box to answer it in.

    :::{live-exercises} frag-needed
    :::

The box checks an answer in the machine that live_run.py describes, by book/_static/live-exercise.js. Where there is no
script, no state (LAB_TAB), or for an exercise that a tab cannot judge, the lab's command stands in its place. Hints and
the solution are data of the box, and no text of the page.
"""

import json

from docutils import nodes
from docutils.statemachine import StringList
from sphinx.application import Sphinx
from sphinx.util.docutils import SphinxDirective

from book._ext.fail_closed import fault
from book._ext.html_only import add_html_node
from book._ext.live import live_run
from core import cases
from core.draw.tree import Element, h, markup
from core.protocol import TAB_PROCESSOR_S

SCRIPTS = ("live-files.js", "live-hand.js", "live-link.js", "live-verdict.js", "live-exercise.js")
STYLES = (live_run.STYLE, "live-exercise.css")
WORTH = "*What the verdict is worth:* "


class live_solved(nodes.General, nodes.Element):  # noqa: N801  docutils names nodes so
    """What stands above the exercises: what a check is, and how many are solved."""


class live_exercise(nodes.General, nodes.Element):  # noqa: N801
    """The box of one exercise."""


def above(live: dict, megabytes: float) -> Element:
    """What a check is and takes, and what all boxes of the page share."""
    return h(
        "section",
        {"class": "wpw-live", "hidden": True, "data-live": json.dumps(live), "aria-label": "Checked in this tab"},
        h(
            "p",
            {},
            "A check takes half a minute to two minutes. This tab restores a saved VM with the chapter's network, "
            f"Debian's Linux {live['release']} for 32-bit x86 in the emulator v86, applies your answer there, and "
            "judges it as ",
            h("code", {}, "./lab check"),
            f" does. A script that uses more than {TAB_PROCESSOR_S} s of processor time is ended. The first check "
            f"loads {megabytes:.1f} MB. Nothing is installed, and no packet leaves the tab.",
        ),
        h("p", {"class": "wpw-solved"}),
        h("p", {"class": "wpw-live-said", "role": "status"}),
        live_run.drawn_styles(),
    )


def box(exercise: dict) -> Element:
    """The box, which its script fills and shows."""
    label = f"Your answer to exercise {exercise['number']}"
    return h(
        "section", {"class": "wpw-exercise", "hidden": True, "data-exercise": json.dumps(exercise), "aria-label": label}
    )


class LiveExercises(SphinxDirective):
    """`live-exercises`: CASE."""

    required_arguments = 1

    def run(self) -> list[nodes.Node]:
        """A section for each exercise."""
        try:
            case = cases.case(self.arguments[0])
        except cases.WrongCall as error:
            fault(self.env, str(error), self.env.docname, self.lineno)
            return []
        live = bool(self.env.app.config.live_state)
        return [*([live_solved()] if live else []), *(self._section(each, live) for each in case.exercises)]

    def _section(self, exercise: cases.Exercise, live: bool) -> nodes.section:
        for file in (exercise.folder / "exercise.toml", exercise.start, exercise.solution):
            self.env.note_dependency(str(file))
        title = f"{exercise.number}. {exercise.title}"
        section = nodes.section("", nodes.title("", title), ids=[f"exercise-{exercise.number}"], names=[title.lower()])
        self.state.document.note_explicit_target(section, section)
        for text in (exercise.task, WORTH + exercise.worth.strip()):
            self.state.nested_parse(StringList(text.split("\n"), str(exercise.folder)), self.content_offset, section)
        if live and exercise.tab_million:
            section += live_exercise("", exercise=told(exercise))
        section += command(exercise, live)
        return section


def in_tab() -> dict[str, list[str]]:
    """Exercises that a tab can judge, by the page that has them."""
    found = {
        f"{case.name}-exercises": [each.id for each in case.exercises if each.tab_million]
        for case in cases.cases().values()
    }
    return {page: ids for page, ids in found.items() if ids}


def told(exercise: cases.Exercise) -> dict:
    """What the script has to know of an exercise."""
    return {
        "id": exercise.id,
        "number": exercise.number,
        "file": f"{exercise.number}{exercise.suffix}",
        "start": exercise.start.read_text(),
        "hints": exercise.hints,
        "solution": exercise.solution.read_text(),
        "instructions": exercise.tab_million * 1e6,
    }


def command(exercise: cases.Exercise, live: bool) -> nodes.paragraph:
    """The lab's own command, which a page with a script shows if the box does not."""
    file = f"work/{exercise.id}{exercise.suffix}"
    return nodes.paragraph(
        "",
        "",
        nodes.Text("A tab cannot judge this one. " if live and not exercise.tab_million else ""),
        nodes.Text("In a clone of the book, "),
        nodes.literal("", "./lab start"),
        nodes.Text(" leaves the file to begin with, and this judges it: "),
        nodes.literal("", f"./lab check {exercise.id} {file}"),
        nodes.Text("."),
        classes=["wpw-exercise-command"],
    )


def visit_solved(self, node: live_solved) -> None:
    """What stands above, with all that the machine is made of."""
    live = live_run.manifest(self.builder)
    loaded = sum(file["bytes"] for name, file in live["files"].items() if name not in live["terminal"])
    self.body.append(markup(above(live, loaded / 1e6)))
    raise nodes.SkipNode


def visit_exercise(self, node: live_exercise) -> None:
    """The box."""
    self.body.append(markup(box(node["exercise"])))
    raise nodes.SkipNode


def add_files(app: Sphinx, pagename: str, templatename: str, context: dict, doctree: nodes.document | None) -> None:
    """The scripts and style sheets of pages with exercises; and on every page what marks in the navigation which are
    solved."""
    if doctree is not None and app.config.live_state:
        app.add_js_file("solved-marks.js", loading_method="defer", **{"data-exercises": json.dumps(in_tab())})
    if doctree is not None and next(doctree.findall(live_solved), None) is not None:
        for name in SCRIPTS:
            app.add_js_file(name, loading_method="defer")
        for name in STYLES:
            app.add_css_file(name)


def setup(app: Sphinx) -> dict:
    """Sphinx calls this. The state and its files are live_run.py's."""
    app.setup_extension(live_run.__name__)
    add_html_node(app, live_solved, visit_solved)
    add_html_node(app, live_exercise, visit_exercise)
    app.add_directive("live-exercises", LiveExercises)
    app.connect("html-page-context", add_files)
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
