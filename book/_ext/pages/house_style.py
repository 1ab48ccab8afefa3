"""Which colours do recorded pictures find on a page? Those of core/style.toml, for its ground.

The file is written as _static/house-style.css: the light theme's colours, the dark one's, and paper's.
"""

import tomllib
from pathlib import Path

from sphinx.application import Sphinx

SHEET = "house-style.css"
SELECTORS = {"light": ":root", "dark": 'html[data-theme="dark"]', "print": "@media print"}


def sheet(values: dict) -> str:
    """The style sheet: one rule a ground, a variable a meaning."""
    rules = []
    for ground, selector in SELECTORS.items():
        said = "".join(f"--wpw-{name}:{colour};" for name, colour in values[ground].items() if name != "ground")
        rules.append(
            f"{selector}{{:root,html[data-theme]{{{said}}}}}" if ground == "print" else f"{selector}{{{said}}}"
        )
    return "\n".join(rules) + "\n"


def write(app: Sphinx) -> None:
    """Write the style sheet into the folder of static files, before pages refer to it."""
    source = Path(app.srcdir) / app.config.house_style
    target = Path(app.outdir) / "_static" / SHEET
    target.parent.mkdir(parents=True, exist_ok=True)
    target.write_text(sheet(tomllib.loads(source.read_text("utf-8"))), "utf-8")
    app.add_css_file(SHEET, priority=400)  # before the book's own rules, which use it


def setup(app: Sphinx) -> dict:
    """Sphinx calls this."""
    app.add_config_value("house_style", "core/style.toml", "html", [str])
    app.connect("builder-inited", write)
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
