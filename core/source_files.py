"""Which file has the source of a program in the tab's state? `./lab tab --sources` lays it, the site leads to it."""

from collections.abc import Mapping
from typing import Any


def sources(package: Mapping[str, Any]) -> list[tuple[str, str]]:
    """(name, version) of each source package that a binary package of Debian's was built from."""
    return [(package["source"], package["source_version"]), *package["built_using"].items()]


def debian_file(source: str, version: str) -> str:
    """The file that describes a source package. Its name has no epoch (Debian Policy 5.6.12)."""
    return f"{source}_{version.partition(':')[2] or version}.dsc"


def npm_file(name: str, version: str) -> str:
    """The file that `npm pack` makes of a package."""
    return f"{name.removeprefix('@').replace('/', '-')}-{version}.tgz"
