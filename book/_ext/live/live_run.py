"""How does a reader make a chapter's case happen in the page itself? A box below its figure, and what it loads.

    :::{live-run} frag-needed run.direct
    :::

The box restores a saved kernel in an emulator, see book/_static/live-run.js. `LAB_TAB` names the folder of the
state and its emulator, which state.json there describes; `live_scripts` in the configuration are the scripts that
drive it. All lie in one folder of the site that is named after their contents, and nothing of it is loaded before
the reader asks. What the guest reads of its disks meanwhile is loaded piece by piece, from a folder beside it; a piece
is named by its own contents and serves each build that has it. A build without LAB_TAB has no box. With LAB_FROM_FOLDER
the site is to be opened from a folder alone, and has nothing that only a server gives: a tenth of its size. CASE and
PATH name the recorded times that stand beside the live ones: the keys a_ms, b_ms and b_again_ms.
"""

import base64
import gzip
import hashlib
import json
import os
from dataclasses import dataclass
from pathlib import Path

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.builders import Builder
from sphinx.util.docutils import SphinxDirective

from book._ext.fail_closed import fault
from book._ext.html_only import add_html_node
from book._ext.recordings.recorded import Recording, RecordingError
from core.draw import ladder_svg, stacks_view
from core.draw.tree import Element, h, markup

STATE, CELLS, WASM, EMULATOR = "state.zst", "cells.zst", "v86.wasm", "libv86.js"
TERMINAL = ("xterm.css", "xterm.js")  # loaded for who asks for a terminal, and not by the first click
COPYRIGHT = "copyright.tar.gz"
LICENCES = ("v86.LICENSE", "xterm.LICENSE", COPYRIGHT)  # they go wherever the others go
TOLD = ("release", "settings")  # of state.json
TIMES = ("a_ms", "b_ms", "b_again_ms")
SCRIPTS, STYLE = ("live-files.js", "live-run.js"), "live-run.css"
ESCAPED = {b"\\": rb"\\", b'"': rb"\"", b"\n": rb"\n", b"\r": rb"\r"}  # in a string of JavaScript
FOLDER, PIECES = "_static/live", "_static/live/pieces"
DISKS = "disks.json"  # which pieces they are of: too long a list for each who opens the page


def box(live: dict, recorded: dict) -> Element:
    """The box, with what its script has to know. The script shows it: without one there is nothing to click."""
    data = {"live": live, "recorded": recorded}
    return h(
        "section",
        {
            "class": "wpw-live",
            "hidden": True,
            **{f"data-{name}": json.dumps(value) for name, value in data.items()},
            "aria-labelledby": "run-it-here",
        },
        h("h3", {"id": "run-it-here"}, "Run it here"),
        h(
            "p",
            {},
            f"This tab can do it too: Debian's Linux {live['release']}, for 32-bit x86, in the emulator v86. The tab "
            "restores a saved VM in which client, balancer and server are already running. Nothing is installed, and "
            "no packet leaves the tab.",
        ),
        h("p", {"class": "wpw-live-buttons"}),
        h("p", {"class": "wpw-live-said", "role": "status"}),
        h("div", {"class": "wpw-live-place"}),
        h("div", {"class": "wpw-live-seen"}),
        drawn_styles(),
    )


def drawn_styles() -> Element:
    """The styles of what a guest draws: a page has them only where it shows a recorded one."""
    return h("style", {}, ladder_svg.CSS + stacks_view.CSS)


@dataclass(frozen=True)
class Pair:
    """A state with its emulator and scripts, as files of the site by name."""

    files: dict[str, bytes]
    described: dict

    @property
    def folder(self) -> str:
        """Where the pair lies in the site. Other contents lie elsewhere, so a browser never mixes two builds."""
        return f"{FOLDER}/{hashlib.sha256(b''.join(self.files.values())).hexdigest()[:16]}"

    def manifest(self, up: str, scripts: list[str], state: str) -> dict:
        """What the page's script has to know to go on from this state; `up` leads from the page to the site's root."""
        others = {STATE, CELLS} - {state}
        return {
            "folder": up + self.folder,
            "pieces": up + PIECES,
            "scripts": scripts,
            "terminal": TERMINAL,
            "state": state,
            "held": self.described["held"][state],
            **{key: self.described[key] for key in TOLD},
            "files": {
                name: {"bytes": len(data), "integrity": integrity(data)}
                for name, data in self.files.items()
                if name not in others
            },
        }


def integrity(data: bytes) -> str:
    """The SHA-256 of some bytes as browsers write it: "sha256-…"."""
    return "sha256-" + base64.b64encode(hashlib.sha256(data).digest()).decode()


