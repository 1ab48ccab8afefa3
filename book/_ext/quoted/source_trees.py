"""Which source trees may a page quote, where do they lie, and where are they online?

Linux is the tree of a directive that names none. Another is configuration::

    source_trees:
      qemu:
        title: QEMU
        environment: LAB_QEMU_SOURCE    # the variable that holds its folder
        licence: GPL-2.0-or-later       # of a file without an SPDX line
        link: https://elixir.bootlin.com/qemu/v{upstream}/source/{path}#L{line}
"""

import os
from dataclasses import dataclass
from pathlib import Path

from sphinx.config import Config

from book._ext.quoted.kernel_source import SourceError, Version, read_version

LINUX = {
    "title": "Linux",
    "environment": "LAB_KERNEL_SOURCE",
    "licence": "GPL-2.0",
    "link": "https://elixir.bootlin.com/linux/v{upstream}/source/{path}#L{line}",
}


@dataclass(frozen=True)
class Tree:
    """One unpacked source tree: its folder, what it is, and its page in the cross-reference."""

    title: str
    root: Path
    licence: str
    link: str
    version: Version

    def url(self, path: str, line: int) -> str:
        """The line of the file in the online cross-reference, in the upstream release."""
        return self.link.format(upstream=self.version.upstream, path=path, line=line)


def tree(config: Config, name: str) -> Tree:
    """The configured tree of that name, its folder present and its version known."""
    trees = {"linux": LINUX, **config.source_trees}
    if name not in trees:
        raise SourceError(f"no source tree {name!r}; those configured: {', '.join(sorted(trees))}")
    settings = trees[name]
    variable = settings.get("environment", "")
    root = os.environ.get(variable, "") if variable else ""
    if name == "linux":
        root = config.kernel_source_root
    if not root or not Path(root).is_dir():
        found = "which is not there" if root else "which is not set"
        raise SourceError(
            f"no {settings['title']} source: expected its folder in {variable}, "
            f"{found}. Next: ./lab book, which fetches it and sets {variable}"
        )
    return Tree(settings["title"], Path(root), settings["licence"], settings["link"], read_version(Path(root)))


def setup_source_trees(app) -> None:
    """The two configuration values."""
    app.add_config_value("kernel_source_root", lambda config: os.environ.get(LINUX["environment"], ""), "env", [str])
    app.add_config_value("source_trees", {}, "env", [dict])
