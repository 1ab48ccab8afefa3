"""The directive `annotated-source`: kernel code on a page, with notes tied to its lines.

::

    :::{annotated-source} net/ipv4/tcp_ipv4.c tcp_v4_err
    :from: if (code == ICMP_FRAG_NEEDED)
    :to-next: re: ^\\t\\t}

    1. `sock_owned_by_user(sk)`: a note in *MyST*, as long as it needs to be;
       further lines are indented.
    2. `re: set_bit\\(TCP_MTU`: a pattern is a piece of the line, or `re:` and an expression.
    :::

Options: `:from:`, `:to:` (each matches one line of the definition), `:to-next:` (the first such
line after the start), `:with:` (of several definitions, the one with this line), `:tree:` (another
tree than linux). A value that begins with `#`, `|`, `>` or a quote, or has ` #` in it, is put in
quotes: that is MyST's rule for options. kernel_source.py looks up and cuts; source_html.py writes.
"""

import re

from docutils import nodes
from docutils.parsers.rst import directives
from docutils.statemachine import StringList
from sphinx.transforms.post_transforms import SphinxPostTransform
from sphinx.util.docutils import SphinxDirective

from book._ext.fail_closed import fault
from book._ext.quoted.kernel_source import Excerpt, SourceError, excerpt, licence_of, read
from book._ext.quoted.source_html import NODES, setup_source_html
from book._ext.quoted.source_trees import Tree, setup_source_trees, tree

CALLOUT = re.compile(r"(?P<number>\d+)\.\s+(?P<tick>`+)(?P<pattern>.+?)(?P=tick)\s*:?\s*(?P<note>.*)")


def setup_annotated_source(app) -> None:
    """The component: configuration, nodes, directive, and what other builders than HTML get."""
    setup_source_trees(app)
    setup_source_html(app)
    app.add_directive("annotated-source", AnnotatedSource)
    app.add_post_transform(PlainSource)


class AnnotatedSource(SphinxDirective):
    """Quotes one definition, or a piece of it."""

    required_arguments = 2
    final_argument_whitespace = True
    has_content = True
    option_spec = {
        "from": directives.unchanged_required,
        "to": directives.unchanged_required,
        "to-next": directives.unchanged_required,
        "with": directives.unchanged_required,
        "tree": directives.unchanged_required,
    }

    def run(self) -> list[nodes.Node]:
        """The figure, or nothing but a reported fault."""
        path, symbol = self.arguments
        try:
            source = tree(self.config, self.options.get("tree", "linux"))
            self.env.note_dependency(str(source.root / "VERSION"))
            self.env.note_dependency(str(source.root / path))
            if {"to", "to-next"} <= self.options.keys():
                raise SourceError("both :to: and :to-next: given; expected one of them")
            quoted = excerpt(
                source.root,
                path,
                symbol,
                start=self.options.get("from"),
                end=self.options.get("to"),
                end_next=self.options.get("to-next"),
                having=self.options.get("with"),
            )
        except SourceError as error:
            fault(self.env, str(error), self.env.docname, self.lineno)
            return []
        figure = self.figure(source, quoted)
        self.set_source_info(figure)
        figure += self.notes(quoted)
        return [figure]

    def figure(self, source: Tree, quoted: Excerpt) -> nodes.Element:
        """The node with everything that a writer needs, as plain data (it is pickled)."""
        serial = self.env.new_serialno("annotated-source") + 1
        return NODES["figure"](
            "",
            anchor=f"{nodes.make_id(quoted.definition.name) or 'source'}-{serial}",
            path=quoted.path,
            label=quoted.label,
            text=list(quoted.text),
            text_first=quoted.definition.first,
            first=quoted.first,
            last=quoted.last,
            tree=source.title,
            package=source.version.package,
            upstream=source.version.upstream,
            licence=licence_of(read(source.root / quoted.path), source.licence),
            url=source.url(quoted.path, quoted.first),
        )

    def notes(self, quoted: Excerpt) -> list[nodes.Element]:
        """One node a callout, its note parsed as the page's own markup."""
        made = []
        for expected, (offset, number, pattern, lines) in enumerate(self.callouts(), 1):
            where = self.content_line(offset)
            if number != expected:
                fault(self.env, f"callout {number}: expected number {expected}", self.env.docname, where)
            try:
                line = quoted.line_of(pattern, f"callout {number}")
            except SourceError as error:
                fault(self.env, str(error), self.env.docname, where)
                continue
            note = NODES["note"]("", number=number, line=line, pattern=pattern)
            text = StringList(lines, source=self.state.document["source"])
            self.state.nested_parse(text, self.content_offset + offset, note)
            made.append(note)
        return made

    def content_line(self, offset: int) -> int:
        """The page's line of the content's line `offset` (from 0)."""
        return self.lineno + self.content_offset + offset + 1

    def callouts(self) -> list[tuple[int, int, str, list[str]]]:
        """(offset in the content, number, pattern, the note's lines without their indent)."""
        found, indent = [], 0
        for offset, line in enumerate(self.content):
            if opening := CALLOUT.match(line):
                indent = line.index("`")
                found.append((offset, int(opening["number"]), opening["pattern"].strip(), [opening["note"]]))
            elif found:
                found[-1][3].append(line[min(indent, len(line) - len(line.lstrip())) :])
            elif line.strip():
                fault(
                    self.env,
                    f"expected '1. `pattern`: note', found {line.strip()!r}",
                    self.env.docname,
                    self.content_line(offset),
                )
                break
        return found


class PlainSource(SphinxPostTransform):
    """An excerpt in PDF and plain text: a listing with its callouts as comments, and a numbered list."""

    default_priority = 10  # before literal blocks are given their highlighting

    def run(self, **_kwargs) -> None:
        """Replaces every figure, unless HTML is written."""
        if self.app.builder.format == "html":
            return
        for figure in list(self.document.findall(NODES["figure"])):
            figure.replace_self(self.plain(figure))

    def plain(self, figure: nodes.Element) -> list[nodes.Node]:
        """Caption, code and notes from the nodes that every writer knows."""
        marks: dict[int, list[str]] = {}
        for note in figure.children:
            marks.setdefault(note["line"], []).append(f"({note['number']})")
        offset = figure["first"] - figure["text_first"]
        quoted = figure["text"][offset : offset + figure["last"] - figure["first"] + 1]
        code = "\n".join(
            line + (f"  /* {' '.join(marks[number])} */" if number in marks else "")
            for number, line in enumerate(quoted, figure["first"])
        )
        caption = (
            f"{figure['path']}, {figure['label']}, lines {figure['first']}-{figure['last']} "
            f"({figure['package']}, {figure['licence']})"
        )
        listing = nodes.literal_block(
            code, code, language="c", linenos=True, highlight_args={"linenostart": figure["first"]}
        )
        made = [nodes.paragraph("", "", nodes.emphasis(caption, caption)), listing]
        if figure.children:
            items = [nodes.list_item("", *note.children) for note in figure.children]
            made.append(nodes.enumerated_list("", *items, enumtype="arabic", prefix="", suffix="."))
        return made


def setup(app) -> dict:
    """Sphinx calls this."""
    setup_annotated_source(app)
    # Faults set the application's exit status, which a reading process of its own would not reach.
    return {"version": "1", "parallel_read_safe": False, "parallel_write_safe": True}