def read(app: Sphinx) -> None:
    """Read, once in a build, what it puts into the site (app.live_pair): 23 MB, or None without a saved state."""
    app.live_pair = pair(app)


def pair(app: Sphinx) -> Pair | None:
    """The state with its emulator and scripts as they are on the disk."""
    if not app.config.live_state:
        return None
    folder = Path(app.config.live_state)
    described = json.loads((folder / "state.json").read_text())
    files = {
        **{name: (folder / name).read_bytes() for name in (STATE, CELLS, EMULATOR, *TERMINAL)},
        DISKS: json.dumps(described["disks"]).encode(),
        # Plain file servers do not compress; the page unpacks it itself.
        f"{WASM}.gz": gzip.compress((folder / WASM).read_bytes(), mtime=0),
    }
    files |= {Path(name).name: (Path(app.srcdir) / name).read_bytes() for name in app.config.live_scripts}
    return Pair(files, described)


class live_box(nodes.General, nodes.Element):  # noqa: N801  docutils names nodes so
    """The box, with the recorded times."""


class LiveRun(SphinxDirective):
    """`live-run`: CASE PATH."""

    required_arguments = 2

    def run(self) -> list[nodes.Node]:
        """The box, if there is a state to run."""
        case, path = self.arguments
        try:
            recording = Recording(self.env, case)
            recorded = {key: recording.value(f"{path}.{key}") for key in TIMES}
        except RecordingError as error:
            fault(self.env, str(error), self.env.docname, self.lineno)
            return []
        return [live_box("", recorded=recorded)] if self.env.app.config.live_state else []


def manifest(builder: Builder, state: str = STATE) -> dict:
    """What the script of the page that is being written has to know to go on from this state."""
    up = "../" * builder.current_docname.count("/")
    return builder.app.live_pair.manifest(up, [Path(name).name for name in builder.app.config.live_scripts], state)


def visit_html(self, node: live_box) -> None:
    """The box with all that its script has to know."""
    self.body.append(markup(box(manifest(self.builder), node["recorded"])))
    raise nodes.SkipNode


def add_files(app: Sphinx, pagename: str, templatename: str, context: dict, doctree: nodes.document | None) -> None:
    """The page's script and style sheet, on pages with a box."""
    if doctree is not None and next(doctree.findall(live_box), None) is not None:
        for name in SCRIPTS:
            app.add_js_file(name, loading_method="defer")
        app.add_css_file(STYLE)


def in_script(name: str, data: bytes) -> bytes:
    """A script that gives a file's bytes as a string, a letter each, if it is read as x-user-defined (WHATWG Encoding,
    14.5: of the letter's number the last eight bits are the byte)."""
    for plain, escaped in ESCAPED.items():
        data = data.replace(plain, escaped)
    return b'(globalThis.LiveFiles ??= {})["%s"] = "%s";\n' % (name.encode(), data)


def write(app: Sphinx, failure: Exception | None) -> None:
    """The files as they are, and in a script those that a page opened from a folder could not load otherwise."""
    found = app.live_pair
    if failure is not None or app.builder.format != "html" or found is None:
        return
    state = Path(app.config.live_state)
    loaded = {Path(name).name for name in app.config.live_scripts} | {EMULATOR, *TERMINAL}
    scripts = {name: data for name, data in found.files.items() if name in loaded}
    both = {name: data for name, data in found.files.items() if name not in loaded}
    served = not app.config.live_from_folder
    as_they_are = scripts | {name: (state / name).read_bytes() for name in LICENCES}
    lay(Path(app.outdir) / found.folder, as_they_are | (both if served else {}), both)
    for file in (state / "pieces").iterdir():  # a hundred megabytes: one by one
        piece = {file.name: file.read_bytes()}
        lay(Path(app.outdir) / PIECES, piece if served else {}, piece)


def lay(folder: Path, as_they_are: dict[str, bytes], in_scripts: dict[str, bytes]) -> None:
    """Write files into a folder, the latter in a script each."""
    folder.mkdir(parents=True, exist_ok=True)
    scripts = {f"{name}.js": in_script(name, data) for name, data in in_scripts.items()}
    for name, data in (as_they_are | scripts).items():
        (folder / name).write_bytes(data)


def setup(app: Sphinx) -> dict:
    """Sphinx calls this."""
    app.add_config_value("live_state", lambda config: os.environ.get("LAB_TAB", ""), "env", [str])
    app.add_config_value("live_from_folder", lambda config: bool(os.environ.get("LAB_FROM_FOLDER")), "env", [bool])
    app.add_config_value("live_scripts", [], "env", [list])
    add_html_node(app, live_box, visit_html)
    app.add_directive("live-run", LiveRun)
    app.connect("builder-inited", read)
    app.connect("html-page-context", add_files)
    app.connect("build-finished", write)
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
