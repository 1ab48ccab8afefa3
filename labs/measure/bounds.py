"""Which times and rates decide in a case? They stand in its bounds.toml, each with what it is and how it was chosen.

`with_fault` and `without` are expressions over the case's recording, as in its conclusions, and `recorded` is what they
came to: tests/labs/test_bounds.py says how far both have to be from the bound. What is in no recording says `why`.
"""

import tomllib
from pathlib import Path


def bounds(case: Path) -> dict[str, float]:
    """The bounds of the case in this folder, by name."""
    return {name: each["bound"] for name, each in tomllib.loads((case / "bounds.toml").read_text()).items()}
