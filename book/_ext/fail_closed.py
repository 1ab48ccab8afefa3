"""How does a fault in a page stop the build, and keep stopping it?

Sphinx counts a logged error as a warning, which only `-W` turns into a failure; and a page with a
fault is kept, so the next build does not read it again and passes. A fault reported here fails
the build in either case, until the page is fixed.
"""

from sphinx.environment import BuildEnvironment
from sphinx.util import logging

LOGGER = logging.getLogger(__name__)
# myst-nb numbers line 5 of the third cell 30006.
CELL = 10000


def fault(env: BuildEnvironment, message: str, docname: str, line: int | None = None) -> None:
    """Report a fault at a page's line, fail this build, and read the page again in the next."""
    if line and line > CELL and env.doc2path(docname).endswith(".ipynb"):
        message, line = f"cell {line // CELL}, line {line % CELL - 1}: {message}", None
    LOGGER.error(message, location=(docname, line), type="where-packets-wait")
    env.reread_always.add(docname)
    env.app.statuscode = 1
