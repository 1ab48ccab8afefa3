"""How is a file never found half written?"""

import os
from pathlib import Path


def write_whole(file: Path, text: str) -> None:
    """Write aside and rename, so that whoever reads finds all of it, or what was there before. The name aside has our
    process id, because another ./lab may write the same file at the same time."""
    aside = file.with_name(f"{file.name}.{os.getpid()}.part")
    try:
        aside.write_text(text, "utf-8")
        aside.replace(file)
    finally:
        aside.unlink(missing_ok=True)
