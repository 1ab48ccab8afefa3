"""What counts as the use of a term on a page, and where is its first one?"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection
from dataclasses import dataclass, field
from typing import TypeGuard, cast

from docutils import nodes
from sphinx import addnodes

from book._ext.links.places import place_reference
from book._ext.quoted.source_html import NODES
from book._ext.recordings.recorded_figure import recorded_figure
from core.draw import figures

QUOTED = NODES["figure"]
# What is read as something else than prose.
SKIPPED = (
    nodes.reference,
    place_reference,
    addnodes.pending_xref,
    addnodes.download_reference,
    nodes.title,
    nodes.term,
    nodes.literal_block,
    nodes.doctest_block,
    nodes.raw,
    nodes.comment,
    nodes.image,
    nodes.footnote_reference,
    addnodes.index,
    addnodes.toctree,
    nodes.system_message,
)
SKIPPED_CLASSES = {
    "cell",
    "literal-block-wrapper",
    "sd-card",
    "wpw-provenance",
    "wpw-mentions",
    "wpw-parts",
}  # of licences, where an "exception" is another
TAIL = re.compile(r"(\(\d?\)|=\S+)$")  # of `tcp_push()`, `splice(2)`, `net.ipv4.tcp_sack=0`


@dataclass(frozen=True)
class Term:
    """One entry: where it stands, its first name, and all its names as words and as literals."""

    docname: str
    key: str  # the place of the entry on its page
    name: str
    line: int | None
    words: tuple[str, ...]
    literals: tuple[str, ...]

    @classmethod
    def of(cls, docname: str, names: list[nodes.term]) -> Term:
        """Make the term of the names that share one definition."""

        def text(each: nodes.term) -> str:
            return "".join(child.astext() for child in each if not isinstance(child, addnodes.index))

        code = [each for each in names if any(isinstance(child, nodes.literal) for child in each)]
        return cls(
            docname,
            names[0]["ids"][0],
            text(names[0]),
            names[0].line,
            tuple(text(each) for each in names if each not in code),
            tuple(TAIL.sub("", text(each)) for each in code),
        )


def anchor_of(term: Term) -> str:
    """What the place of a term's first use is called on its page."""
    return f"use-of-{term.key.removeprefix('term-')}"


def quoted_name(figure: nodes.Element) -> str:
    """The function or table that an annotated source is about."""
    return figure["label"].removesuffix("()").strip()


def spelled(word: str) -> str:
    """An expression for a word in prose: over line ends, with a capital, in the plural."""
    first = f"[{word[0]}{word[0].upper()}]" if word[0].islower() else re.escape(word[0])
    return first + r"\s+".join(re.escape(part) for part in word[1:].split(" ")) + "(?:s|es)?"


def join_texts(node: nodes.Element) -> None:
    """MyST gives each line of a paragraph, and each line end, a node of its own."""
    for at in range(len(node.children) - 1, 0, -1):
        before, behind = node.children[at - 1 : at + 1]
        if isinstance(before, nodes.Text) and isinstance(behind, nodes.Text):
            node[at - 1 : at + 1] = [nodes.Text(f"{before}{behind}")]


class Finder:
    """Finds the terms' first uses on one page after the other. `quoted`: the functions whose code stands
    somewhere in the book, to which figure_links.py leads from recorded figures."""

    def __init__(self, terms: list[Term], quoted: Collection[str]) -> None:
        self.quoted = quoted
        self.literals = {literal: term for term in terms for literal in term.literals}
        words = {word: term for term in terms for word in term.words}
        longest = sorted(words, key=lambda word: (-len(word), word))
        self.terms = [words[word] for word in longest]
        self.pattern = (
            re.compile(r"(?<![\w-])(?:" + "|".join(f"({spelled(word)})" for word in longest) + r")(?!\w)")
            if words
            else None
        )

    def uses(self, page: nodes.document, docname: str, lead: Callable[[Term], str] = lambda term: "") -> dict[str, str]:
        """The page's terms by key, each with the place of its first use. It changes the page: each first use becomes a
        link to where `lead` says."""
        reader = _Reader(self, docname, lead)
        reader.read(page)
        return {**reader.elsewhere, **reader.linked}


@dataclass
class _Reader:
    """One page as it is read."""

    finder: Finder
    docname: str
    lead: Callable[[Term], str]
    linked: dict[str, str] = field(default_factory=dict)
    elsewhere: dict[str, str] = field(default_factory=dict)  # quoted, so with no link of ours
    own: tuple[str, str] | None = None  # page and key of the entry that is being read

    def read(self, node: nodes.Element) -> None:
        """Reads what is in `node`, in the order of the page."""
        join_texts(node)
        for child in list(node.children):
            if isinstance(child, nodes.Text):
                self.in_prose(child)
            elif isinstance(child, SKIPPED) or SKIPPED_CLASSES.intersection(child.get("classes", ())):
                continue
            elif isinstance(child, nodes.literal):
                self.in_literal(child)
            elif isinstance(child, recorded_figure):
                self.in_figure(child)
            elif isinstance(child, nodes.definition_list_item) and isinstance(node.parent, addnodes.glossary):
                self.own = (self.docname, child[0]["ids"][0])
                self.read(child)
                self.own = None
            else:
                if isinstance(child, QUOTED):
                    self.in_quotation(child)
                self.read(child)

    def first(self, term: Term | None) -> TypeGuard[Term]:
        """Whether this is the term's first use; not within its own entry."""
        return term is not None and term.key not in self.linked and (term.docname, term.key) != self.own

    def reference(self, term: Term, child: nodes.Node) -> nodes.reference:
        """The link from the first use to the entry."""
        self.linked[term.key] = anchor_of(term)
        return nodes.reference(
            "", "", child, internal=True, refuri=self.lead(term), ids=[anchor_of(term)], classes=["wpw-term"]
        )

    def in_prose(self, text: nodes.Text) -> None:
        """Cuts the text at each first use."""
        said, made, at = str(text), [], 0
        for found in self.finder.pattern.finditer(said) if self.finder.pattern else ():
            term = self.finder.terms[cast(int, found.lastindex) - 1]
            if self.first(term):
                made += [nodes.Text(said[at : found.start()]), self.reference(term, nodes.Text(found[0]))]
                at = found.end()
        if made:
            parent = text.parent
            where = parent.index(text)
            parent[where : where + 1] = [each for each in [*made, nodes.Text(said[at:])] if each.astext()]

    def in_literal(self, literal: nodes.literal) -> None:
        """A literal is a use as a whole, or none."""
        term = self.finder.literals.get(TAIL.sub("", literal.astext()))
        if self.first(term):
            literal.replace_self(self.reference(term, literal.deepcopy()))

    def in_figure(self, node: recorded_figure) -> None:
        """Every function of a recorded figure leads to its entry if the book has nothing better, its code."""
        node["terms"], node["anchors"] = {}, {}
        for name in figures.functions(node["figure"]):
            term = self.finder.literals.get(name)
            if name in self.finder.quoted or term is None:
                continue
            if self.first(term):
                node["anchors"][name] = anchor_of(term)
            self.linked.setdefault(term.key, anchor_of(term))
            node["terms"][name] = self.lead(term)

    def in_quotation(self, figure: nodes.Element) -> None:
        """Quoted source is a use without a link."""
        if self.first(term := self.finder.literals.get(quoted_name(figure))):
            self.elsewhere.setdefault(term.key, figure["anchor"])
