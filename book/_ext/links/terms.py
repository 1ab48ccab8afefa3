"""Where does the book explain a word, and where does it use it?

The terms are those of Sphinx's own directive `glossary`. One written as a literal (a function, a
counter, a setting) is found where a page has it as a whole literal, with or without `()`, `(2)` or
`=value`; another where a page's prose has it, also with a capital or in the plural. On every page the
first of these becomes a link to its entry, not in links, titles, code and captions of source. Under
each entry stand the pages that use the word. A function that a page only quotes, or that only stands
in a recorded stack, is used there too. A term that no page uses is a fault. A page whose front matter
says `terms: none`, such as a list of titles, is left as it is.

The same places, and every quoted excerpt, are entries of Sphinx's index.

All of it is computed from the stored pages after the last one was read, and what it makes of a page is
made anew as the page is written: so a page that was read, changed or removed by itself leaves nothing
behind. terms_found.py says what counts as a use.
"""

from collections.abc import Iterable

from docutils import nodes
from sphinx import addnodes
from sphinx.application import Sphinx
from sphinx.environment import BuildEnvironment

from book._ext.fail_closed import fault
from book._ext.links.terms_found import QUOTED, Finder, Term, quoted_name

LISTS = "wpw-mentions"


def glossaries(env: BuildEnvironment) -> list[str]:
    """The pages that explain terms."""
    objects = env.get_domain("std").objects
    return sorted({docname for (kind, _), (docname, _) in objects.items() if kind == "term"})


def terms_of(env: BuildEnvironment) -> list[Term]:
    """Every entry of every glossary, in its order."""
    found = []
    for docname in glossaries(env):
        for glossary in env.get_doctree(docname).findall(addnodes.glossary):
            for item in glossary.findall(nodes.definition_list_item):
                found.append(Term.of(docname, [each for each in item if isinstance(each, nodes.term)]))
    return found


def takes_part(env: BuildEnvironment, docname: str) -> bool:
    """Unless the page's front matter says that it does not."""
    return env.metadata[docname].get("terms") != "none"


def in_order(env: BuildEnvironment) -> list[str]:
    """All pages, as the table of contents has them."""
    found: dict[str, None] = {}

    def walk(docname: str) -> None:
        if docname not in found and docname in env.all_docs:
            found[docname] = None
            for below in env.toctree_includes.get(docname, []):
                walk(below)

    walk(env.config.root_doc)
    return [*found, *sorted(env.all_docs.keys() - found.keys())]


def collect(app: Sphinx, env: BuildEnvironment) -> list[str]:
    """Finds all uses; returns the pages whose links are others than those written last time."""
    terms = terms_of(env)
    pages = {docname: env.get_doctree(docname) for docname in in_order(env)}
    quoted: dict[str, list[tuple[str, str]]] = {}
    for docname in sorted(pages):
        for figure in pages[docname].findall(QUOTED):
            quoted.setdefault(quoted_name(figure), []).append((docname, figure["anchor"]))
    finder = Finder(terms, quoted)
    uses = {docname: finder.uses(page, docname) if takes_part(env, docname) else {} for docname, page in pages.items()}
    for term in terms:
        if not any(term.key in found for docname, found in uses.items() if docname != term.docname):
            fault(
                env,
                f"no page uses the term {term.name!r}: take it out of the glossary, or write it as the pages do",
                term.docname,
                term.line,
            )
    for docname, page in pages.items():
        set_index(
            env,
            docname,
            page,
            [
                (term, uses[docname][term.key])
                for term in terms
                if term.key in uses[docname] and term.docname != docname
            ],
        )
    # A link says where the entry stands, a page that has none yet is written in any case.
    leads = {term.key: term.docname for term in terms}
    made = {docname: (found, leads, quoted) for docname, found in uses.items()}
    before = getattr(env, "wpw_made", {})
    env.wpw_terms, env.wpw_quoted, env.wpw_made = terms, quoted, made
    changed = {docname for docname in made if before.get(docname) != made[docname]}
    return sorted(changed.union(glossaries(env)))


def set_index(env: BuildEnvironment, docname: str, page: nodes.document, uses: Iterable[tuple[Term, str]]) -> None:
    """The page's entries in the index: Sphinx's own, and in place of those of last time, ours."""
    title = env.titles[docname].astext().replace(";", ",")
    before = getattr(env, "wpw_index", {})
    ours = {("single", f"{term.name}; {title}", anchor, "", None): None for term, anchor in uses}
    for figure in page.findall(QUOTED):
        said = f"{figure['label']}; {title}: source, lines {figure['first']}–{figure['last']}"
        ours["single", said, figure["anchor"], "", None] = None
    entries = env.get_domain("index").entries
    stale = before.get(docname, ())
    entries[docname] = [*(entry for entry in entries.get(docname, []) if entry not in stale), *ours]
    env.wpw_index = {**before, docname: list(ours)}


def link(app: Sphinx, page: nodes.document, docname: str) -> None:
    """Puts the links into a page that is about to be written, and the lists into a glossary."""
    env = app.env
    if app.builder.format != "html" or not takes_part(env, docname):
        return
    finder = Finder(env.wpw_terms, env.wpw_quoted)
    finder.uses(page, docname, lambda term: address(app, docname, term.docname, term.key))
    for glossary in page.findall(addnodes.glossary):
        for item in glossary.findall(nodes.definition_list_item):
            if key := next((each["ids"][0] for each in item if isinstance(each, nodes.term)), None):
                item[-1] += used_in(app, docname, key)


def used_in(app: Sphinx, docname: str, key: str) -> nodes.paragraph:
    """The pages that use the term, each a link to the place of its first use there."""
    said = nodes.paragraph("", "In ", classes=[LISTS])
    for other in in_order(app.env):
        found, *_ = app.env.wpw_made.get(other, ({},))
        if key in found and other != docname:
            if len(said) > 1:
                said += nodes.Text("; ")
            title = app.env.titles[other].astext()
            said += nodes.reference(title, title, internal=True, refuri=address(app, docname, other, found[key]))
    return said


def address(app: Sphinx, here: str, there: str, place: str) -> str:
    """The way from one page to a place on another, or on itself."""
    return f"{app.builder.get_relative_uri(here, there) if there != here else ''}#{place}"


def setup(app: Sphinx) -> dict:
    """Sphinx calls this."""
    app.connect("env-updated", collect)
    app.connect("doctree-resolved", link)
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
