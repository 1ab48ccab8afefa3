"""Which parts of a recording become files, and under which names? The guest prints the names, and root there may print
anything: so what could be a path is refused, and all of it is looked at before the first file is written."""

import base64
import binascii
import json
import re
from typing import Any
from xml.etree import ElementTree

from core.draw import figures
from host.errors import LabError

# It becomes part of a page's address and of a path in git. Small letters, for some file systems know no others.
NAME = re.compile(r"[a-z0-9][a-z0-9_.-]{0,79}")

SVG, XLINK = "{http://www.w3.org/2000/svg}", "{http://www.w3.org/1999/xlink}"
PLOT = f'<svg xmlns="{SVG[1:-1]}" xmlns:xlink="{XLINK[1:-1]}">{{}}</svg>'
# How a capture begins (pcap-savefile(5)): in nanoseconds, little-endian, version 2.4. In no encoding is it a script.
CAPTURE = bytes.fromhex("4d3cb2a1 0200 0400")
ElementTree.register_namespace("", SVG[1:-1])  # prefixes as a page has them
ElementTree.register_namespace("xlink", XLINK[1:-1])
# What Matplotlib draws with.
DRAWS = {"svg", "g", "path", "defs", "style", "clipPath", "rect", "use", "pattern", "text", "tspan", "image"}


def files(case: str, data: dict) -> dict[str, bytes]:
    """Takes `figures` and `files` out of what `labs record` printed: the bytes of each file by its name."""
    drawn, others = data.pop("figures", None), data.pop("files", {})
    _expect(case, isinstance(drawn, dict), "figures by their names", drawn)
    _expect(case, isinstance(others, dict), "files by their names", others)
    stored = {}
    for name, figure in drawn.items():
        _expect(case, NAME.fullmatch(name), "a figure's name (small letters, digits, - _ .)", name)
        stored[name + figures.SUFFIX] = _figure(case, name, figure)
    for name, content in others.items():  # for download beside the figure it is named after
        _expect(case, NAME.fullmatch(name), "a file's name (small letters, digits, - _ .)", name)
        _expect(case, name not in stored, "a name that no figure has", name)
        stored[name] = _no_script(case, name, _bytes(case, name, content))
    return stored


def _figure(case: str, name: str, figure: Any) -> bytes:
    """A figure's data, which can be drawn."""
    try:
        figures.draw(figure)
        if figure["kind"] == "plot":
            figure = figure | {"svg": _only_drawing(case, name, ElementTree.fromstring(PLOT.format(figure["svg"])))}
    except (figures.NoFigure, ElementTree.ParseError) as error:
        raise _nothing(case, f"the figure {name}: {error}") from error
    return (json.dumps(figure, indent=1) + "\n").encode()  # unsorted: of rows it is the order of columns


def _only_drawing(case: str, name: str, plot: ElementTree.Element) -> str:
    """The SVG of a plot, which draws and does no more. It is written anew, without comments, processing instructions
    and CDATA, because XML and HTML do not agree where these end: a browser may run what was a comment here."""
    expected = f"an SVG that only draws, for the figure {name}"
    for element in plot.iter():
        _expect(case, element.tag.removeprefix(SVG) in DRAWS, expected, element.tag)
        for attribute, value in element.attrib.items():
            leads = attribute.rpartition("}")[2] == "href" and not value.startswith("#")
            _expect(case, not (leads or attribute.startswith("on")), expected, f"{attribute}={value}")
    text = ElementTree.tostring(plot, encoding="unicode")
    return text[text.index(">") + 1 : text.rindex("</svg>")].strip()


def _no_script(case: str, name: str, content: bytes) -> bytes:
    """A capture or JSON, by name and by content, because the site publishes it: markup in an output could load it as a
    script, which the page's content policy lets any file of the site be."""
    if name.endswith(".pcap"):
        _expect(case, content.startswith(CAPTURE), f"a capture in the file {name}", content)
        return content
    _expect(case, name.endswith(".json"), "a file called *.json or *.pcap", name)
    try:
        json.loads(content)
    except ValueError as error:
        raise _nothing(case, f"expected JSON in the file {name}, found other text ({error})") from error
    return content


def _bytes(case: str, name: str, content: object) -> bytes:
    if isinstance(content, str):
        return content.encode(errors="replace")
    encoded = content.get("base64") if isinstance(content, dict) else None
    if not isinstance(encoded, str):
        raise _nothing(case, f"expected text or base64 for the file {name}, found {content!r:.100}")
    try:
        return base64.b64decode(encoded, validate=True)
    except (binascii.Error, ValueError) as error:
        raise _nothing(case, f"expected base64 for the file {name}, found other text ({error})") from error


def _expect(case: str, holds: object, expected: str, found: object) -> None:
    if not holds:
        raise _nothing(case, f"expected {expected}, found {found!r:.100}")


def _nothing(case: str, why: str) -> LabError:
    return LabError(f"{case}: {why}; nothing was stored", f"./lab run {case}")
