"""What is changed in a written page because no directive and no setting reaches it?

The theme gives the arrows of its navigation no name, and sends each reader 1.5 MB of script that
draws icons which its own style sheet has as a font. A page is changed after it was written; doing
it twice changes nothing.
"""

import re
import shutil
from pathlib import Path

from sphinx.application import Sphinx
from sphinx.util import logging

LOGGER = logging.getLogger(__name__)
ICON_SCRIPT = "scripts/fontawesome.js"
ICON_TAG = re.compile(r'<script defer src="[^"]*_static/' + re.escape(ICON_SCRIPT) + r'[^"]*"></script>\s*')
# In the folder _static: maps to sources that are not there, sources of translations, a second form of
# each font, templates.
NOT_NEEDED = ["**/*.map", "locales", "scripts/fontawesome.*", "vendor/**/*.ttf", "*webpack-macros.html"]
UNNAMED_TOGGLE = re.compile(
    r'(<a class="[^"]*\binternal" href="[^"]*">)(.*?)(</a><details[^>]*><summary)>'
    r'(?=<span class="toctree-toggle")'
)


def name_toggles(html: str) -> str:
    """Each arrow of the navigation says whose pages it shows."""

    def named(found: re.Match) -> str:
        title = re.sub(r"<[^>]+>", "", found[2]).replace('"', "&quot;").strip()
        return f'{found[1]}{found[2]}{found[3]} aria-label="Pages of {title}">'

    return UNNAMED_TOGGLE.sub(named, html)


def drop_icon_script(html: str) -> str:
    """The page without the script: the font of the theme's style sheet draws the same icons."""
    return ICON_TAG.sub("", html)


def finish(app: Sphinx, failure: Exception | None) -> None:
    """Changes every page and clears out what none of them uses."""
    if failure or app.builder.name != "html":
        return
    static = Path(app.outdir) / "_static"
    style = static / "styles/pydata-sphinx-theme.css"
    if (static / ICON_SCRIPT).exists() and "fa-solid-900.woff2" not in style.read_text("utf-8"):
        LOGGER.error("the theme's style sheet has no icon font any more: keep its icon script")
        app.statuscode = 1
        return
    for page in sorted(Path(app.outdir).rglob("*.html")):
        if static not in page.parents:
            html = page.read_text("utf-8")
            page.write_text(drop_icon_script(name_toggles(html)), "utf-8")
    for pattern in NOT_NEEDED:
        for path in list(static.glob(pattern)):
            shutil.rmtree(path) if path.is_dir() else path.unlink()


def setup(app: Sphinx) -> dict:
    """Sphinx calls this."""
    app.connect("build-finished", finish)
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
