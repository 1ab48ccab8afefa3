"""Which version of each Debian package is the recorded one? vm-image/pins.toml says it, in one table for the guest's
packages, one for those that the guest with another kernel has besides (guest-6.12), and one for source packages."""

import json
import shlex
import tomllib
from collections.abc import Mapping
from pathlib import Path

from core.files import write_whole
from host.errors import LabError
from host.paths import VM_IMAGE

FILE = VM_IMAGE / "pins.toml"
HEAD = "# The version of each Debian package of what was recorded. `./lab update` writes this file.\n"
IN_ROOT = "/etc/apt/preferences.d/pins"
NAMED = 3  # differences that are said; of the others their number
Versions = Mapping[str, str]


def recorded(*tables: str) -> dict[str, str]:
    """The version of each package in these tables. One that is not there has none."""
    read = tomllib.loads(FILE.read_text())
    return {name: version for table in tables for name, version in read.get(table, {}).items()}


def source(package: str) -> str:
    """The recorded version of a source package, or of a package that holds a source."""
    try:
        return recorded("source")[package]
    except KeyError:
        raise LabError(f"{package}: expected its version in {FILE}, found none", "./lab update") from None


def write(tables: Mapping[str, Versions]) -> None:
    """Record these versions in place of those that were."""
    text = HEAD
    for table, versions in tables.items():
        text += f"\n[{json.dumps(table)}]\n"
        text += "".join(f"{json.dumps(name)} = {json.dumps(versions[name])}\n" for name in sorted(versions))
    write_whole(FILE, text)


def preferences(versions: Versions) -> str:
    """Have apt take these versions where the archive has them, and else the newest: apt_preferences(5)."""
    stanza = "Package: {}\nPin: version {}\nPin-Priority: 1001\n\n"
    return "".join(stanza.format(name, version) for name, version in versions.items())


def options(versions: Versions, folder: Path) -> list[str]:
    """mmdebstrap's options for that. The list stays in `folder`, and not in the root that mmdebstrap makes."""
    kept = folder / "pins"
    kept.write_text(preferences(versions))
    return [f"--setup-hook=upload {shlex.quote(str(kept))} {IN_ROOT}", f'--customize-hook=rm "$1{IN_ROOT}"']


def differing(found: Versions, expected: Versions) -> str:
    """Which of the packages that were found are of another version than was expected; "" if none is."""
    differ = [
        f"{name} {version} in place of {expected[name]}" if name in expected else f"{name} {version}"
        for name, version in sorted(found.items())
        if expected.get(name) != version
    ]
    others = f" and {len(differ) - NAMED} more" if len(differ) > NAMED else ""
    return ", ".join(differ[:NAMED]) + others
