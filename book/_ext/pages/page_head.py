"""What does a link to a page show elsewhere? Title, description and picture in each page's head.

The description is the page's own (`description` in its front matter, under `myst: html_meta:`), else
its first sentences. The picture is that of the page's case, `<recordings>/<case>.png`, else that of the
first case in the book. Other sites want whole addresses: `LAB_SITE_URL` says where the site will lie.
"""

import os
import re
import shutil
from pathlib import Path

from docutils import nodes
from sphinx.application import Sphinx

from core.draw.tree import h, markup

LONGEST = 200  # characters; what shows a preview cuts further
FOLDER = "_static/previews"
SIZE = (1200, 630)  # pixels, see host/site/preview.py


def description(doctree: nodes.document | None, title: str) -> str:
    """The page's title and first sentences, whole ones, at most LONGEST characters. Notebooks of one
    book begin alike; their titles do not."""
    for paragraph in doctree.findall(nodes.paragraph) if doctree else ():
        in_text = isinstance(paragraph.parent, nodes.section)
        if in_text and "wpw-provenance" not in paragraph["classes"] and paragraph.astext().strip():
            return shortened(" ".join(f"{title}. {paragraph.astext()}".split()))
    return title


def shortened(text: str) -> str:
    """Shorten a text to as many sentences as fit; of a first one that is too long, its first words."""
    if len(text) <= LONGEST:
        return text
    ends = [found.start() + 1 for found in re.finditer(r"[.?!](?= )", text[:LONGEST])]
    if ends:
        return text[: ends[-1]]
    return text[:LONGEST].rsplit(" ", 1)[0].rstrip(",;:") + "\N{HORIZONTAL ELLIPSIS}"


def pictures(app: Sphinx) -> dict[str, Path]:
    """The recorded previews by case, in the order of the book's pages."""
    folder = Path(app.srcdir) / app.config.recordings
    order = [docname.rsplit("/", 1)[-1] for docname in app.env.toctree_includes.get(app.config.root_doc, [])]
    return {
        file.stem: file
        for file in sorted(
            folder.glob("*.png"),
            key=lambda file: (order.index(file.stem) if file.stem in order else len(order), file.stem),
        )
    }


def tag(name: str, content: str) -> str:
    """One <meta>: Open Graph's have `property`."""
    kind = "property" if name.startswith("og:") else "name"
    return markup(h("meta", {kind: name, "content": content})) + "\n"


def add_head(app: Sphinx, pagename: str, templatename: str, context: dict, doctree) -> None:
    """Adds to the page's meta tags."""
    title = re.sub(r"<[^>]+>", "", context.get("title") or app.config.project)
    own = re.search(
        r'<meta\s[^>]*name="description"[^>]*content="([^"]*)"|'
        r'<meta\s[^>]*content="([^"]*)"[^>]*name="description"',
        context.get("metatags") or "",
    )
    said = (own[1] or own[2]) if own else description(doctree, title)
    base = app.config.html_baseurl
    head = "" if own else tag("description", said)
    head += tag("og:type", "website" if pagename == app.config.root_doc else "article")
    head += tag("og:site_name", app.config.project) + tag("og:title", title) + tag("og:description", said)
    if base:
        head += tag("og:url", f"{base}{pagename}.html")
    found = pictures(app)
    name = pagename.rsplit("/", 1)[-1].removesuffix("-further").removesuffix("-exercises")  # a chapter's other pages
    if case := name if name in found else next(iter(found), None):
        where = f"{FOLDER}/{case}.png"
        head += tag("og:image", f"{base}{where}" if base else context["pathto"](where, 1))
        head += tag("og:image:width", str(SIZE[0])) + tag("og:image:height", str(SIZE[1]))
        head += tag("og:image:alt", f"What the case {case} shows, as a picture")
        head += tag("twitter:card", "summary_large_image")
    context["metatags"] = (context.get("metatags") or "") + head


def copy_pictures(app: Sphinx, failure: Exception | None) -> None:
    """The previews become part of the site."""
    if failure is None and app.builder.format == "html":
        target = Path(app.outdir) / FOLDER
        target.mkdir(parents=True, exist_ok=True)
        for file in pictures(app).values():
            shutil.copyfile(file, target / file.name)


def set_address(app: Sphinx, config) -> None:
    """The site's address, with a slash at its end."""
    if url := os.environ.get("LAB_SITE_URL", ""):
        config.html_baseurl = url.rstrip("/") + "/"


def setup(app: Sphinx) -> dict:
    """Sphinx calls this."""
    app.connect("config-inited", set_address)
    app.connect("html-page-context", add_head)
    app.connect("build-finished", copy_pictures)
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
