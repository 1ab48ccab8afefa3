"""Under which licences are the parts of the tab's kernel? As each package's own copyright file says, which goes
beside the state, together with the texts that it refers to."""

import gzip
import io
import re
import tarfile
from collections.abc import Iterable
from pathlib import Path

from host.errors import LabError

ARCHIVE = "copyright.tar.gz"
FORM = "copyright-format/1.0"  # of files that a program can read
RECIPE = "vm-image/tab/packages.toml"


def named(texts: Path, names: Iterable[str], told: dict[str, str]) -> dict[str, list[str]]:
    """The licences of each package, whose copyright file is in `texts`; of one in free words, what the recipe says
    (`told`)."""
    found = {}
    for name in names:
        licences = short_names(_copyright(texts, name).read_text(errors="replace"))
        if not licences and name not in told:
            raise LabError(
                f"tab: the copyright file of {name} is in free words",
                f"read /usr/share/doc/{name}/copyright, name its licences in {RECIPE}, then: ./lab tab",
            )
        found[name] = licences or [told[name]]
    return found


def short_names(text: str) -> list[str]:
    """The licences of a package's files, in the order in which its copyright file names them; none if it is not in
    the form for programs (Debian policy 12.5)."""
    if FORM not in text.partition("\n\n")[0]:
        return []
    stanzas = [stanza for stanza in re.split(r"\n\s*\n", text) if re.search(r"^Files:", stanza, re.MULTILINE)]
    names = (re.search(r"^License: *(\S.*)$", stanza, re.MULTILINE) for stanza in stanzas)
    return list(dict.fromkeys(name[1].strip() for name in names if name))


def packed(texts: Path) -> bytes:
    """The copyright files and the licences' texts as one archive, the same bytes each time."""
    stream = io.BytesIO()
    with tarfile.open(fileobj=stream, mode="w") as tar:
        for file in sorted(texts.rglob("*")):
            if file.is_file():
                data = file.read_bytes()  # of what a link leads to
                entry = tarfile.TarInfo(file.relative_to(texts).as_posix())
                entry.size = len(data)
                tar.addfile(entry, io.BytesIO(data))
    return gzip.compress(stream.getvalue(), mtime=0)


def _copyright(texts: Path, name: str) -> Path:
    file = texts / name / "copyright"
    if not file.exists():
        raise LabError(f"tab: expected /usr/share/doc/{name}/copyright in the guest, found none", "./lab tab")
    return file
