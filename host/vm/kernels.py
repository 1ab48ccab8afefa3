"""Which kernels can the guest have? The book's, and those beside it. Each is data (vm-image/kernels/*.toml): what its
image has in the place of which package. Nothing else in host/ knows one by its version."""

import tomllib
from dataclasses import dataclass
from pathlib import Path

from core.statuses import Status
from host.errors import LabError
from host.paths import VM_IMAGE

KERNELS = VM_IMAGE / "kernels"


@dataclass(frozen=True)
class Kernel:
    """One kernel, as its `recipe` describes it; `instead` are pairs of a package of packages.toml and the one that this
    kernel's guest has in its place."""

    name: str
    title: str
    recipe: Path
    instead: tuple[tuple[str, str], ...] = ()

    @property
    def is_the_books(self) -> bool:
        """Whether its guest is the one of packages.toml."""
        return not self.instead

    @property
    def suffix(self) -> str:
        """What the name of whatever is made for this kernel ends in, so that no two are taken for one: "-6.12"."""
        return "" if self.is_the_books else f"-{self.name}"


def kernel(name: str) -> Kernel:
    """The kernel of that name; raises with the known ones."""
    for known in kernels():
        if known.name == name:
            return known
    there_are = ", ".join(known.name for known in kernels())
    raise LabError(f"no kernel {name!r}; there are: {there_are}", "./lab doctor", Status.USAGE)


def kernels() -> list[Kernel]:
    """All that there are, the book's first."""
    found = [_read(recipe) for recipe in KERNELS.glob("*.toml")]
    return sorted(found, key=lambda one: (not one.is_the_books, one.name))


def the_books() -> Kernel:
    """The one that the book is about."""
    return kernels()[0]


def _read(recipe: Path) -> Kernel:
    read = tomllib.loads(recipe.read_text())
    return Kernel(recipe.stem, read["title"], recipe, tuple(read.get("instead", {}).items()))
