"""What does a graph in Graphviz's language look like on a page?

`dot` lays it out; what it wrote is made the page's own: no colours, fonts and ids (the style sheet has
the first two), no tooltips that repeat a node's name. A `class` of a node, an edge or a cluster stays.
Text is measured in DejaVu Sans, which comes with Graphviz in Debian and is wider than what readers'
machines have, so it fits in theirs. A line that is a function's name, `tcp_push()`, is set as code.
"""

import re
import shutil
import subprocess
import xml.etree.ElementTree as Xml
from collections.abc import Callable

SVG, XLINK = "{http://www.w3.org/2000/svg}", "{http://www.w3.org/1999/xlink}"
FONT, SIZE, SMALL = "DejaVu Sans", 14, 12.5  # the sizes in pixels
DEFAULTS = [f"-{kind}fontname={FONT}" for kind in "GNE"] + [
    f"-Gfontsize={SIZE}",
    f"-Nfontsize={SIZE}",
    f"-Efontsize={SMALL}",
    "-Nshape=box",
    "-Nstyle=rounded",
    "-Nmargin=0.14,0.07",
    "-Nheight=0.3",
    "-Gpad=0.06",
    "-Granksep=0.35",
    "-Gnodesep=0.25",
    "-Earrowsize=0.8",
]
LEAST = 0.82  # of its size, to which a picture shrinks on a narrow page before it scrolls
CODE = re.compile(r"[a-z_]\w*\(\)(, [a-z_]\w*\(\))*")
DROPPED = ("id", "fill", "stroke", "font-family", f"{XLINK}title", "target", f"{XLINK}href")


class ChartError(Exception):
    """What dot says against a graph."""


def drawn(graph: str) -> Xml.Element:
    """The graph laid out, as dot writes it."""
    if not shutil.which("dot"):
        raise ChartError("dot is missing. Next: sudo apt-get install -y --no-install-recommends graphviz")
    result = subprocess.run(["dot", "-Tsvg", *DEFAULTS], input=graph, capture_output=True, text=True, encoding="utf-8")
    complaints = [line for line in result.stderr.splitlines() if re.match(r"(Error|Warning):", line)]
    if result.returncode or complaints:
        raise ChartError("dot: " + " ".join(complaints or [f"exit status {result.returncode}"]))
    return Xml.fromstring(result.stdout)


def links(picture: Xml.Element) -> list[str]:
    """Where the picture's nodes, edges and clusters lead, in order, each once."""
    return list(dict.fromkeys(each.get(f"{XLINK}href", "") for each in picture.iter(f"{SVG}a")))


def svg(picture: Xml.Element, name: str, alt: str, href: Callable[[str], str | None]) -> str:
    """The page's own version of it. `href` turns a place into an address."""
    width, height = picture.attrib["viewBox"].split()[2:]
    for parent in picture.iter():
        for child in [each for each in parent if each.tag == f"{SVG}title"]:
            parent.remove(child)
    ground = picture[0].find(f"{SVG}polygon")  # of the whole graph, the first in its group
    if ground is not None:
        picture[0].remove(ground)
    for element in picture.iter():
        _own(element, href)
    for key in list(picture.attrib):
        del picture.attrib[key]
    picture.attrib |= {
        "viewBox": f"0 0 {width} {height}",
        "width": width,
        "height": height,
        "role": "group",
        "aria-label": alt,
        "id": f"chart-{name}",
        "style": f"min-width:{float(width) * LEAST:.0f}px",
    }
    written = Xml.tostring(_plain(picture), encoding="unicode")
    return re.sub(r"\s*\n\s*", "\n", written)


def _own(element: Xml.Element, href: Callable[[str], str | None]) -> None:
    """One element without what dot says of its looks."""
    if element.tag == f"{SVG}a":
        place = element.get(f"{XLINK}href", "")
        text = " ".join(each.text or "" for each in element.iter(f"{SVG}text"))
        element.attrib = {"href": href(place) or "", "aria-label": " ".join(text.split())}
        return
    if element.tag == f"{SVG}text":
        if CODE.fullmatch((element.text or "").strip()):
            element.set("class", "code")
        if element.get("font-size") in (f"{SIZE:.2f}", f"{SMALL:.2f}"):
            del element.attrib["font-size"]
    elif element.get("fill") == "none" or element.get("stroke") == "transparent":
        element.set("class", "open")
    for key in DROPPED:
        element.attrib.pop(key, None)


def _plain(element: Xml.Element) -> Xml.Element:
    """Strip an element of its namespaces, because within HTML an <svg> needs none."""
    for each in element.iter():
        each.tag = each.tag.removeprefix(SVG)
        each.attrib.pop("{http://www.w3.org/XML/1998/namespace}space", None)
    return element
