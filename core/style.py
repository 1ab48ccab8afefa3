"""What do all pictures of the book have in common? The values of style.toml, for those who draw.

A picture is drawn before it is known where it will be shown. So it asks the page for a colour by its
meaning, `var(--wpw-icmp, …)`, with one that does on any ground if the page has none to offer.
"""

import tomllib
from pathlib import Path
from string import Template

VALUES = tomllib.loads((Path(__file__).parent / "style.toml").read_text("utf-8"))
SERIES = VALUES["series"]
GREY = VALUES["any"]["grey"]


def colour(meaning: str) -> str:
    """The page's colour of that meaning ("icmp", "stall"), in CSS."""
    return f"var(--wpw-{meaning},{VALUES['any'][meaning]})"


def css(text: str) -> str:
    """A style sheet with `$font`, `$icmp`, `$stall`, `$host_line`, `$packet_line` and `$strong_line` filled in."""
    lines = {f"{name}_line": f"{width:g}" for name, width in VALUES["line"].items()}
    return Template(text).substitute(font=VALUES["font"]["family"], icmp=colour("icmp"), stall=colour("stall"), **lines)
