"""Where in the book is a place that a picture or a sentence names, and is it there at all?

A place is a label, a page, or a place on a page::

    without-a-timer             a label, (without-a-timer)= in the text
    frag-needed                 a page; from the root, /notebooks/frag-needed
    frag-needed#the-path        what has this id there, such as a heading
    frag-needed#ip_fragment     the first excerpt of this function that the page quotes

The role `at` leads there, {at}`ip_fragment <frag-needed#ip_fragment>`; if what leads to a function is
only that, it is shown as one. chart.py uses the same for the nodes of its pictures. A place that is
nowhere is a fault of the page that names it.
"""

import posixpath

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.environment import BuildEnvironment
from sphinx.transforms.post_transforms import SphinxPostTransform
from sphinx.util.docutils import ReferenceRole

from book._ext.fail_closed import fault


def setup_places(app: Sphinx) -> None:
    """The role, and what it needs to know of every page."""
    app.add_role("at", At())
    app.add_post_transform(Lead)
    app.connect("env-purge-doc", forget)
    app.connect("doctree-read", remember)
    app.connect("env-updated", check)


def named(env: BuildEnvironment, place: str, line: int) -> None:
    """The page that is read now names this place: it is looked for when all pages are read."""
    env.__dict__.setdefault("places_named", {}).setdefault(env.docname, []).append((place, line))


def forget(_app: Sphinx, env: BuildEnvironment, docname: str) -> None:
    """Nothing is known any more of a page that is read anew."""
    for known in ("places_named", "places_of"):
        env.__dict__.setdefault(known, {}).pop(docname, None)


def remember(app: Sphinx, doctree: nodes.document) -> None:
    """The page's places by what they may be called: its ids, and functions by their first excerpt."""
    found: dict[str, str] = {}
    for node in doctree.findall(nodes.Element):
        found |= {each: each for each in node.get("ids", [])}
        if node.tagname == "annotated_source":
            found[node["anchor"]] = node["anchor"]
            found.setdefault(node["label"].removesuffix("()"), node["anchor"])
    app.env.__dict__.setdefault("places_of", {})[app.env.docname] = found


def found(env: BuildEnvironment, place: str, docname: str) -> tuple[str, str] | None:
    """The page and the id on it ("" for its beginning), or None."""
    label = env.get_domain("std").anonlabels.get(place)
    if label:
        return label[:2]
    page, _, name = place.partition("#")
    there = (posixpath.normpath(posixpath.join(posixpath.dirname(docname), page)) if page else docname).lstrip("/")
    if there not in env.all_docs:
        return None
    if not name:
        return there, ""
    anchor = env.places_of.get(there, {}).get(name)
    return (there, anchor) if anchor else None


def check(_app: Sphinx, env: BuildEnvironment) -> list[str]:
    """Every place that any page names has to be there."""
    for docname, places in sorted(env.__dict__.get("places_named", {}).items()):
        for place, line in places:
            if found(env, place, docname) is None:
                fault(env, f"{place!r}: expected a label, a page or page#place, found none such", docname, line)
    return []


def address(app: Sphinx, place: str, docname: str) -> str | None:
    """The way from a page to the place."""
    there = found(app.env, place, docname)
    if there is None:
        return None
    uri = app.builder.get_relative_uri(docname, there[0])
    return (f"{uri}#{there[1]}" if there[0] != docname or not uri else f"#{there[1]}") if there[1] else uri


class place_reference(nodes.Inline, nodes.TextElement):  # noqa: N801  docutils names nodes so
    """Words that lead to `place`."""


class At(ReferenceRole):
    """`{at}`: WORDS <PLACE>, or PLACE."""

    def run(self) -> tuple[list[nodes.Node], list[nodes.system_message]]:
        """The words, to be led on when all pages are known."""
        named(self.env, self.target, self.lineno)
        function = self.target.partition("#")[2]
        words = self.title if self.has_explicit_title else function or self.target
        plain = words.removesuffix("()") != function
        inner = nodes.inline(words, words) if plain else nodes.literal(words, f"{function}()")
        return [place_reference("", "", inner, place=self.target)], []


class Lead(SphinxPostTransform):
    """Each reference to a place becomes a link."""

    default_priority = 10

    def run(self, **_kwargs) -> None:
        """The words alone where the place is not there: that was reported."""
        for node in list(self.document.findall(place_reference)):
            way = address(self.app, node["place"], self.env.docname)
            node.replace_self(
                nodes.reference("", "", *node.children, internal=True, refuri=way) if way else node.children
            )


def setup(app: Sphinx) -> dict:
    """Sphinx calls this."""
    setup_places(app)
    return {"version": "1", "parallel_read_safe": False, "parallel_write_safe": True}
